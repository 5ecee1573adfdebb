//! Many switches on eight processors: nobody is lost, nothing runs twice, nothing stops.

use crate::machine::{Shift, boot, console};
use std::collections::{BTreeMap, BTreeSet};

const PROCESSORS: u32 = 8;
const SHAPES: [&str; 2] = ["clustered-edf-8", "global-edf-8"];

/// What a trace says of the processors and of the jobs, event by event; panics where it cannot be.
#[derive(Default)]
struct Checker {
    running: BTreeMap<u64, (u64, u64)>,
    ready: BTreeSet<(u64, u64)>,
    served: BTreeMap<u64, u64>,
    events: usize,
}

impl Checker {
    fn take(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let [task, job, cpu] = [4, 5, 6].map(|index| words[index].parse::<u64>().unwrap());
        self.events += 1;
        match words[3] {
            "release" => assert!(self.ready.insert((task, job)), "released twice: {line}"),
            "dispatch" => self.dispatch(task, job, cpu, line),
            "preemption" => self.leave(task, job, cpu, line),
            "completion" => self.complete(task, job, cpu, line),
            "miss" => assert!(self.served.get(&task).is_none_or(|served| *served <= job), "late after its end: {line}"),
            "arrival" | "migration" => {}
            _ => panic!("unexpected: {line}"),
        }
    }

    fn dispatch(&mut self, task: u64, job: u64, cpu: u64, line: &str) {
        assert!(self.ready.contains(&(task, job)), "dispatched before its release: {line}");
        assert!(!self.running.values().any(|(running, _)| *running == task), "runs twice: {line}");
        assert_eq!(self.running.insert(cpu, (task, job)), None, "the processor was taken: {line}");
    }

    fn leave(&mut self, task: u64, job: u64, cpu: u64, line: &str) {
        assert_eq!(self.running.remove(&cpu), Some((task, job)), "it did not run there: {line}");
    }

    fn complete(&mut self, task: u64, job: u64, cpu: u64, line: &str) {
        self.leave(task, job, cpu, line);
        assert!(self.ready.remove(&(task, job)), "not ready: {line}");
        let served = self.served.entry(task).or_default();
        assert_eq!(*served, job, "out of sequence: {line}");
        *served += 1;
    }
}

#[test]
fn a_million_switches_on_eight_processors_lose_nobody() {
    for shape in SHAPES {
        let words = "ping-pong threads=8 duration_ms=500 parts=1";
        let Some(ended) = boot(shape, PROCESSORS, Shift(0), words) else { return };
        let text = console(&ended);
        let line = text.lines().find_map(|line| line.strip_prefix("prazo: turns ")).unwrap();
        let numbers: Vec<u64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [turns, fewest] = numbers[..] else { panic!("{line}") };
        assert!(turns > 500_000, "{shape}: {turns} turns, each of two switches");
        assert!(fewest * 32 > turns, "{shape}: a pair has stopped: {line}");
    }
}

#[test]
fn an_overloaded_trace_holds_together() {
    let tasks: String = (0..40u64)
        .map(|task| {
            let period = 7_000 + 1_300 * (task * 7 % 23);
            format!(" task={},{period},{period},{},{}", period * 9 / 40, task * 370, task % 2)
        })
        .collect();
    let Some(ended) = boot("clustered-edf-8", PROCESSORS, Shift(3), &format!("scenario duration_ms=2000{tasks}"))
    else {
        return;
    };
    let text = console(&ended);
    let mut checker = Checker::default();
    text.lines().filter(|line| line.starts_with("event ")).for_each(|line| checker.take(line));
    assert!(checker.events > 10_000, "{} events", checker.events);
    assert!(text.contains("events_lost 0"), "the trace is not whole");
}
