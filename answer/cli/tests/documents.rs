//! The documents say what the program does: every caveat, load and command has its place in them.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

fn document(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_caveat_is_documented() {
    let page = document("docs/caveats.md");
    let ids = caveat_ids();
    assert!(ids.len() > 30, "the search for caveats finds them: {}", ids.len());
    for (id, file) in ids {
        assert!(page.contains(&format!("`{id}`")), "{id} ({}) is not in docs/caveats.md", file.display());
    }
}

#[test]
fn every_command_is_on_the_first_page_of_the_book() {
    let page = document("docs/README.md");
    let help = Command::new(env!("CARGO_BIN_EXE_prazo")).arg("--help").output().expect("prazo starts");
    let help = String::from_utf8(help.stdout).expect("help is text");
    let commands = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let names: Vec<&str> =
        commands.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 8, "help lists the commands: {names:?}");
    for name in names.iter().filter(|name| **name != "help") {
        assert!(page.contains(&format!("prazo {name}")), "docs/README.md does not list prazo {name}");
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(str::to_owned);
    for name in top.into_iter().chain(pages().into_iter().map(|page| format!("docs/{page}"))) {
        let folder = root().join(&name).parent().expect("a document lies in a folder").to_owned();
        let text = without_blocks(&document(&name));
        for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            let is_file = !target.is_empty() && !target.contains("://");
            assert!(!is_file || folder.join(target).exists(), "{name} links to {target}, which is not there");
        }
    }
}

#[test]
fn the_book_lists_every_page_once() {
    let summary = document("docs/SUMMARY.md");
    let mut listed: Vec<&str> = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    listed.sort_unstable();
    let mut there = pages();
    there.retain(|page| page != "SUMMARY.md");
    assert_eq!(listed, there, "docs/SUMMARY.md and docs/*.md");
}

/// A heading of docs/troubleshooting.md quotes a message; an ellipsis stands for what varies in it.
#[test]
fn each_message_of_troubleshooting_is_in_the_sources() {
    let layers = ["measuring", "scheduling", "answer"].into_iter();
    let crates = layers.flat_map(|layer| std::fs::read_dir(root().join(layer)).expect("a layer of crates").flatten());
    let folders = crates.map(|entry| entry.path().join("src")).filter(|folder| folder.is_dir());
    let texts = folders.flat_map(|folder| sources(&folder)).map(|file| joined(&std::fs::read_to_string(file).unwrap()));
    let code: String = texts.collect();
    let page = document("docs/troubleshooting.md");
    let quoted = page.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'));
    let mut count = 0;
    for piece in quoted.flat_map(|message| message.split('…')) {
        let piece = piece.trim_matches([' ', ';', ':', '\'', '`']);
        assert!(code.contains(piece), "docs/troubleshooting.md quotes '{piece}', which no message says");
        count += 1;
    }
    assert!(count > 40, "the headings are found: {count}");
}

/// The pages in docs/, sorted.
fn pages() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("docs")).expect("docs is a folder").flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut pages: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    pages.sort_unstable();
    pages
}

/// A page without its fenced blocks, in which no link is one.
fn without_blocks(text: &str) -> String {
    text.split("\n```").step_by(2).collect()
}

/// A source with the string literals joined that end a line with a backslash.
fn joined(text: &str) -> String {
    let mut lines = text.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |text, line| text + line.trim_start())
}

/// The first argument of each `Caveat::new(` in the sources, with its file; tests' own inventions left out.
fn caveat_ids() -> Vec<(String, PathBuf)> {
    let crates = ["engine", "load", "trace", "probe", "run", "stats"].map(|name| format!("measuring/{name}/src"));
    let folders = crates.into_iter().chain(["answer/study/src", "answer/prazo/src"].map(str::to_owned));
    let files = folders.flat_map(|folder| sources(&root().join(folder)));
    files.flat_map(|file| ids_in(&file).into_iter().map(move |id| (id, file.clone()))).collect()
}

fn ids_in(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("a source is text");
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let calls = code.split("Caveat::new(").skip(1);
    calls.filter_map(|call| call.trim_start().strip_prefix('"')?.split('"').next().map(str::to_owned)).collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .collect()
}
