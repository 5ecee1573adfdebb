//! Many switches on eight processors: nobody is lost, nothing runs twice, nothing stops.

use crate::checker::{Checker, Periodic};
use crate::figures::figure;
use crate::machine::{SHAPES_OF_EIGHT, Shift, boot, console};
use prazo_testing::or_skip;

const PROCESSORS: u32 = 8;
/// Every thread had its last turn within so long of the run's end; it has some ten thousand of them in each 100 ms.
const SILENT_NS_MOST: u64 = 2_000_000;
const TASKS: u64 = 40;
const DURATION_MS: u64 = 1_100;

#[test]
fn a_million_switches_of_each_shape_on_eight_processors_lose_nobody() {
    for (shape, _) in SHAPES_OF_EIGHT {
        let words = "ping-pong threads=8 duration_ms=600 parts=1";
        let ended = or_skip!(boot(shape, PROCESSORS, Shift(0), words));
        let text = console(&ended);
        let line = text.lines().find_map(|line| line.strip_prefix("prazo: turns ")).unwrap();
        let numbers: Vec<u64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [turns, fewest, silent_ns] = numbers[..] else { panic!("{line}") };
        let switches = figure(&text, "cost switch", "count") + figure(&text, "cost switch", "lost");
        println!("{shape}: {switches} switches, {line}");
        assert!(switches > 1_000_000 && turns > 500_000, "{shape}: {switches} switches, {turns} turns");
        assert!(silent_ns < SILENT_NS_MOST, "{shape}: a thread was not woken any more: {line}");
        // A pair over two processors has one turn each time that the emulator goes round.
        assert!(fewest * 256 > turns, "{shape}: a pair hardly runs: {line}");
    }
}

/// Nearly all that the processors can do, in periods of 0.7 to 3.6 ms: preemptions and migrations all along.
fn busy(queues: u64) -> Vec<Periodic> {
    let task = |task| {
        let period_ns = 700_000 + 130_000 * (task * 7 % 23);
        Periodic { period_ns, offset_ns: task * 37_000, queue: task % queues }
    };
    (0..TASKS).map(task).collect()
}

fn words(tasks: &[Periodic], duration_ms: u64) -> String {
    let task = |task: &Periodic| {
        let [period_us, offset_us] = [task.period_ns / 1_000, task.offset_ns / 1_000];
        format!(" task={},{period_us},{period_us},{offset_us},{}", period_us * 19 / 100, task.queue)
    };
    let tasks: String = tasks.iter().map(task).collect();
    format!("scenario duration_ms={duration_ms}{tasks}")
}

#[test]
fn a_hundred_thousand_dispatches_hold_together() {
    let mut dispatches = 0;
    for (shape, heads) in SHAPES_OF_EIGHT {
        let tasks = busy(heads.len() as u64);
        let ended = or_skip!(boot(shape, PROCESSORS, Shift(3), &words(&tasks, DURATION_MS)));
        let text = console(&ended);
        assert!(text.contains("events_lost 0"), "{shape}: the trace is not whole");
        let mut checker = Checker::new(&tasks, heads);
        text.lines().filter(|line| line.starts_with("event ")).for_each(|line| checker.take(line));
        let Checker { events, overtaken, .. } = checker;
        println!("{shape}: {events} events, {} dispatches, {overtaken} ended before the interrupt", checker.dispatches);
        assert!(overtaken * 10 < checker.dispatches, "{shape}: interrupts do not arrive");
        dispatches += checker.dispatches;
    }
    assert!(dispatches > 100_000, "{dispatches} dispatches");
}
