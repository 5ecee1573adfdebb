//! `prazo measure interrupt` where it cannot measure: each refusal names what was asked, what came, and what to do.

mod support;

use prazo_testing::{Need, Skipped, or_skip};
use std::path::Path;
use support::{Desk, possible};

/// The module's source, as the repository has it.
fn source() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kmod/irqlat").display().to_string()
}

/// Nothing was measured, and no run file is left.
fn refused(words: &str, code: i32, parts: &[&str]) {
    let desk = Desk::new();
    let answer = desk.prazo(&format!("measure interrupt {words} -o line.prazo --plain")).expect_code(code);
    answer.expect_error(parts);
    assert!(!desk.path("line.prazo").exists(), "a run file is left of {words}");
}

/// A skip where the module is loaded, since these tests are about its absence.
fn without_module() -> Result<(), Skipped> {
    possible(Need::Refusal, &["test", "!", "-e", "/dev/irqlat"])
}

#[test]
fn without_the_module_its_source_is_named() {
    or_skip!(without_module());
    refused("", 4, &["/dev/irqlat", "--module"]);
}

#[test]
fn a_module_that_cannot_be_had_is_refused_with_the_reason() {
    refused("--module nothing.ko", 4, &["nothing.ko", "No such file"]);
    refused(&format!("--module {} --headers nowhere", source()), 4, &["no headers", "nowhere", "--headers"]);
}

#[test]
fn flags_that_contradict_each_other_are_the_users() {
    or_skip!(without_module());
    refused("--device serial", 2, &["serial", "wired-parallel-port"]);
    refused("--trigger frame", 2, &["--card"]);
    refused("--card eth0", 2, &["--card"]);
    refused("--trigger frame --card eth0 --device gpio:chip:1:2", 2, &["gpiochip", "--trigger hrtimer"]);
    refused("--trigger other-cpu --trigger-cpu 0 --cpu 0", 2, &["--trigger-cpu 0"]);
    refused("--priority 0", 2, &["--priority 0"]);
    refused("--count 0", 2, &["--count 0"]);
}
