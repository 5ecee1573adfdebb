//! The line from end to end: what the target's side sends is read as it was meant, and whatever happens to it on its way is counted
//! or refused.

use prazo_run::run::{Ending, Quantity};
use prazo_run::{Run, Series};
use prazo_serial::{Place, Received, Request, SerialError, measure};
use prazo_serial_target::{Line, Target};
use prazo_testing::{Need, OrSkipped, Skipped, or_skip};
use proptest::prelude::*;
use std::path::Path;
use std::process::Command;

const TARGET: Target<'_> = Target {
    kernel: "rtic-2",
    board: "lm3s6965evb",
    hz: 12_500_000,
    bits: 24,
    period: 12_500,
    policy: "fixed",
    load: "-",
};

/// A period, a counter that wraps, 3 ticks to the handler and 10 to the task; activation 7 was skipped.
fn sent() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut line = Line::new(|byte| bytes.push(byte));
    line.header(&TARGET);
    for activation in (1..=20).filter(|number| *number != 7) {
        let due = (0xFF_F000 + activation * 12_500) & 0xFF_FFFF;
        let at = |after: u64| (due + after) & 0xFF_FFFF;
        line.sample(activation, Some(due), Some(at(3)), at(10 + activation));
    }
    line.overhead("context-switch-overhead", 0xFF_FFFE, 2);
    line.end(0);
    bytes
}

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8(bytes.to_vec()).unwrap().lines().map(str::to_owned).collect()
}

fn received(bytes: &[u8]) -> Result<Received, SerialError> {
    let mut received = Received::default();
    received.take(bytes).map(|()| received)
}

fn run_of(lines: &[String]) -> Run {
    received((lines.join("\r\n") + "\r\n").as_bytes()).unwrap().run("a test").unwrap()
}

fn series(run: &Run, quantity: Quantity) -> &Series {
    run.series.iter().find(|series| series.quantity == quantity).unwrap()
}

#[test]
fn a_load_of_the_target_was_not_started_by_prazo() {
    let mut bytes = Vec::new();
    let mut line = Line::new(|byte| bytes.push(byte));
    line.header(&Target { load: "radio", ..TARGET });
    line.sample(1, Some(12_500), Some(12_503), 12_511);
    line.end(0);
    let run = run_of(&lines(&bytes));
    assert_eq!((run.loads[0].name.as_str(), run.loads[0].contained.as_str()), ("radio", "not prazo's"));
}

#[test]
fn what_was_sent_is_read_with_counter_and_grid() {
    let run = run_of(&lines(&sent()));
    let response = series(&run, Quantity::ResponseLatency);
    // 11 to 30 increments of 80 ns.
    assert_eq!(response.histogram.cells().next().unwrap(), (880, 1));
    assert_eq!(response.histogram.cells().next_back().unwrap(), (2_400, 1));
    assert_eq!(
        (response.worst[0].latency_ns, response.worst[0].at_ns, response.worst[0].activation),
        (2_400, 19_000_000, 20)
    );
    let activations = response.activations;
    assert_eq!(
        (activations.due, activations.served, activations.skipped, activations.lost),
        (Some(20), 19, Some(1), 0)
    );
    assert_eq!(series(&run, Quantity::InterruptLatency).histogram.cells().collect::<Vec<_>>(), [(240, 19)]);
    assert_eq!(series(&run, Quantity::ContextSwitchOverhead).histogram.cells().collect::<Vec<_>>(), [(320, 1)]);
    assert_eq!((run.ending, run.caveats), (Ending::Complete, Vec::new()));
    assert_eq!(run.platform_before.unwrap().get("serial.kernel"), Some("rtic-2"));
}

#[test]
fn other_words_of_the_target_are_no_fault() {
    let mut all = lines(&sent());
    all.insert(0, "U-Boot 2024.01".into());
    all.insert(5, "task started, $ free".into());
    assert_eq!(run_of(&all).caveats, Vec::new());
}

#[test]
fn dropped_lines_are_counted_and_are_no_skipped_activations() {
    let mut all = lines(&sent());
    all.drain(4..6);
    let run = run_of(&all);
    let activations = series(&run, Quantity::ResponseLatency).activations;
    assert_eq!(
        (activations.due, activations.served, activations.skipped, activations.lost),
        (Some(20), 19, Some(1), 2)
    );
    let lost = run.caveats.iter().find(|caveat| caveat.id == "serial-lines-lost").unwrap();
    assert!(lost.what.contains("2 lines"), "{}", lost.what);
}

#[test]
fn a_dropped_byte_damages_its_line_alone() {
    let mut all = lines(&sent());
    all[3].remove(12);
    let received = received((all.join("\n") + "\n").as_bytes()).unwrap();
    assert_eq!((received.damaged, received.missing, received.taken), (1, 1, 19));
}

#[test]
fn repeated_lines_count_once() {
    let mut all = lines(&sent());
    all.insert(3, all[2].clone());
    let run = run_of(&all);
    assert!(run.has_caveat("serial-lines-repeated") && !run.has_caveat("serial-lines-lost"));
    assert_eq!(series(&run, Quantity::ResponseLatency).histogram.total(), 19);
}

#[test]
fn a_target_that_is_cut_off_or_restarts_or_was_late_to_be_heard_says_so() {
    let all = lines(&sent());
    let run = run_of(&all[..10]);
    assert!(run.has_caveat("serial-cut-off") && run.ending == Ending::Interrupted);
    let twice = [&all[..10], &all[..]].concat().join("\n") + "\n";
    assert!(matches!(received(twice.as_bytes()), Err(SerialError::Restarted { samples: 9 })));
    let headless = all[1..].join("\n") + "\n";
    assert!(matches!(received(headless.as_bytes()).unwrap().run("a test"), Err(SerialError::NoHeader { .. })));
}

/// A whole line with this body.
fn line(body: &str) -> String {
    let crc = !body.bytes().fold(u32::MAX, prazo_serial_target::crc32);
    format!("{body}*{crc:08x}\n")
}

#[test]
fn another_version_and_impossible_headers_are_refused() {
    let refused = |body: &str| received(line(body).as_bytes()).unwrap_err().to_string();
    assert!(refused("$PZ2,0000,H,whatever").contains("version 2"), "{}", refused("$PZ2,0000,H,whatever"));
    for (header, why) in [
        ("k,b,1000,24,8388608,fixed,-", "wraps"),
        ("k,b,1000,65,10,fixed,-", "65 bits"),
        ("k,b,0,32,10,fixed,-", "increments 0 times"),
        ("k,b,1000,32,10,fast,-", "fast"),
        ("k,b,1000,32,10,fixed", "H,k,b"),
    ] {
        let error = refused(&format!("$PZ1,0000,H,{header}"));
        assert!(error.contains(why), "{header}: {error}");
    }
}

#[test]
fn stamps_beyond_the_counter_are_counted_and_not_measured() {
    let mut all = lines(&sent());
    all.insert(1, line("$PZ1,0001,S,1,1000000,1,2").trim().into());
    let received = received((all.join("\n") + "\n").as_bytes()).unwrap();
    assert_eq!((received.impossible, received.repeated), (1, 1), "and the next line has its number");
}

#[test]
fn a_recorded_file_is_read_like_a_device() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), sent()).unwrap();
    let limit = prazo_core::time::Duration::from_s(10);
    let request = Request { place: Place::Device(file.path().into(), 115_200), limit };
    let run = measure(&request, &|| false).unwrap();
    assert_eq!(series(&run, Quantity::ResponseLatency).histogram.total(), 19);
    let missing = Request { place: Place::Device("/nowhere/tty".into(), 115_200), limit };
    assert!(measure(&missing, &|| false).unwrap_err().to_string().contains("/nowhere/tty"));
}

/// The same calls in C.
const IN_C: &str = r#"
#include <stdio.h>
static void prazo_put(unsigned char byte) { putchar(byte); }
#include "prazo_serial.h"
int main(void)
{
    uint64_t n, due;

    prazo_header("rtic-2", "lm3s6965evb", 12500000, 24, 12500, "fixed", "-");
    for (n = 1; n <= 20; n++) {
        if (n == 7)
            continue;
        due = (0xFFF000 + n * 12500) & 0xFFFFFF;
        prazo_sample(n, due, (due + 3) & 0xFFFFFF, (due + 10 + n) & 0xFFFFFF);
    }
    prazo_overhead("context-switch-overhead", 0xFFFFFE, 2);
    prazo_end(0);
    return 0;
}
"#;

fn sent_by_c() -> Result<Vec<u8>, Skipped> {
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("line.c"), folder.path().join("line"));
    std::fs::write(&source, IN_C).unwrap();
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../serial-target/include");
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-I"]).arg(include).arg(&source).arg("-o").arg(&program);
    let status = cc.status().or_skipped(Need::Program("cc"))?;
    assert!(status.success(), "the header does not compile");
    Ok(Command::new(program).output().unwrap().stdout)
}

#[test]
fn the_c_header_sends_the_same_bytes_as_the_crate() {
    let by_c = or_skip!(sent_by_c());
    assert_eq!(lines(&by_c), lines(&sent()));
}

proptest! {
    /// Flips, losses and repetitions of bytes anywhere: each sample that is taken is one that was sent, and if one is not taken, the
    /// run says so.
    #[test]
    fn random_corruption_is_never_silently_accepted(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..3), 1..12),
    ) {
        let good = received(&sent()).unwrap();
        let mut bytes = sent();
        for (place, byte, what) in changes {
            let place = place.index(bytes.len());
            match what {
                0 => bytes[place] = byte,
                1 => drop(bytes.remove(place)),
                _ => bytes.insert(place, bytes[place]),
            }
        }
        // Another version, an impossible header, no header or no sample at all: refused.
        let Ok(read) = received(&bytes) else { return Ok(()) };
        let Ok(run) = read.run("a test") else { return Ok(()) };
        for (quantity, values) in &read.samples {
            let sent = &good.samples[quantity];
            let of_activations = *quantity != Quantity::ContextSwitchOverhead;
            for value in values {
                let was_sent = sent.iter().any(|one| one.1 == value.1 && (!of_activations || one.0 == value.0));
                prop_assert!(was_sent, "{quantity:?} {value:?}");
            }
        }
        let says_so = run.has_caveat("serial-lines-lost") || run.has_caveat("serial-cut-off");
        prop_assert!(read.taken == good.taken || says_so, "{} of {} without a word", read.taken, good.taken);
    }
}
