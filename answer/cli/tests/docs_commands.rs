//! The commands that README.md and docs/*.md show with their output print it; the others are parsed by a test of the command.

mod support;

use prazo_testing::documents::{self, Block};
use support::{Answer, Desk, PRAZO};

/// What the commands read, seen from the repository's root. What they write goes next to it, into a temporary folder.
const READ: [&str; 6] = ["Cargo.lock", "docs", "examples", "scenarios", "studies", "testing"];

/// A folder that looks like the repository's root.
fn root() -> Desk {
    let desk = Desk::new();
    for name in READ {
        let file = documents::root().join(name);
        std::os::unix::fs::symlink(file, desk.path(name)).expect("the folder can be written");
    }
    desk
}

#[test]
fn each_command_of_the_documents_prints_what_its_page_shows() {
    let blocks: Vec<Block> = documents::blocks().into_iter().filter(|block| block.kind == "console").collect();
    let (mut desk, mut page, mut wrong, mut count) = (root(), String::new(), Vec::new(), 0);
    for block in &blocks {
        // A page's commands follow one another in one folder.
        if block.page != page {
            (desk, page) = (root(), block.page.clone());
        }
        for shown in block.shown() {
            let words = shlex::split(&shown.command).expect("quotes are closed");
            assert_eq!(words[0], "prazo", "{}:{}: {}", block.page, block.line, shown.command);
            let mut command = desk.command(PRAZO);
            command.args(&words[1..]).env("COLUMNS", "100").env("NO_COLOR", "1");
            let Answer { code, stdout, stderr } = Answer::of(command.output().expect("prazo starts"));
            // An answer: pass, fail or inconclusive.
            if !matches!(code, Some(0 | 1 | 3)) || !shown.is_printed_by(&stdout) {
                let place = format!("{}:{}", block.page, block.line);
                wrong.push(format!("{place}: `{}` ended with {code:?} and printed\n{stdout}{stderr}", shown.command));
            }
            count += 1;
        }
    }
    assert!(count > 15, "the commands are found: {count}");
    assert!(wrong.is_empty(), "{} of {count} commands print something else:\n{}", wrong.len(), wrong.join("\n"));
}
