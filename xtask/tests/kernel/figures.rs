//! Costs in instructions, one a nanosecond: as the design promises, and flat in the number of threads.

use crate::machine::{SHAPES, Shift, boot, console};

/// The value behind `key` in the line that begins with `line`.
fn figure(console: &str, line: &str, key: &str) -> u64 {
    let line =
        console.lines().find(|found| found.starts_with(line)).unwrap_or_else(|| panic!("no '{line}'\n{console}"));
    let mut words = line.split(' ').skip_while(|word| *word != key);
    words.nth(1).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("no '{key}' in '{line}'"))
}

fn run(shape: &str, heads: &[u32], words: &str) -> Option<String> {
    boot(shape, heads.iter().sum(), Shift(0), words).map(|ended| console(&ended))
}

#[test]
fn every_release_of_ten_virtual_seconds_is_served() {
    for (shape, heads) in SHAPES {
        let Some(text) = run(shape, heads, "measure threads=125 duration_ms=10000") else { return };
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
            Some((figure(&text, "cost release_to_thread", "median"), figure(&text, "cost block", "median")))
        };
        let (Some((few, _)), Some((many, block))) = (median(5), median(125)) else { return };
        let limit = if heads.iter().sum::<u32>() == 1 { 500 } else { 700 };
        assert!(many <= limit, "{shape}: {many} instructions from handler entry to released thread");
        assert!(many * 5 <= few * 6, "{shape}: {many} with 125 threads, {few} with 5");
        assert!(block <= 300, "{shape}: {block} from blocking to the next thread");
    }
}

#[test]
fn the_switch_itself_takes_less_than_60_instructions() {
    let Some(text) = run("single-edf", &[1], "measure threads=25 duration_ms=1000 parts=1") else { return };
    assert!(figure(&text, "cost switch", "max") < 60, "{text}");
}
