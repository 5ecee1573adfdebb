//! Priority inheritance: who holds what the most urgent wants is not kept from giving it back.

use crate::machine::{Shift, boot, console, lab, xtask};

/// The instant, in microseconds, at which `task` completes.
fn completion_us(console: &str, task: u64) -> u64 {
    let line = console.lines().find(|line| line.contains(&format!(" completion {task} 0 "))).unwrap();
    line.split(' ').nth(2).unwrap().parse::<u64>().unwrap() / 1_000
}

/// Task 0 arrives at 10 ms, when task 2 has had half its 20 ms within the mutex; task 1 wants 40 ms from 14 ms on.
#[test]
fn the_middle_thread_does_not_hold_up_the_most_urgent_one() {
    let Some(ended) = boot("single-edf", 1, Shift(0), "inversion duration_ms=100") else { return };
    let text = console(&ended);
    let [urgent, middle, least] = [0, 1, 2].map(|task| completion_us(&text, task));
    assert!((24_000..24_100).contains(&urgent), "10 ms of the mutex are left at 10 ms, then 4 ms: {urgent} us");
    assert!((64_000..64_200).contains(&middle), "{middle} us");
    assert!((64_000..64_300).contains(&least), "it had all its time, and only then a processor: {least} us");
    let happens = |what: &str| text.lines().filter(|line| line.contains(what)).count();
    assert_eq!((happens(" inheritance 2 "), happens(" disinheritance 2 ")), (1, 1), "{text}");
}

/// papers/003: unbounded without inheritance, bounded with it, at four switches more for three nested threads.
#[test]
fn waits_and_switches_are_the_simulators_with_and_without_inheritance() {
    if !lab() {
        return;
    }
    let told = xtask(&["kernel", "inversion", "--middle", "40ms,80ms"]);
    let switches = |name: &str| {
        let line = told.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name}: {told}"));
        line.split_whitespace().rev().nth(1).unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(["plain-80ms", "inherit-80ms", "nested-inherit"].map(switches), [5, 3, 6], "{told}");
}
