//! Generated files are what the program's list of flags makes: the book's pages, and Python's module.

use std::path::Path;
use std::process::Command;

fn xtask() -> Command {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
}

fn document(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn generated_pages_are_what_the_program_writes() {
    let folder = tempfile::tempdir().unwrap();
    assert!(xtask().arg("reference").arg(folder.path()).status().unwrap().success());
    for page in ["commands.md", "checks.md", "loads.md"] {
        let written = std::fs::read_to_string(folder.path().join(page)).unwrap();
        let kept = document(&format!("docs/{page}"));
        assert!(kept == written, "docs/{page} is older than the program; run `cargo xtask reference docs`");
    }
}

#[test]
fn each_command_is_a_function_of_python() {
    let answer = xtask().arg("python").output().unwrap();
    let (written, file) = (String::from_utf8(answer.stdout).unwrap(), "answer/python/prazo/commands.py");
    let names = |text: &str| -> Vec<String> {
        let defined = text.lines().filter_map(|line| line.strip_prefix("def ")?.strip_suffix('('));
        defined.map(str::to_owned).collect()
    };
    let (program, kept) = (names(&written), names(&document(file)));
    let missing: Vec<&String> = program.iter().filter(|name| !kept.contains(name)).collect();
    assert!(program.len() > 40 && missing.is_empty(), "no function of Python for {missing:?} in {file}");
    assert!(document(file) == written, "{file} is older than the program; run `cargo xtask python > {file}`");
}
