//! Costs in instructions, one a nanosecond: as the design promises, and flat in the number of threads.

use crate::machine::{SHAPES, Shift, boot, console};
use prazo_testing::{Skipped, or_skip};

/// The value behind `key` in the line that begins with `line`.
pub(crate) fn figure(console: &str, line: &str, key: &str) -> u64 {
    let line =
        console.lines().find(|found| found.starts_with(line)).unwrap_or_else(|| panic!("no '{line}'\n{console}"));
    let mut words = line.split(' ').skip_while(|word| *word != key);
    words.nth(1).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("no '{key}' in '{line}'"))
}

fn run(shape: &str, heads: &[u32], words: &str) -> Result<String, Skipped> {
    boot(shape, heads.iter().sum(), Shift(0), words).map(|ended| console(&ended))
}

#[test]
fn every_release_of_ten_virtual_seconds_is_served() {
    for (shape, heads) in SHAPES {
        let text = or_skip!(run(shape, heads, "measure threads=125 duration_ms=10000"));
        let [due, arrived, served] = ["due", "arrived", "served"].map(|key| figure(&text, "jobs ", key));
        assert!(due > 80_000, "{shape}: {due} jobs due");
        assert_eq!((arrived, due), (due, arrived), "{shape}");
        assert!(due - served <= 2, "{shape}: {served} of {due} served; those of the last instant may be missing");
    }
}

#[test]
fn a_release_costs_as_much_with_125_threads_as_with_5() {
    for (shape, heads) in SHAPES {
        let median = |threads: u32| {
            let text = run(shape, heads, &format!("measure threads={threads} duration_ms=1000"))?;
            // Five threads seldom need another processor than the one whose timer is set.
            let is_shared = heads.iter().any(|heads| *heads > 1);
            let remote =
                (is_shared && threads == 125).then(|| figure(&text, "cost remote_release_to_thread", "median"));
            Ok((figure(&text, "cost release_to_thread", "median"), figure(&text, "cost block", "median"), remote))
        };
        let ((few, _, _), (many, block, remote)) = (or_skip!(median(5)), or_skip!(median(125)));
        assert!(remote.is_none_or(|remote| remote < 900), "{shape}: {remote:?} to the thread on another processor");
        let limit = if heads.iter().sum::<u32>() == 1 { 500 } else { 700 };
        assert!(many <= limit, "{shape}: {many} instructions from handler entry to released thread");
        assert!(many * 5 <= few * 6, "{shape}: {many} with 125 threads, {few} with 5");
        assert!(block <= 300, "{shape}: {block} from blocking to the next thread");
    }
}

/// Each thread more urgent than those before it, which is the most work that a queue can have.
#[test]
fn threads_that_are_released_together_are_served_in_25_000_instructions() {
    for (shape, heads) in [("single-edf", &[1][..]), ("global-edf", &[4])] {
        let text = or_skip!(run(shape, heads, "together threads=125 duration_ms=200"));
        let max = figure(&text, "cost release_to_thread", "max");
        assert!((125..25_000).contains(&max), "{shape}: {max} instructions with interrupts off");
        let [due, served] = ["due", "served"].map(|key| figure(&text, "jobs ", key));
        assert_eq!((due, served), (1_250, 1_250), "{shape}: ten times 125 jobs, none lost where alarms are swept");
    }
}

/// With four heads the least urgent one is searched; that is what the last instructions are for.
#[test]
fn the_worst_insertion_takes_less_than_250_instructions_with_up_to_two_heads_and_260_with_four() {
    for (heads, limit) in [(1, 250), (2, 250), (4, 260)] {
        let words = format!("insertion threads=125 heads={heads} duration_ms=1");
        let text = or_skip!(run("single-edf", &[1], &words));
        let [count, max] = ["count", "max"].map(|key| figure(&text, "cost insertion", key));
        assert!(count > 60_000 && max < limit, "{heads} heads: {max} instructions at worst, of {count}");
    }
}

#[test]
fn the_switch_itself_takes_less_than_60_instructions() {
    let text = or_skip!(run("single-edf", &[1], "measure threads=25 duration_ms=1000 parts=1"));
    assert!(figure(&text, "cost switch", "max") < 60, "{text}");
}
