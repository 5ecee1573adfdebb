//! The commands of README.md and docs/*.md that are not run parse: each names a command and flags that there are.

use crate::cmd;
use clap::error::ErrorKind;
use prazo_testing::documents;

/// What ends a command within a line of a shell.
const ENDS: [&str; 6] = ["|", "||", "&&", ";", ">", ">>"];

/// Fails unless the command of this program parses; `place` names where it is.
pub(crate) fn assert_parses(text: &str, place: &str) {
    for words in commands(text) {
        if let Err(error) = cmd::command().try_get_matches_from(&words)
            && !matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)
        {
            panic!("{place}: `{}` does not parse: {error}", words.join(" "));
        }
    }
}

/// The commands of this program in a shell's text, also those within its quotes.
fn commands(text: &str) -> Vec<Vec<String>> {
    let (mut found, mut pending) = (Vec::new(), String::new());
    for line in text.lines() {
        pending += line;
        let is_continued = pending.ends_with('\\');
        if is_continued {
            pending.pop();
        }
        pending.push('\n');
        // Without a split a quote is open.
        if let (false, Some(words)) = (is_continued, shlex::split(&pending)) {
            pending.clear();
            let nested = words.iter().filter(|word| word.contains("prazo ")).flat_map(|word| commands(word));
            found.extend(nested);
            found.extend(words.split(|word| ENDS.contains(&word.as_str())).filter_map(own));
        }
    }
    found
}

/// The words from the program's name on.
fn own(words: &[String]) -> Option<Vec<String>> {
    let from = words.iter().position(|word| word == "prazo")?;
    let words: Vec<String> = words[from..].iter().map(|word| word.trim_end_matches(';').to_owned()).collect();
    (words.len() > 1).then_some(words)
}

#[test]
fn a_shells_text_is_read_as_a_shell_reads_it() {
    let words = |text| commands(text).iter().map(|words| words.join(" ")).collect::<Vec<_>>();
    assert_eq!(words("sudo prazo check -c 2 > out # prazo view\n"), ["prazo check -c 2"]);
    assert_eq!(words("git bisect run sh -c 'make\n  prazo gate --bisect'\n"), ["prazo gate --bisect"]);
    assert_eq!(words("prazo cost \\\n  -- sleep 1 && prazo check\n"), ["prazo cost -- sleep 1", "prazo check"]);
}

/// Lists what it reads, with `--nocapture`: these are the commands that no test runs.
#[test]
#[expect(clippy::print_stdout, reason = "the list is for whoever asks for it with --nocapture")]
fn each_command_of_the_documents_that_is_not_run_parses() {
    let mut count = 0;
    for block in documents::blocks().iter().filter(|block| ["sh", "yaml"].contains(&block.kind.as_str())) {
        let place = format!("{}:{}", block.page, block.line);
        for words in commands(&block.text) {
            println!("not run: {place}: {}", words.join(" "));
            count += 1;
        }
        assert_parses(&block.text, &place);
    }
    assert!(count > 60, "the commands are found: {count}");
}
