//! Priority inheritance: who holds what the most urgent wants is not kept from giving it back.

use crate::machine::{Shift, boot, console};
use prazo_testing::or_skip;

/// The instant, in microseconds, at which `task` completes.
fn completion_us(console: &str, task: u64) -> u64 {
    let line = console.lines().find(|line| line.contains(&format!(" completion {task} 0 "))).unwrap();
    line.split(' ').nth(2).unwrap().parse::<u64>().unwrap() / 1_000
}

/// Task 0 arrives at 10 ms, when task 2 has had half its 20 ms within the mutex; task 1 wants 40 ms from 14 ms on.
#[test]
fn the_middle_thread_does_not_hold_up_the_most_urgent_one() {
    let ended = or_skip!(boot("single-edf", 1, Shift(0), "inversion duration_ms=100"));
    let text = console(&ended);
    let [urgent, middle, least] = [0, 1, 2].map(|task| completion_us(&text, task));
    assert!((24_000..24_100).contains(&urgent), "10 ms of the mutex are left at 10 ms, then 4 ms: {urgent} us");
    assert!((64_000..64_200).contains(&middle), "{middle} us");
    assert!((64_000..64_300).contains(&least), "it had all its time, and only then a processor: {least} us");
    let happens = |what: &str| text.lines().filter(|line| line.contains(what)).count();
    assert_eq!((happens(" inheritance 2 "), happens(" disinheritance 2 ")), (1, 1), "{text}");
}

/// Without mutexes nested threads only preempt each other: what a mutex adds is counted from there.
#[test]
fn three_nested_threads_switch_four_times_more_with_mutexes_than_without() {
    let switches = |locks: u8| {
        let ended = boot("single-edf", 1, Shift(3), &format!("nested locks={locks} duration_ms=200"))?;
        let text = console(&ended);
        let until_the_urgent_ends = text.lines().take_while(|line| !line.contains(" completion 0 0 "));
        Ok(until_the_urgent_ends.filter(|line| line.contains(" dispatch ")).count() - 1)
    };
    let (without, with) = (or_skip!(switches(0)), or_skip!(switches(1)));
    assert_eq!((without, with), (2, 6));
}
