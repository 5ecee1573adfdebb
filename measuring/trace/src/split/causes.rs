//! The causes of one run's worst latencies, while it lasts: the events are asked for before they are overwritten.

use super::cause::{self, Window};
use super::events::{Events, Stretch};
use super::record::{Event, RecordKind};
use prazo_run::run::WorstSample;
use prazo_run::split::{CAUSES_KEPT, SampleExplanation};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A sample that may be one of the worst, with its place in time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// The sample, as the run file will list it.
    pub sample: WorstSample,
    /// Its place on CLOCK_MONOTONIC.
    pub window: Window,
    /// The way from the card's interrupt to its thread, which lies in front of that; `None` where there is no such thread.
    pub front: Option<Front>,
}

/// From a hard interrupt to the start of its thread, on CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Front {
    /// The hard entry.
    pub from_ns: u64,
    /// The thread's start.
    pub to_ns: u64,
}

/// Two programs stamp one switch, one behind the other.
const NEAR_NS: u64 = 5_000;

impl Candidate {
    /// The first instant that something is asked of.
    fn begins_ns(&self) -> u64 {
        self.front.map_or(self.window.from_ns, |front| front.from_ns)
    }
}

/// The worst of one series, with their causes.
#[derive(Debug, Default)]
pub(crate) struct Causes {
    kept: Vec<SampleExplanation>,
}

impl Causes {
    /// Takes those of a second that are worse than the least of the kept, and looks at their events.
    pub(crate) fn offer(&mut self, mut candidates: Vec<Candidate>, events: &Events, devices: &mut Devices) {
        let floor = self.kept.get(CAUSES_KEPT - 1).map(|least| least.sample.latency_ns);
        candidates.retain(|one| floor.is_none_or(|floor| one.sample.latency_ns > floor));
        candidates.sort_by_key(|one| std::cmp::Reverse(one.sample.latency_ns));
        candidates.truncate(CAUSES_KEPT);
        let cpus: BTreeSet<u32> = candidates.iter().map(|one| one.window.cpu).collect();
        for cpu in cpus {
            let here: Vec<&Candidate> = candidates.iter().filter(|one| one.window.cpu == cpu).collect();
            let from_ns = here.iter().map(|one| one.begins_ns()).min().unwrap_or(u64::MAX);
            let stretch = events.since(cpu, from_ns);
            stretch.events.iter().for_each(|event| devices.learn(event));
            self.kept.extend(here.into_iter().map(|one| explained(one, &stretch, devices)));
        }
        self.kept.sort_by_key(|cause| (std::cmp::Reverse(cause.sample.latency_ns), cause.sample.activation));
        self.kept.truncate(CAUSES_KEPT);
    }

    /// The causes so far, worst first.
    pub(crate) fn kept(&self) -> &[SampleExplanation] {
        &self.kept
    }

    /// The causes, worst first.
    pub(crate) fn into_kept(self) -> Vec<SampleExplanation> {
        self.kept
    }
}

fn explained(one: &Candidate, stretch: &Stretch, devices: &Devices) -> SampleExplanation {
    let shares = cause::shares(&one.window, stretch, &|number| devices.name(number));
    let mut sentence = cause::sentence(one.sample.latency_ns, &shares, cause::moved_to(&one.window, stretch));
    if let Some(front) = in_front(one, stretch, devices) {
        sentence += &format!("; before this latency, the time from the interrupt to its thread was {front}");
    }
    SampleExplanation { sample: one.sample, sentence, shares }
}

/// What ran between the interrupt and its thread, where this processor's events show the thread's start.
fn in_front(one: &Candidate, stretch: &Stretch, devices: &Devices) -> Option<String> {
    let Front { from_ns, to_ns } = one.front?;
    let starts = |event: &&Event| {
        event.kind == RecordKind::Switch
            && event.name.text().starts_with("irq/")
            && event.at_ns.abs_diff(to_ns) < NEAR_NS
    };
    let thread = stretch.events.iter().find(starts)?;
    let (thread_id, priority) = (thread.id as u32, Some(thread.extra));
    let window = Window { thread_id, priority, from_ns, waking_ns: from_ns, to_ns, ..one.window };
    let shares = cause::shares(&window, stretch, &|number| devices.name(number));
    Some(cause::sentence(to_ns.saturating_sub(from_ns) as i64, &shares, None))
}

/// Who is behind each interrupt number.
#[derive(Debug, Default)]
pub(crate) struct Devices(RefCell<BTreeMap<i32, String>>);

impl Devices {
    /// Remembers who is behind an interrupt.
    pub(crate) fn learn(&mut self, event: &Event) {
        if matches!(event.kind, RecordKind::Interrupt(_)) {
            self.0.get_mut().entry(event.id).or_insert_with(|| actions(event.id));
        }
    }

    /// The same, asked of the kernel once where nobody has learned it.
    pub(crate) fn name_now(&self, number: i32) -> String {
        self.0.borrow_mut().entry(number).or_insert_with(|| actions(number)).clone()
    }

    /// The name behind an interrupt; the number where nobody says.
    pub(crate) fn name(&self, number: i32) -> String {
        self.0.borrow().get(&number).cloned().unwrap_or_else(|| number.to_string())
    }
}

/// The names that the drivers gave; the number where nobody says.
fn actions(number: i32) -> String {
    let text = std::fs::read_to_string(format!("/sys/kernel/irq/{number}/actions")).unwrap_or_default();
    let name = text.trim();
    if name.is_empty() { number.to_string() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::record::Edge;
    use super::*;

    fn event(at_us: u64, kind: RecordKind, id: i32, extra: i16, name: &str) -> Event {
        Event { at_ns: at_us * 1_000, kind, extra, id, name: name.into() }
    }

    /// The card interrupts cc1 at 10 µs, whose thread starts at 100 µs and stamps the frame at 110 us; ours runs at 150 us.
    fn stretch(cpu_shows_the_thread: bool) -> Stretch {
        let mut events = vec![
            event(0, RecordKind::Switch, 5, 120, "cc1"),
            event(10, RecordKind::Interrupt(Edge::Begin), 24, 0, ""),
            event(14, RecordKind::Interrupt(Edge::End), 24, 0, ""),
            event(99, RecordKind::Switch, 30, 49, "irq/24-eth0"),
            event(140, RecordKind::Switch, 77, 4, "ours"),
        ];
        events.retain(|event| cpu_shows_the_thread || !event.name.text().starts_with("irq/"));
        Stretch { complete_from_ns: 0, events }
    }

    fn candidate(front: Option<Front>) -> Candidate {
        let window =
            Window { cpu: 1, thread_id: 77, priority: Some(4), from_ns: 110_000, waking_ns: 120_000, to_ns: 150_000 };
        let sample = WorstSample { at_ns: 0, latency_ns: 40_000, activation: 1 };
        Candidate { sample, window, front }
    }

    #[test]
    fn what_ran_between_the_interrupt_and_its_thread_is_named() {
        let front = Some(Front { from_ns: 10_000, to_ns: 100_000 });
        let explanation = |front, shown| explained(&candidate(front), &stretch(shown), &Devices::default()).sentence;
        let sentence = explanation(front, true);
        assert!(
            sentence.ends_with(
                "; before this latency, the time from the interrupt to its thread was 90 µs: 85 µs cc1 not preempted"
            ),
            "{sentence}"
        );
        assert!(
            !explanation(front, false).contains("before this latency"),
            "another processor's thread is not seen here"
        );
        assert!(!explanation(None, true).contains("before this latency"));
        assert_eq!((candidate(front).begins_ns(), candidate(None).begins_ns()), (10_000, 110_000));
    }
}
