//! Where the time of a busy loop's gaps went: each gap is laid over the events of its processor, net of nesting.
//!
//! ```text
//! loop    ───────┤ gap ├───────────────────┤ gap ├────
//! events            [irq [nmi] ] [softirq]     (none: firmware, hypervisor, exception)
//! ```
//! The loop runs in user space at both ends of a gap, so only the events within it matter, and its parts add up to it exactly:
//! non-maskable interrupts, interrupts, softirqs, other threads, and what no event covers. A gap whose events were overwritten is
//! not split, and counted with that reason. Some kernels trace the switch to a thread and not the switch away from it: that thread
//! has the time up to the end of the gap.

use crate::split::cause::{self, Window};
use crate::split::causes::Devices;
use crate::split::events::{Events, Stretch};
use crate::split::record::{Event, RecordKind};
use crate::split::{NoSplit, SeriesSplit};
use crate::thread_name::ThreadName;
use prazo_core::text::counted;
use prazo_platform::root::Root;
use prazo_run::plan::{Policy, Splitting};
use prazo_run::run::{Quantity, WorstSample};
use prazo_run::split::{CAUSES_KEPT, SampleExplanation, Share, SplitCounts, Splitter as By, Taker, Unsplit};
use prazo_run::store::{Sample, SeriesOpening, SeriesSecond};
use prazo_run::{Caveat, Plan, Severity};
use std::collections::BTreeMap;

/// The parts of a gap, in the order in which a run file keeps them.
pub const PARTS: [Quantity; 5] = [
    Quantity::NoiseNmi,
    Quantity::NoiseInterrupt,
    Quantity::NoiseSoftirq,
    Quantity::NoiseThread,
    Quantity::NoiseUnrecorded,
];

/// What splits the gaps of one run; everything it has in the kernel is gone when it is dropped.
pub struct NoiseSplitter {
    events: Events,
    devices: Devices,
    keeps_causes: bool,
    threads: Vec<Thread>,
    start_ns: u64,
}

/// One loop.
struct Thread {
    cpu: u32,
    thread_id: u32,
    priority: Option<i16>,
    counts: SplitCounts,
    causes: Vec<SampleExplanation>,
    unrecorded: Unrecorded,
    /// Time of the gaps that were split, and of those that were not.
    split_ns: u64,
    unsplit_ns: u64,
}

/// Gaps in which nothing was recorded at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Unrecorded {
    gaps: u64,
    sum_ns: u64,
    longest_ns: u64,
}

impl NoiseSplitter {
    /// Attaches to the processors of `plan`; under `root` the kernel describes its structures.
    pub fn attach(plan: &Plan, root: &Root) -> Result<Self, NoSplit> {
        let cpus: Vec<u32> = plan.threads.iter().map(|thread| thread.cpu).collect();
        let events = Events::attach_all(root, &cpus)?;
        let keeps_causes = plan.split == Splitting::Causes;
        let threads = cpus.iter().map(|cpu| Thread::new(*cpu, plan.policy)).collect();
        Ok(Self { events, devices: Devices::default(), keeps_causes, threads, start_ns: 0 })
    }

    /// The series of a run file, wholes first, then each whole's parts.
    pub fn series(&self, wholes: Vec<SeriesOpening>) -> Vec<SeriesOpening> {
        let of = |(whole, of): (usize, &SeriesOpening)| {
            let of = *of;
            PARTS.map(|quantity| SeriesOpening { quantity, part_of: Some(whole), ..of })
        };
        let parts: Vec<SeriesOpening> = wholes.iter().enumerate().flat_map(of).collect();
        wholes.into_iter().chain(parts).collect()
    }

    /// The loops' threads, in the plan's order; instants of a second count from `start_ns`.
    pub fn follow(&mut self, thread_ids: &[i32], start_ns: u64) {
        self.threads.iter_mut().zip(thread_ids).for_each(|(thread, id)| thread.thread_id = *id as u32);
        self.start_ns = start_ns;
    }

    /// The parts of one second of one whole series.
    pub fn second(&mut self, batch: &SeriesSecond) -> Vec<SeriesSecond> {
        let wholes = self.threads.len();
        let Self { events, devices, keeps_causes, threads, start_ns } = self;
        let thread = &mut threads[batch.series];
        let mut samples: [Vec<Sample>; PARTS.len()] = Default::default();
        for sample in &batch.samples {
            let window = thread.window(sample, *start_ns);
            let stretch = events.between(thread.cpu, window.from_ns, window.to_ns);
            stretch.events.iter().for_each(|event| devices.learn(event));
            let gap = gap(&window, stretch, &|number| devices.name(number));
            if let Ok(gap) = &gap {
                samples
                    .iter_mut()
                    .zip(gap.parts_ns)
                    .for_each(|(of, latency_ns)| of.push(Sample { latency_ns, ..*sample }));
            }
            if !batch.warm_up {
                thread.note(sample, gap, *keeps_causes);
            }
        }
        if !batch.warm_up && batch.lost > 0 {
            *thread.counts.unsplit.entry(Unsplit::SampleLost).or_default() += batch.lost;
        }
        let first = wholes + batch.series * PARTS.len();
        let SeriesSecond { at_s, warm_up, .. } = *batch;
        let second = |(number, samples)| SeriesSecond {
            series: first + number,
            at_s,
            warm_up,
            samples,
            ..SeriesSecond::default()
        };
        samples.into_iter().enumerate().map(second).collect()
    }

    /// What became of every gap, the causes of the longest, and what threatens the split.
    pub fn finish(self) -> (Vec<SeriesSplit>, Vec<Caveat>) {
        let caveats = [cost(), without_cause(&self.threads), much_unsplit(&self.threads)];
        let threads = self.threads.into_iter().enumerate();
        let splits = threads.map(|(whole, thread)| (whole, thread.counts, thread.causes)).collect();
        (splits, caveats.into_iter().flatten().collect())
    }
}

impl Thread {
    fn new(cpu: u32, policy: Policy) -> Self {
        let counts = SplitCounts { by: By::Bpf, split: 0, never_slept: 0, unsplit: BTreeMap::new() };
        let priority = match policy {
            Policy::Fifo { priority } | Policy::Rr { priority } => Some(99 - i16::from(priority)),
            Policy::Other | Policy::Deadline { .. } => None,
        };
        let unrecorded = Unrecorded::default();
        Self { cpu, thread_id: 0, priority, counts, causes: Vec::new(), unrecorded, split_ns: 0, unsplit_ns: 0 }
    }

    fn window(&self, sample: &Sample, start_ns: u64) -> Window {
        let from_ns = start_ns.wrapping_add_signed(sample.due_ns);
        Window {
            cpu: self.cpu,
            thread_id: self.thread_id,
            priority: self.priority,
            from_ns,
            // The loop wanted to run all the time.
            waking_ns: from_ns,
            to_ns: from_ns.wrapping_add_signed(sample.latency_ns),
        }
    }

    fn note(&mut self, sample: &Sample, gap: Result<Gap, Unsplit>, keeps_causes: bool) {
        let Sample { due_ns: at_ns, latency_ns, activation } = *sample;
        match gap {
            Err(reason) => {
                *self.counts.unsplit.entry(reason).or_default() += 1;
                self.unsplit_ns += latency_ns.unsigned_abs();
            }
            Ok(gap) => {
                self.counts.split += 1;
                self.split_ns += latency_ns.unsigned_abs();
                if !gap.has_events {
                    self.unrecorded.add(latency_ns.unsigned_abs());
                }
                if keeps_causes {
                    self.keep(WorstSample { at_ns, latency_ns, activation }, gap.shares);
                }
            }
        }
    }

    fn keep(&mut self, sample: WorstSample, shares: Vec<Share>) {
        let is_full = self.causes.len() == CAUSES_KEPT;
        if is_full && self.causes.last().is_some_and(|least| least.sample.latency_ns >= sample.latency_ns) {
            return;
        }
        let sentence = cause::sentence(sample.latency_ns, &shares, None);
        let place = self.causes.partition_point(|kept| kept.sample.latency_ns >= sample.latency_ns);
        self.causes.insert(place, SampleExplanation { sample, sentence, shares });
        self.causes.truncate(CAUSES_KEPT);
    }
}

impl Unrecorded {
    fn add(&mut self, length_ns: u64) {
        self.gaps += 1;
        self.sum_ns += length_ns;
        self.longest_ns = self.longest_ns.max(length_ns);
    }
}

/// One gap that was split.
#[derive(Debug, PartialEq, Eq)]
struct Gap {
    /// In the order of [`PARTS`]; their sum is the gap.
    parts_ns: [i64; PARTS.len()],
    /// The same by activity, longest first.
    shares: Vec<Share>,
    /// False where nothing at all was recorded in it.
    has_events: bool,
}

/// Splits a gap; pure.
fn gap(window: &Window, stretch: Stretch, device: &dyn Fn(i32) -> String) -> Result<Gap, Unsplit> {
    if stretch.complete_from_ns > window.from_ns {
        return Err(Unsplit::RingFull);
    }
    let within = window.from_ns..=window.to_ns;
    let mut events = vec![began(window)];
    // A beginning that lies before the gap can belong to nothing that the loop did not see.
    events.extend(stretch.events.into_iter().filter(|event| within.contains(&event.at_ns)));
    let has_events = events.len() > 1;
    let mut shares = cause::shares(window, &Stretch { events, complete_from_ns: 0 }, device);
    let mut parts_ns = [0; PARTS.len()];
    for share in &mut shares {
        if share.taker == Taker::Task {
            share.taker = Taker::Unseen;
        }
        parts_ns[part_of(share.taker)] += share.length_ns;
    }
    Ok(Gap { parts_ns, shares, has_events })
}

/// At the beginning of a gap the loop runs.
fn began(window: &Window) -> Event {
    Event {
        at_ns: window.from_ns,
        kind: RecordKind::Switch,
        extra: window.priority.unwrap_or_default(),
        id: window.thread_id as i32,
        name: ThreadName::default(),
    }
}

/// The place of a taker's part.
const fn part_of(taker: Taker) -> usize {
    match taker {
        Taker::Nmi => 0,
        Taker::Interrupt => 1,
        Taker::Softirq => 2,
        // A loop that is throttled leaves its processor to anybody, or idle.
        Taker::Thread | Taker::MoreUrgent | Taker::Throttled | Taker::Idle => 3,
        // Had it left for a third thread, that one's leaving would have been traced.
        Taker::Hidden => 3,
        Taker::Task | Taker::Unseen => 4,
    }
}

fn cost() -> Option<Caveat> {
    Some(Caveat::new(
        "split-cost",
        Severity::Info,
        "the gaps contain the time that prazo took to record events on the measured processors",
        "measure again with --no-split and compare; the difference is the cost of recording on this machine",
    ))
}

/// `noise-without-cause`.
fn without_cause(threads: &[Thread]) -> Option<Caveat> {
    let of = |thread: &&Thread| thread.unrecorded.gaps > 0;
    let told = |thread: &Thread| {
        let Unrecorded { gaps, sum_ns, longest_ns } = thread.unrecorded;
        let us = |ns: u64| format!("{:.1} µs", ns as f64 / 1e3);
        format!(
            "processor {}: {}, {} in total, the longest {}",
            thread.cpu,
            counted(gaps, "gap"),
            us(sum_ns),
            us(longest_ns)
        )
    };
    let details: Vec<String> = threads.iter().filter(of).map(told).collect();
    (!details.is_empty()).then(|| {
        Caveat::new(
            "noise-without-cause",
            Severity::Info,
            format!(
                "the kernel recorded no event in some gaps ({}): firmware or a hypervisor used the processor, or an \
                 exception was handled",
                details.join("; ")
            ),
            "on bare metal, look for system-management interrupts (BIOS settings, hwlat); in a guest, look at the host",
        )
    })
}

/// More than one gap in a thousand, or more than a hundredth of their time: few gaps may have most of it.
fn much_unsplit(threads: &[Thread]) -> Option<Caveat> {
    let sum = |of: fn(&Thread) -> u64| threads.iter().map(of).sum::<u64>();
    let (unsplit, split) = (sum(|thread| thread.counts.unsplit_total()), sum(|thread| thread.counts.split));
    let (unsplit_ns, split_ns) = (sum(|thread| thread.unsplit_ns), sum(|thread| thread.split_ns));
    let is_much = unsplit > (unsplit + split) / 1_000 || unsplit_ns > (unsplit_ns + split_ns) / 100;
    is_much.then(|| {
        let percent = 100.0 * unsplit_ns as f64 / (unsplit_ns + split_ns).max(1) as f64;
        let gaps = counted(unsplit + split, "gap");
        Caveat::new(
            "unsplit",
            Severity::Medium,
            format!("{unsplit} of {gaps}, with {percent:.1} % of the time of all gaps, could not be split into parts"),
            "see the reasons in the run file (`unsplit`); the lengths of the gaps are not affected",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::record::Edge::{Begin, End};
    use proptest::prelude::*;

    const OURS: u32 = 77;

    fn window(from_ns: u64, to_ns: u64) -> Window {
        Window { cpu: 1, thread_id: OURS, priority: Some(4), from_ns, waking_ns: from_ns, to_ns }
    }

    fn event(at_ns: u64, kind: RecordKind, id: i32, name: &str) -> Event {
        Event { at_ns, kind, extra: 3, id, name: name.into() }
    }

    fn split(window: &Window, events: Vec<Event>) -> Result<Gap, Unsplit> {
        gap(window, Stretch { events, complete_from_ns: 0 }, &|_| "eth0".into())
    }

    #[test]
    fn few_gaps_with_much_of_the_time_are_much() {
        let thread = |unsplit_ns| {
            let counts = SplitCounts {
                split: 9_999,
                unsplit: BTreeMap::from([(Unsplit::RingFull, 1)]),
                ..Thread::new(1, Policy::Other).counts
            };
            Thread { counts, split_ns: 99_000, unsplit_ns, ..Thread::new(1, Policy::Other) }
        };
        assert_eq!(much_unsplit(&[thread(1_000)]), None);
        let what = much_unsplit(&[thread(0), thread(11_000)]).unwrap().what;
        assert_eq!(what, "2 of 20,000 gaps, with 5.3 % of the time of all gaps, could not be split into parts");
    }

    #[test]
    fn nesting_is_taken_off_and_what_nothing_covers_remains() {
        let events = vec![
            // Of before the gap, without its end: the loop ran since.
            event(10, RecordKind::Interrupt(Begin), 9, ""),
            event(110, RecordKind::Interrupt(Begin), 9, ""),
            event(120, RecordKind::Nmi(Begin), 5, ""),
            event(125, RecordKind::Nmi(End), 5, ""),
            event(140, RecordKind::Interrupt(End), 9, ""),
            event(150, RecordKind::Softirq(Begin), 3, ""),
            event(160, RecordKind::Vector(Begin), 1, ""),
            event(163, RecordKind::Vector(End), 1, ""),
            event(190, RecordKind::Softirq(End), 3, ""),
        ];
        let found = split(&window(100, 200), events).unwrap();
        assert_eq!(found.parts_ns, [5, 25 + 3, 37, 0, 10 + 10 + 10]);
        assert!(found.has_events);
    }

    #[test]
    fn a_thread_is_named_and_one_that_was_never_seen_to_leave_has_the_rest() {
        let switch = |at_ns, id, name| event(at_ns, RecordKind::Switch, id, name);
        let found = split(&window(100, 200), vec![switch(110, 5, "hog"), switch(180, OURS as i32, "ours")]).unwrap();
        assert_eq!(found.parts_ns, [0, 0, 0, 70, 30]);
        assert_eq!(found.shares[0], Share { taker: Taker::MoreUrgent, name: "hog".into(), cpu: 1, length_ns: 70 });
        let hidden = split(&window(100, 200), vec![switch(110, 5, "init")]).unwrap();
        assert_eq!(hidden.parts_ns, [0, 0, 0, 90, 10]);
        assert_eq!((hidden.shares[0].taker, hidden.shares[0].name.as_str()), (Taker::Hidden, "init"));
    }

    #[test]
    fn a_gap_without_events_is_told_from_one_whose_events_are_gone() {
        let nothing = split(&window(100, 200), Vec::new()).unwrap();
        assert_eq!((nothing.parts_ns, nothing.has_events), ([0, 0, 0, 0, 100], false));
        assert_eq!(nothing.shares[0].taker, Taker::Unseen);
        let gone = Stretch { events: Vec::new(), complete_from_ns: 101 };
        assert_eq!(gap(&window(100, 200), gone, &|_| String::new()), Err(Unsplit::RingFull));
    }

    #[test]
    fn the_longest_are_kept_with_their_causes_in_order() {
        let mut thread = Thread::new(0, Policy::Other);
        let lengths = (0..200_u64).map(|number| (number * 37 % 211) as i64);
        for latency_ns in lengths.clone() {
            let sample = Sample { activation: 0, due_ns: 0, latency_ns };
            thread.note(&sample, split(&window(0, latency_ns as u64), Vec::new()), true);
        }
        let mut expected: Vec<i64> = lengths.collect();
        expected.sort_unstable_by_key(|length| std::cmp::Reverse(*length));
        let kept: Vec<i64> = thread.causes.iter().map(|cause| cause.sample.latency_ns).collect();
        assert_eq!(kept, expected[..CAUSES_KEPT]);
        assert_eq!((thread.counts.split, thread.unrecorded.gaps), (200, 200));
        assert_eq!(thread.unrecorded.longest_ns, expected[0].unsigned_abs());
    }

    fn any_events() -> impl Strategy<Value = Vec<Event>> {
        let kind = prop_oneof![
            Just(RecordKind::Switch),
            Just(RecordKind::Interrupt(Begin)),
            Just(RecordKind::Interrupt(End)),
            Just(RecordKind::Softirq(Begin)),
            Just(RecordKind::Softirq(End)),
            Just(RecordKind::Nmi(Begin)),
            Just(RecordKind::Nmi(End)),
        ];
        prop::collection::vec((0u64..120, kind, prop_oneof![Just(OURS as i32), Just(5)]), 0..30).prop_map(|mut all| {
            all.sort_by_key(|(at_ns, ..)| *at_ns);
            all.into_iter().map(|(at_ns, kind, id)| event(at_ns, kind, id, "other")).collect()
        })
    }

    /// The slow, obvious twin: what was on top in each nanosecond, counted anew from the beginning of the gap.
    fn twin(window: &Window, events: &[Event]) -> [i64; PARTS.len()] {
        let mut parts_ns = [0; PARTS.len()];
        for ns in window.from_ns..window.to_ns {
            let (mut nmis, mut interrupts, mut softirqs, mut thread) = (0_i32, 0_i32, 0_i32, OURS as i32);
            for event in events.iter().filter(|event| (window.from_ns..=ns).contains(&event.at_ns)) {
                match event.kind {
                    RecordKind::Nmi(Begin) => nmis += 1,
                    RecordKind::Nmi(End) => nmis = (nmis - 1).max(0),
                    RecordKind::Interrupt(Begin) => interrupts += 1,
                    RecordKind::Interrupt(End) => interrupts = (interrupts - 1).max(0),
                    RecordKind::Softirq(Begin) => softirqs += 1,
                    RecordKind::Softirq(End) => softirqs = (softirqs - 1).max(0),
                    RecordKind::Switch => (thread, softirqs) = (event.id, 0),
                    _ => {}
                }
            }
            let on_top = [nmis > 0, interrupts > 0, softirqs > 0, thread != OURS as i32, true];
            parts_ns[on_top.iter().position(|is| *is).unwrap_or(4)] += 1;
        }
        parts_ns
    }

    proptest! {
        #[test]
        fn parts_agree_with_asking_in_each_nanosecond(events in any_events(), from in 20u64..60, length in 1u64..60) {
            let window = window(from, from + length);
            let found = split(&window, events.clone()).unwrap();
            prop_assert_eq!(found.parts_ns, twin(&window, &events));
            prop_assert_eq!(found.parts_ns.iter().sum::<i64>(), length as i64);
        }
    }
}
