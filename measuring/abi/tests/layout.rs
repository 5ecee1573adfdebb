//! The header that C compiles and its Rust twin say the same: sizes, offsets, numbers.

use prazo_abi::{Record, irqlat};
use prazo_testing::{Need, OrSkipped, Skipped, or_skip};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

#[test]
fn the_header_and_its_twin_lay_out_every_record_alike() {
    let compiled = or_skip!(said_by_c());
    let twin = said_by_rust();
    for (c, rust) in compiled.lines().zip(twin.lines()) {
        assert_eq!(c, rust, "the header (left) and its twin (right) differ");
    }
    assert_eq!(compiled.lines().count(), twin.lines().count());
}

#[test]
fn every_number_of_the_header_is_compared() {
    let header = std::fs::read_to_string(header()).unwrap();
    let defined = header.lines().filter_map(|line| line.strip_prefix("#define IRQLAT_")?.split_whitespace().next());
    let compared: Vec<&str> = numbers().into_iter().map(|(name, _)| name).collect();
    for name in defined.filter(|name| *name != "H") {
        assert!(compared.contains(&name), "IRQLAT_{name} has no twin that is compared");
    }
}

#[test]
fn a_record_survives_its_bytes() {
    let sample = irqlat::Sample { sequence: 1, due_ns: 2, t1_ns: u64::MAX, task_cpu: 7, ..Default::default() };
    let mut bytes = [0; irqlat::Sample::SIZE];
    sample.write_to(&mut bytes);
    assert_eq!(irqlat::Sample::from_bytes(&bytes), sample);
}

#[test]
fn a_devices_name_needs_room_for_its_end() {
    assert!(irqlat::Plan::device_named(&"x".repeat(31)).is_some());
    assert!(irqlat::Plan::device_named(&"x".repeat(32)).is_none());
}

fn header() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("include/irqlat.h")
}

/// Compiles a program that prints the header's facts, and runs it; a skip without a C compiler.
fn said_by_c() -> Result<String, Skipped> {
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("layout.c"), folder.path().join("layout"));
    std::fs::write(&source, c_program()).unwrap();
    let include = header().parent().unwrap().to_owned();
    let compiled = Command::new("cc").arg("-I").arg(include).arg(&source).arg("-o").arg(&program).status();
    let status = compiled.or_skipped(Need::Program("cc"))?;
    assert!(status.success(), "the header does not compile");
    Ok(String::from_utf8(Command::new(program).output().unwrap().stdout).unwrap())
}

fn c_program() -> String {
    let mut program = "#include <stdio.h>\n#include <stddef.h>\n#include \"irqlat.h\"\nint main(void) {\n".to_owned();
    for (record, size, fields) in records() {
        let _ = writeln!(program, "printf(\"{record} %zu\\n\", sizeof(struct irqlat_{record}));");
        assert!(size > 0);
        for (field, ..) in fields {
            let place = format!("offsetof(struct irqlat_{record}, {field})");
            let room = format!("sizeof(((struct irqlat_{record} *)0)->{field})");
            let _ = writeln!(program, "printf(\"{record}.{field} %zu %zu\\n\", {place}, {room});");
        }
    }
    for (name, _) in numbers() {
        let _ = writeln!(program, "printf(\"{name} %lu\\n\", (unsigned long)IRQLAT_{name});");
    }
    program + "return 0; }\n"
}

fn said_by_rust() -> String {
    let mut compiled = String::new();
    for (record, size, fields) in records() {
        let _ = writeln!(compiled, "{record} {size}");
        for (field, offset, room) in fields {
            let _ = writeln!(compiled, "{record}.{field} {offset} {room}");
        }
    }
    for (name, number) in numbers() {
        let _ = writeln!(compiled, "{name} {number}");
    }
    compiled
}

type Shape = (&'static str, usize, &'static [(&'static str, usize, usize)]);

fn shape<R: Record>(name: &'static str) -> Shape {
    (name, R::SIZE, R::FIELDS)
}

fn records() -> [Shape; 5] {
    [
        shape::<irqlat::Plan>("plan"),
        shape::<irqlat::Ready>("ready"),
        shape::<irqlat::Wait>("wait"),
        shape::<irqlat::Counts>("counts"),
        shape::<irqlat::Sample>("sample"),
    ]
}

macro_rules! named {
    ($($name:ident),* $(,)?) => { vec![$((stringify!($name), u64::from(irqlat::$name))),*] };
}

fn numbers() -> Vec<(&'static str, u64)> {
    let mut all = named![
        ABI,
        TRIGGER_HRTIMER,
        TRIGGER_PROCESSOR,
        TRIGGER_ETHERNET,
        SOURCE_PARPORT,
        SOURCE_LOOPBACK,
        SOURCE_EDU,
        SOURCE_GPIO,
        HANDLER_KERNEL,
        HANDLER_HARD,
        HANDLER_THREAD,
        CONTEXT_HARD,
        CONTEXT_THREAD,
        TASK_KERNEL,
        TASK_USER,
        STEP_DONE,
        STEP_PLAN,
        STEP_MEMORY,
        STEP_SOURCE,
        STEP_LINE,
        STEP_AFFINE,
        STEP_SILENT,
        STEP_TRIGGER,
        STEP_TASK,
        ETHERTYPE,
        PREPARE,
        ARM,
        WAIT,
        COUNTS,
        STOP,
    ];
    all.push(("NAME_MAX", irqlat::NAME_MAX as u64));
    all
}
