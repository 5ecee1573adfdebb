//! The runner behind `./test`, from outside: what it runs, what its last line is, and how it ends.

use std::path::Path;
use std::process::{Command, Output};

/// The runner with these words, in a folder of its own.
fn suite(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_suite"));
    // The records of this test must not end up among those of the suite that runs it.
    command
        .args(words)
        .current_dir(folder)
        .env_remove(prazo_testing::SKIPS)
        .env_remove("PRAZO_TEST_RUN")
        .env_remove("CI")
        .output()
        .unwrap()
}

fn last_line(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned()
}

/// A test program that prints `text`, and cargo's message about it.
fn program(folder: &Path, target: &str, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let file = folder.join(format!("{target}-0123"));
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    serde_json::json!({
        "reason": "compiler-artifact", "package_id": "path+file:///w/core#prazo-core@0.1.0",
        "manifest_path": folder.join("Cargo.toml"), "target": { "kind": ["test"], "name": target },
        "profile": { "test": true }, "executable": file,
    })
    .to_string()
}

const PASSES: &str = "echo 'test result: ok. 3 passed; 0 failed; 0 ignored'";
const SKIPS_ONE: &str = r#"echo '{"program":"skips-0123","test":"b","need":"no lab","why":"x"}' >>"$PRAZO_SKIPS"
echo 'test result: ok. 2 passed; 0 failed; 0 ignored'"#;
const FAILS: &str = "echo 'test c ... FAILED'; echo 'test result: FAILED. 1 passed; 1 failed; 0 ignored'; exit 101";

fn run(folder: &Path, programs: &[(&str, &str)]) -> Output {
    let messages: Vec<String> = programs.iter().map(|(target, script)| program(folder, target, script)).collect();
    std::fs::write(folder.join("messages.json"), messages.join("\n")).unwrap();
    assert!(suite(folder, &["clear"]).status.success());
    suite(folder, &["programs", "messages.json"])
}

#[test]
fn skipped_tests_are_not_among_the_passed_ones_and_their_reasons_come_first() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &[("passes", PASSES), ("skips", SKIPS_ONE)]);
    let summary = suite(folder.path(), &["summary"]);
    assert!(summary.status.success());
    assert_eq!(last_line(&summary), "4 passed, 0 failed, 1 skipped");
    assert!(String::from_utf8_lossy(&summary.stdout).contains("1 skipped: no lab"));
}

#[test]
fn a_failed_test_is_named_with_its_output_and_ends_the_run_with_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let shown = run(folder.path(), &[("passes", PASSES), ("fails", FAILS), ("crashes", "kill -SEGV $$")]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("test c ... FAILED"));
    let summary = suite(folder.path(), &["summary"]);
    assert_eq!(summary.status.code(), Some(1));
    assert_eq!(last_line(&summary), "4 passed, 2 failed, 0 skipped");
    assert!(String::from_utf8_lossy(&summary.stdout).contains("FAILED prazo-core fails: c"));
}

#[test]
fn steps_of_other_harnesses_are_added() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &[("passes", PASSES)]);
    suite(folder.path(), &["count", "page", "printf", "ℹ pass 5\nℹ fail 0\nℹ skipped 2\n"]);
    suite(folder.path(), &["check", "format", "true"]);
    assert_eq!(last_line(&suite(folder.path(), &["summary"])), "8 passed, 0 failed, 2 skipped");
    suite(folder.path(), &["skip", "browser", "no browser"]);
    suite(folder.path(), &["check", "lints", "false"]);
    assert_eq!(last_line(&suite(folder.path(), &["summary"])), "8 passed, 1 failed, 3 skipped");
}

#[test]
fn the_parts_of_a_run_have_every_program_once() {
    let folder = tempfile::tempdir().unwrap();
    let beside = program(folder.path(), "passes", PASSES);
    let alone = beside.replace("prazo-core", "prazo-probe");
    let with_guests = program(folder.path(), "sched", PASSES).replace("prazo-core", "prazo-cli");
    std::fs::write(folder.path().join("messages.json"), [beside, alone, with_guests].join("\n")).unwrap();
    let names = |part: &str| {
        let output = suite(folder.path(), &["programs", "messages.json", part]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().map(|line| line.split("  ").next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(suite(folder.path(), &["clear"]).status.success());
    assert_eq!(names("alone"), ["prazo-probe passes"]);
    assert_eq!(names("computed"), ["prazo-core passes"]);
    assert_eq!(names("guests"), ["prazo-cli sched"]);
    assert_eq!(last_line(&suite(folder.path(), &["summary"])), "9 passed, 0 failed, 0 skipped");
}

#[test]
fn a_run_without_a_test_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &[]);
    assert_eq!(suite(folder.path(), &["summary"]).status.code(), Some(1));
}
