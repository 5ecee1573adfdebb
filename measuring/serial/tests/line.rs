//! The line from end to end: what the target's side sends is read as it was meant, and whatever happens to it on its way is counted
//! or refused.

use prazo_run::run::{Ending, Quantity};
use prazo_run::{Run, Series};
use prazo_serial::{
    Board, BoardEmulator, EmulatedGuest, Received, Request, SerialError, SerialSource, TASKS_FACT, measure,
};
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
    tasks: Some(5),
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
    let facts = run.platform_before.unwrap();
    assert_eq!((facts.get("serial.kernel"), facts.get(TASKS_FACT)), (Some("rtic-2"), Some("5")));
}

#[test]
fn lines_of_the_first_version_are_still_read() {
    let of_first = |sent: &String| {
        let body = sent.rsplit_once('*').unwrap().0.replacen("$PZ2", "$PZ1", 1);
        line(body.strip_suffix(",fixed,-,5").map_or(body.clone(), |header| format!("{header},fixed,-")).as_str())
    };
    let first: Vec<String> = lines(&sent()).iter().map(|sent| of_first(sent).trim().to_owned()).collect();
    assert!(first[0].starts_with("$PZ1,0000,H,rtic-2"), "{}", first[0]);
    let (old, new) = (run_of(&first), run_of(&lines(&sent())));
    assert_eq!((old.series, old.caveats), (new.series, new.caveats));
    assert_eq!(old.platform_before.unwrap().get(TASKS_FACT), None);
}

#[test]
fn the_cost_of_a_release_may_be_that_of_one_job() {
    let mut bytes = Vec::new();
    let mut line = Line::new(|byte| bytes.push(byte));
    line.header(&TARGET);
    line.overhead("release-overhead-per-job", 0, 3);
    line.end(0);
    let run = run_of(&lines(&bytes));
    assert_eq!(series(&run, Quantity::ReleaseOverheadPerJob).histogram.cells().collect::<Vec<_>>(), [(240, 1)]);
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
    assert!(refused("$PZ3,0000,H,whatever").contains("version 3"), "{}", refused("$PZ3,0000,H,whatever"));
    for (header, why) in [
        ("2,0000,H,k,b,1000,24,8388608,fixed,-,-", "wraps"),
        ("2,0000,H,k,b,1000,65,10,fixed,-,-", "65 bits"),
        ("2,0000,H,k,b,0,32,10,fixed,-,-", "increments 0 times"),
        ("2,0000,H,k,b,1000,32,10,fast,-,-", "fast"),
        ("2,0000,H,k,b,1000,32,10,fixed,-,0", "H,...,0: the number of tasks"),
        ("2,0000,H,k,b,1000,32,10,fixed,-,many", "H,...,many: the number of tasks"),
        // A line of one version with the fields of the other.
        ("2,0000,H,k,b,1000,32,10,fixed,-", "H,k,b"),
        ("1,0000,H,k,b,1000,32,10,fixed,-,5", "H,k,b"),
        ("1,0000,H,k,b,1000,32,10,fixed", "H,k,b"),
    ] {
        let error = refused(&format!("$PZ{header}"));
        assert!(error.contains(why), "{header}: {error}");
    }
}

#[test]
fn stamps_beyond_the_counter_are_counted_and_not_measured() {
    let mut all = lines(&sent());
    all.insert(1, line("$PZ2,0001,S,1,1000000,1,2").trim().into());
    let received = received((all.join("\n") + "\n").as_bytes()).unwrap();
    assert_eq!((received.impossible, received.repeated), (1, 1), "and the next line has its number");
}

#[test]
fn a_recorded_file_is_read_like_a_device() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), sent()).unwrap();
    let limit = prazo_core::time::Duration::from_s(10);
    let request = Request { place: SerialSource::Device(file.path().into(), 115_200), limit };
    let run = measure(&request, &|| false).unwrap();
    assert_eq!(series(&run, Quantity::ResponseLatency).histogram.total(), 19);
    let missing = Request { place: SerialSource::Device("/nowhere/tty".into(), 115_200), limit };
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

    prazo_header("rtic-2", "lm3s6965evb", 12500000, 24, 12500, "fixed", "-", 5);
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
    /// Whatever a target says of itself is read as it was said, the number of tasks included.
    #[test]
    fn every_header_is_read_as_it_was_sent(
        hz in 1u64.., bits in 8u8..=64, tasks in prop::option::of(1u32..=1_000_000), load in "-|[a-z0-9.=]{1,20}",
    ) {
        let target = Target { hz, bits, period: 1, tasks, load: &load, ..TARGET };
        let mut bytes = Vec::new();
        Line::new(|byte| bytes.push(byte)).header(&target);
        let header = received(&bytes).unwrap().header.unwrap();
        prop_assert_eq!((header.hz, header.bits, header.period, header.tasks), (hz, bits, 1, tasks));
        prop_assert_eq!(header.load, Some(load).filter(|load| load != "-"));
    }

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
        let tasks = read.header.as_ref().and_then(|header| header.tasks);
        prop_assert_eq!(tasks, TARGET.tasks, "the number of tasks is part of what is checked");
        let says_so = run.has_caveat("serial-lines-lost") || run.has_caveat("serial-cut-off");
        prop_assert!(read.taken == good.taken || says_so, "{} of {} without a word", read.taken, good.taken);
    }
}

/// A script in the place of the emulator.
fn scripted(folder: &Path, script: &str) -> Request {
    use std::os::unix::fs::PermissionsExt;
    let (program, image) = (folder.join("emulator"), folder.join("image.elf"));
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(&image, "an image").unwrap();
    std::fs::write(folder.join("sent.txt"), sent()).unwrap();
    let emulator = BoardEmulator {
        program,
        arguments: vec!["-L".into(), "firmware".into()],
        environment: vec![("SENT".into(), folder.join("sent.txt").into())],
        facts: vec![("emulator", "QEMU emulator version 0".into())],
    };
    let board = Board::find("lm3s6965evb").unwrap();
    let guest = EmulatedGuest { image, board, shift: 6, emulator };
    Request { place: SerialSource::Guest(guest), limit: prazo_core::time::Duration::from_s(20) }
}

#[test]
fn a_board_is_emulated_by_the_given_program_and_the_run_says_what_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let run = measure(&scripted(folder.path(), "echo $@ >&2; cat $SENT"), &|| false).unwrap();
    assert_eq!(series(&run, Quantity::ResponseLatency).histogram.total(), 19);
    assert!(run.has_caveat("counted-time"));
    let facts = run.platform_before.unwrap();
    for (name, value) in [
        ("serial.instruction_ns", "64"),
        ("serial.machine", "lm3s6965evb"),
        ("serial.processor", "Arm Cortex-M3"),
        ("serial.architecture", "armv7-m"),
        ("serial.emulator", "QEMU emulator version 0"),
    ] {
        assert_eq!(facts.get(name), Some(value), "{name}");
    }
    let command = facts.get("serial.command").unwrap();
    assert!(command.starts_with("-M lm3s6965evb ") && command.contains("-icount shift=6,sleep=off"), "{command}");
}

#[test]
fn an_emulator_that_ends_by_itself_is_quoted_in_its_own_words() {
    let folder = tempfile::tempdir().unwrap();
    let error = |script: &str| measure(&scripted(folder.path(), script), &|| false).unwrap_err().to_string();
    let said = error("echo 'qemu: fatal: Lockup' >&2; echo >&2; echo 'R00=00000000' >&2; exit 1");
    assert!(said.contains("exit status: 1") && said.contains("'qemu: fatal: Lockup; R00=00000000'"), "{said}");
    // A board that prints something else is no failure of the emulator.
    let other = error("echo 'U-Boot 2024.01'");
    assert!(other.contains("no header line arrived"), "{other}");
    let silent = error("exit 3");
    assert!(silent.contains("exit status: 3") && silent.contains("said nothing"), "{silent}");
    let both = error("echo 'U-Boot 2024.01'; echo 'qemu: fatal: Lockup' >&2; exit 1");
    assert!(both.contains("received: 1 other line") && both.contains("Lockup"), "{both}");
    // One that ended well has failed at nothing, whatever it says.
    let well = error("echo 'qemu: warning' >&2; exit 0");
    assert!(well.contains("no header line arrived") && !well.contains("the emulator ended"), "{well}");
}

#[test]
fn what_a_child_of_the_emulator_keeps_open_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let begun = std::time::Instant::now();
    let script = "echo 'qemu: fatal: Lockup' >&2; sleep 8 >/dev/null & exit 1";
    let said = measure(&scripted(folder.path(), script), &|| false).unwrap_err().to_string();
    assert!(said.contains("Lockup") && begun.elapsed().as_secs() < 6, "{said}, after {:?}", begun.elapsed());
}

#[test]
fn an_emulator_that_says_much_is_not_held_up() {
    let folder = tempfile::tempdir().unwrap();
    let script = "i=0; while [ $i -lt 20000 ]; do echo 'guest error: unimplemented' >&2; i=$((i+1)); done; cat $SENT";
    let run = measure(&scripted(folder.path(), script), &|| false).unwrap();
    assert_eq!(series(&run, Quantity::ResponseLatency).histogram.total(), 19);
}
