//! Programs of `cargo xtask dist` do what they are copied for, each on its processor or under qemu-user.

use prazo_testing::{Need, skip};
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn programs_that_were_built_for_other_processors_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let programs = programs(&root.join("target/dist"));
    if programs.is_empty() {
        skip!(Need::DistPrograms, "target/dist has none");
    }
    let script = Command::new(root.join("scripts/dist-tests.sh")).arg("--commands").args(&programs).output();
    let output = script.expect("the script starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}");
    let last = printed.lines().last().unwrap_or_default();
    if !last.ends_with(" 0 skipped") {
        skip!(Need::DistPrograms, "{printed}");
    }
}

/// `prazo-PROCESSOR`, sorted.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_program = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("prazo-") && !name.contains('.')
    };
    let mut programs: Vec<_> = entries.map(|entry| entry.path()).filter(is_program).collect();
    programs.sort();
    programs
}
