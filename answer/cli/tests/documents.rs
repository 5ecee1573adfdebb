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
fn every_command_has_an_example_in_the_readme() {
    let readme = document("README.md");
    let help = Command::new(env!("CARGO_BIN_EXE_prazo")).arg("--help").output().expect("prazo starts");
    let help = String::from_utf8(help.stdout).expect("help is text");
    let commands = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let names: Vec<&str> =
        commands.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 8, "help lists the commands: {names:?}");
    for name in names.iter().filter(|name| **name != "help") {
        assert!(readme.contains(&format!("prazo {name}")), "README.md has no example of prazo {name}");
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        let text = document(name);
        for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            let is_file = !target.is_empty() && !target.contains("://");
            assert!(!is_file || root().join(target).exists(), "{name} links to {target}, which is not there");
        }
    }
}

/// The first argument of each `Caveat::new(` in the sources, with its file; tests' own inventions left out.
fn caveat_ids() -> Vec<(String, PathBuf)> {
    let crates = ["engine", "load", "trace", "probe", "run", "stats"].map(|name| format!("measuring/{name}/src"));
    let folders = crates.into_iter().chain(["answer/study/src".to_owned()]);
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
