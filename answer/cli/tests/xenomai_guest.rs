//! Xenomai's user space in a guest with a stock kernel of the lab: an initramfs of the user's brings it, and a program of ours stands
//! in for its tool.
//!
//! They take the fetched kernels, the built agent and a C compiler with its static library; without, they say so and show nothing.

#[path = "../../../measuring/lab/tests/support/mod.rs"]
#[allow(dead_code)] // Not every helper is needed here.
mod guests;
mod support;

use prazo_lab::{Archive, Cache, Fetch, Lab, Part, Platform};
use prazo_run::run::Quantity;
use prazo_testing::{Need, OrSkipped, Skipped, or_skip};
use std::path::Path;
use std::process::Command;
use support::{Desk, caveats};

/// Emulator, kernels and agent.
fn lab() -> Result<(), Skipped> {
    guests::emulator()?;
    let platforms = vec![Platform::find(PLATFORM).expect("it is built in")];
    let fetch = Cache::of_user().map(|cache| Fetch { platforms, ..Fetch::new(cache) });
    fetch.and_then(|fetch| fetch.part(Part::Kernels, &mut |_| {})).or_skipped(Need::Lab)?;
    Lab::find().map(drop).or_skipped(Need::Agent)
}

const PLATFORM: &str = "standard-full";
const MEASURE: &str = "measure xenomai --platform lab:standard-full -D 2s --plain --json";

/// An initramfs with the stand-in at this place.
fn initramfs(desk: &Desk, place: &str) -> Result<(), Skipped> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/xenomai_guest/latency.c");
    let program = desk.path("latency");
    let gcc = Command::new("gcc").args(["-static", "-O1", "-Wall", "-Werror", "-o"]).arg(&program).arg(source).output();
    let gcc = gcc.or_skipped(Need::Program("gcc"))?;
    assert!(gcc.status.success(), "{}", String::from_utf8_lossy(&gcc.stderr));
    let mut archive = Archive::new();
    for (at, _) in place.match_indices('/') {
        archive.folder(&place[..at]);
    }
    archive.file(place, std::fs::read(program).unwrap(), true);
    desk.write("mercury.cpio", archive.bytes());
    Ok(())
}

#[test]
fn mercury_s_tool_measures_in_a_guest_with_a_stock_kernel() {
    or_skip!(lab());
    let desk = Desk::new();
    or_skip!(initramfs(&desk, "usr/xenomai/bin/latency"));
    let measured =
        desk.prazo(&format!("{MEASURE} --initrd mercury.cpio -o a.prazo --deadline 1ms")).expect_code(3).json();
    let served = measured["served"].as_u64().unwrap();
    assert!((1_900..2_000).contains(&served), "{served}");
    let shown = caveats(&measured);
    assert!(shown.contains(&"counted-time"), "{shown:?}");
    // Mercury's threads are Linux's, so its timer is not early and no switch is counted.
    assert!(!shown.contains(&"gravity") && !shown.contains(&"mode-switches"), "{shown:?}");
    let facts = prazo_run::store::open(&desk.path("a.prazo")).unwrap().platform_before.unwrap();
    assert_eq!(facts.get("xenomai.core"), Some("Mercury"));
    assert_eq!(facts.get("lab.platform"), Some(PLATFORM));
    assert_eq!(facts.get("lab.architecture"), Some("x86_64"));
    // The user's file is part of what decides the guest's trajectory.
    let without = image_without(&desk);
    assert_ne!(facts.get("lab.image_sha256"), Some(without.as_str()));
}

/// The image's checksum of a guest without an initramfs of the user's.
fn image_without(desk: &Desk) -> String {
    desk.prazo("measure timer --platform lab:standard-full -D 1s --plain -o plain.prazo").expect_code(0);
    let facts = prazo_run::store::open(&desk.path("plain.prazo")).unwrap().platform_before.unwrap();
    facts.get("lab.image_sha256").unwrap().to_owned()
}

/// Each boot of an explanation repeats the tool's figures, too.
#[test]
fn the_worst_activation_of_the_tool_is_explained() {
    or_skip!(lab());
    let desk = Desk::new();
    or_skip!(initramfs(&desk, "usr/xenomai/bin/latency"));
    let platform = include_str!("../../../measuring/lab/platforms/standard-full.toml");
    desk.write("mercury.toml", format!("{platform}initrd = \"mercury.cpio\"\n"));
    desk.prazo("measure xenomai --platform lab:mercury.toml -D 2s --plain -o a.prazo").expect_code(0);
    let explain = "lab explain a.prazo --platform lab:mercury.toml";
    let explained = desk.prazo(&format!("{explain} --worst 2 --profile --json")).expect_code(0).json();
    let run = prazo_run::store::open(&desk.path("a.prazo")).unwrap();
    let series = run.of(Quantity::ResponseLatency).next().unwrap();
    let latency = |place: usize| explained["worst"][place]["latency_ns"].as_i64().unwrap();
    assert!(latency(0) >= latency(1) && latency(1) > 0);
    assert_eq!(explained["profile"]["activations"], series.activations.served);
    // The tool cuts its figures to a microsecond.
    let sum_ns: i64 = series.histogram.cells().map(|(edge, count)| edge * count as i64).sum();
    let sum_found = explained["profile"]["latency"]["total_ns"].as_i64().unwrap();
    let most = sum_ns + 1_000 * series.activations.served as i64;
    assert!((sum_ns..most).contains(&sum_found), "{sum_found} is not from {sum_ns} to {most}");
    let sentence = explained["worst"][0]["sentence"].as_str().unwrap();
    assert!(
        sentence.contains("in the interrupt") && sentence.contains("in latency until it read the clock"),
        "{sentence}"
    );
    let beyond = format!("{explain} --worst 2000");
    desk.prazo(&beyond).expect_code(2).expect_error(&["--worst", "give at most 1,000"]);
    desk.prazo("lab bound a.prazo --platform lab:mercury.toml").expect_code(2).expect_error(&["tool", "no bound yet"]);
}

#[test]
fn two_boots_with_the_same_initramfs_are_equal() {
    or_skip!(lab());
    let desk = Desk::new();
    or_skip!(initramfs(&desk, "usr/xenomai/bin/latency"));
    let csv = |file: &str| {
        desk.prazo(&format!("{MEASURE} --initrd mercury.cpio -o {file}")).expect_code(0);
        desk.prazo(&format!("export {file} --format csv")).expect_code(0).stdout
    };
    let [first, second] = ["a.prazo", "b.prazo"].map(csv);
    assert!(first.lines().count() > 1);
    assert_eq!(first, second);
}

#[test]
fn a_guest_without_the_tool_says_what_was_looked_for() {
    or_skip!(lab());
    let desk = Desk::new();
    let plain = format!("{MEASURE} -o a.prazo");
    desk.prazo(&plain).expect_error(&["no Xenomai core", "/usr/xenomai/bin/latency"]);
    // A core's user space without this tool.
    or_skip!(initramfs(&desk, "usr/xenomai/demo/cyclictest"));
    let missing = format!("{plain} --initrd mercury.cpio");
    desk.prazo(&missing).expect_error(&["'latency' was not found in /usr/xenomai/bin, /usr/xenomai/demo"]);
    or_skip!(initramfs(&desk, "usr/xenomai/bin/latency"));
    let handler = format!("{missing} --context handler");
    desk.prazo(&handler).expect_error(&["Mercury", "--context user"]);
    let starving = format!("{missing} -i 10us");
    desk.prazo(&starving).expect_error(&["single processor"]);
    assert!(!desk.path("a.prazo").exists());
}

#[test]
fn an_initramfs_needs_a_guest_and_must_be_there() {
    let desk = Desk::new();
    desk.write("mercury.cpio", "");
    desk.prazo("measure timer -D 1s --initrd mercury.cpio").expect_code(2).expect_error(&["--initrd", "--platform"]);
    desk.prazo("measure timer -D 1s --platform lab:rt-full --initrd nowhere.cpio")
        .expect_code(2)
        .expect_error(&["--initrd", "nowhere.cpio"]);
}
