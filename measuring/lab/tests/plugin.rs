//! The plugin's decoder of 64-bit Arm instructions, against the Arm Architecture Reference Manual's encodings.

use prazo_testing::{or_skip, program};
use std::path::Path;
use std::process::Command;

/// Instruction words with their assembly, and what the plugin is to say of them.
const WORDS: [(&str, &str, &str); 31] = [
    ("94000010", "bl", "call"),
    ("d63f0100", "blr x8", "call"),
    ("d73f0901", "blraa x8, x1", "call"),
    ("d65f03c0", "ret", "return"),
    ("d65f0bff", "retaa", "return"),
    ("14000001", "b", "jump"),
    ("d61f0200", "br x16", "jump"),
    ("54000041", "b.ne", "branch"),
    ("b4000040", "cbz x0", "branch"),
    ("35000040", "cbnz w0", "branch"),
    ("37f80040", "tbnz w0, #31", "branch"),
    ("d4000001", "svc #0", "system-call switches"),
    ("d69f03e0", "eret", "interrupt-return switches"),
    ("d503207f", "wfi", "halt"),
    ("d503205f", "wfe", "other"),
    ("d503201f", "nop", "other"),
    ("d53be040", "mrs x0, cntvct_el0", "other clock"),
    ("d53be0c3", "mrs x3, cntvctss_el0", "other clock"),
    ("d53be021", "mrs x1, cntpct_el0", "other clock"),
    ("d53be000", "mrs x0, cntfrq_el0", "other"),
    ("d50343df", "msr daifset, #3", "other off switches"),
    ("d50342df", "msr daifset, #2", "other off switches"),
    ("d50341df", "msr daifset, #1", "other"),
    ("d50342ff", "msr daifclr, #2", "other switches"),
    ("d51b4220", "msr daif, x0", "other switches"),
    ("d53b4220", "mrs x0, daif", "other"),
    ("b9000801", "str w1, [x0, #8]", "other count"),
    ("b9001001", "str w1, [x0, #16]", "other count"),
    ("b9000c01", "str w1, [x0, #12]", "other count"),
    ("b9001801", "str w1, [x0, #24]", "other"),
    ("f9000401", "str x1, [x0, #8]", "other"),
];

#[test]
fn each_64_bit_arm_instruction_is_what_its_encoding_says() {
    or_skip!(program("cc"));
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugin/decode.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-Wall", "-Werror", "-o"]).arg(folder.path().join("decode")).arg(source);
    assert!(compiler.status().unwrap().success());
    let said = Command::new(folder.path().join("decode")).args(WORDS.map(|(word, ..)| word)).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    assert_eq!(said.lines().count(), WORDS.len());
    for (line, (word, text, expected)) in said.lines().zip(WORDS) {
        assert_eq!(line, expected, "{text} ({word})");
    }
}
