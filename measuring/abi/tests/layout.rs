//! The header that C compiles and its Rust twin say the same: sizes, offsets, numbers.

use prazo_abi::{Record, irqlat};
use prazo_testing::layout::{self, Shape};
use prazo_testing::or_skip;
use std::path::Path;

#[test]
fn the_header_and_its_twin_lay_out_every_record_alike() {
    let print = |(name, _): (&str, u64)| format!("printf(\"{name} %lu\\n\", (unsigned long)IRQLAT_{name});\n");
    let statements = layout::statements("irqlat_", &records()) + &numbers().into_iter().map(print).collect::<String>();
    let compiled = or_skip!(layout::printed_by_c(&header(), &statements));
    let line = |(name, number): (&str, u64)| format!("{name} {number}\n");
    let twins = layout::lines(&records()) + &numbers().into_iter().map(line).collect::<String>();
    layout::assert_alike(&compiled, &twins);
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

fn shape<R: Record>(name: &'static str) -> Shape<'static> {
    (name, R::SIZE, R::FIELDS)
}

fn records() -> [Shape<'static>; 5] {
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
