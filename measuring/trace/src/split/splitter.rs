//! Splits a run's latencies while it lasts, second by second, on the recording thread.

use super::around_text;
use super::card::Card;
use super::cause::Window;
use super::causes::{Candidate, Causes, Devices, Front};
use super::error::NoSplit;
use super::events::Events;
use super::join::{Awaited, Joiner};
use super::parts::{Joined, Parts, Stamped};
use super::program::Program;
use super::quantities::{self, Part};
use super::urgent::RealTimeThreads;
use prazo_core::text::{counted, grouped};
use prazo_engine::Surroundings;
use prazo_platform::root::Root;
use prazo_run::plan::{Policy, Splitting};
use prazo_run::run::WorstSample;
use prazo_run::source::Source;
use prazo_run::split::{SampleExplanation, SplitCounts, Splitter as By, Unsplit};
use prazo_run::store::{Sample, SeriesOpening, SeriesSecond};
use prazo_run::{Caveat, Plan, Severity};
use std::collections::BTreeMap;

/// How many seconds of wake-ups the ring holds.
const SECONDS_HELD: u64 = 10;
/// More than this share of the wake-ups unsplit is worth a caveat: one in a thousand.
const UNSPLIT_WORTH_TELLING: u64 = 1_000;

/// What splits the latencies of one run; everything it has in the kernel is gone when it is dropped.
pub struct Splitter {
    program: Program,
    events: Option<Events>,
    parts: Vec<Part>,
    threads: Vec<Thread>,
    devices: Devices,
    start_ns: u64,
    around: Surroundings,
    known: RealTimeThreads,
    caveats: Vec<Caveat>,
}

/// A series' place in the run, what became of its activations, and the causes of its worst.
pub type SeriesSplit = (usize, SplitCounts, Vec<SampleExplanation>);

/// One measured thread.
struct Thread {
    cpu: u32,
    thread_id: u32,
    priority: Option<i16>,
    joiner: Joiner,
    counts: SplitCounts,
    causes: Causes,
}

impl Splitter {
    /// Attaches what the plan asks for; under `root` the kernel describes its structures.
    pub fn attach(plan: &Plan, root: &Root) -> Result<Self, NoSplit> {
        let program = Program::attach(root, wakeups_held(plan), card(plan, root).as_ref())?;
        let cpus: Vec<u32> = plan.threads.iter().map(|thread| thread.cpu).collect();
        let events = (plan.split == Splitting::Causes).then(|| events_of(plan.policy, root, &cpus)).transpose();
        let (events, refused) = events.map_or_else(|why| (None, Some(no_causes(&why))), |events| (events, None));
        Ok(Self {
            caveats: refused.into_iter().collect(),
            parts: quantities::of(plan),
            threads: plan.threads.iter().map(|thread| Thread::new(plan, thread)).collect(),
            devices: Devices::default(),
            start_ns: 0,
            around: Surroundings::below(root.base()),
            known: RealTimeThreads::default(),
            program,
            events,
        })
    }

    /// The series of a run file, wholes first, then each whole's parts.
    pub fn series(&self, wholes: Vec<SeriesOpening>) -> Vec<SeriesOpening> {
        let parts: Vec<SeriesOpening> = wholes
            .iter()
            .enumerate()
            .flat_map(|(whole, of)| self.parts.iter().map(move |(quantity, _)| (whole, *of, *quantity)))
            .map(|(whole, of, quantity)| SeriesOpening { quantity, part_of: Some(whole), ..of })
            .collect();
        wholes.into_iter().chain(parts).collect()
    }

    /// Follows these threads, in the plan's order; the run's first activation is due at or after `start_ns`.
    pub fn follow(&mut self, thread_ids: &[i32], start_ns: u64) {
        let ids: Vec<u32> = thread_ids.iter().map(|id| *id as u32).collect();
        self.threads.iter_mut().zip(&ids).for_each(|(thread, id)| thread.thread_id = *id);
        self.start_ns = start_ns;
        if self.events.is_some() {
            self.known = RealTimeThreads::now(&self.around, start_ns);
        }
        if let Err(why) = self.program.follow(&ids) {
            self.caveats.push(why.caveat());
        }
    }

    /// The parts of one second of one whole series.
    pub fn second(&mut self, batch: &SeriesSecond) -> Vec<SeriesSecond> {
        let threads = &mut self.threads;
        self.program.drain(|wakeup| {
            if let Some(thread) = threads.iter_mut().find(|thread| thread.thread_id == wakeup.thread_id) {
                thread.joiner.wakeup(wakeup);
            }
        });
        let wholes = self.threads.len();
        let thread = &mut self.threads[batch.series];
        let joined = thread.join(batch, self.start_ns);
        if let (Some(events), false) = (&self.events, batch.warm_up) {
            let candidates = joined.iter().map(|(sample, joined)| thread.candidate(sample, joined, self.start_ns));
            thread.causes.offer(candidates.collect(), events, &mut self.devices);
        }
        let first = wholes + batch.series * self.parts.len();
        let second = |(number, (_, time)): (usize, &Part)| part_of(batch, first + number, &joined, *time);
        self.parts.iter().enumerate().map(second).collect()
    }

    /// True where the events of the measured processors are recorded.
    pub fn has_events(&self) -> bool {
        self.events.is_some()
    }

    /// What happened on the measured processors around the sample of this size on `cpu`, as text in the order of time; `None`
    /// without events, or where the sample is none of the worst.
    pub fn events_of(&self, cpu: u32, latency_ns: i64) -> Option<String> {
        let events = self.events.as_ref()?;
        let thread = self.threads.iter().find(|thread| thread.cpu == cpu)?;
        let sample = thread.causes.kept().iter().map(|cause| cause.sample).find(|one| one.latency_ns == latency_ns)?;
        let due_ns = self.start_ns.wrapping_add_signed(sample.at_ns);
        let window = around_text::Around { cpu, due_ns, served_ns: due_ns.wrapping_add_signed(latency_ns) };
        let (from_ns, to_ns) = window.bounds();
        let of = |thread: &Thread| (thread.cpu, events.between(thread.cpu, from_ns, to_ns));
        Some(window.text(self.threads.iter().map(of).collect()))
    }

    /// What became of every activation, the causes of the worst, and what threatens the split.
    pub fn finish(mut self) -> (Vec<SeriesSplit>, Vec<Caveat>) {
        for thread in &mut self.threads {
            let missing = self.program.missing(thread.thread_id);
            blame(&mut thread.counts.unsplit, Unsplit::RingFull, missing.lost);
            blame(&mut thread.counts.unsplit, Unsplit::Hidden, missing.hidden);
        }
        self.caveats.push(cost(self.program.instructions(), self.events.is_some()));
        let urgent = self.events.as_ref().map(Events::more_urgent).unwrap_or_default();
        self.caveats.extend(self.known.caveats(urgent));
        let all: Vec<&SplitCounts> = self.threads.iter().map(|thread| &thread.counts).collect();
        self.caveats.extend(much_unsplit(&all));
        let threads = self.threads.into_iter().enumerate();
        let splits = threads.map(|(whole, thread)| (whole, thread.counts, thread.causes.into_kept())).collect();
        (splits, self.caveats)
    }
}

impl Thread {
    fn new(plan: &Plan, thread: &prazo_run::plan::ThreadPlan) -> Self {
        Self {
            cpu: thread.cpu,
            thread_id: 0,
            priority: kernel_priority(plan.policy),
            joiner: Joiner::new(Awaited::by(plan), thread.period.as_ns()),
            counts: SplitCounts { by: By::Bpf, split: 0, never_slept: 0, unsplit: BTreeMap::new() },
            causes: Causes::default(),
        }
    }

    fn join<'b>(&mut self, batch: &'b SeriesSecond, start_ns: u64) -> Vec<(&'b Sample, Joined)> {
        let mut joined = Vec::with_capacity(batch.samples.len());
        for sample in &batch.samples {
            let due_ns = start_ns.wrapping_add_signed(sample.due_ns);
            let one = self.joiner.sample(Stamped { due_ns, woke_ns: due_ns.wrapping_add_signed(sample.latency_ns) });
            if !batch.warm_up {
                self.count(one);
            }
            joined.push((sample, one));
        }
        if batch.lost > 0 && !batch.warm_up {
            *self.counts.unsplit.entry(Unsplit::SampleLost).or_default() += batch.lost;
        }
        joined
    }

    fn count(&mut self, joined: Joined) {
        match joined {
            Joined::Split(_) => self.counts.split += 1,
            Joined::NeverSlept => self.counts.never_slept += 1,
            Joined::Unsplit(reason) => *self.counts.unsplit.entry(reason).or_default() += 1,
        }
    }

    fn candidate(&self, sample: &Sample, joined: &Joined, start_ns: u64) -> Candidate {
        let from_ns = start_ns.wrapping_add_signed(sample.due_ns);
        let to_ns = from_ns.wrapping_add_signed(sample.latency_ns);
        let (cpu, waking_ns) = match joined {
            Joined::Split(parts) => {
                let waited_ns = parts.slack_ns + parts.interrupt_ns + parts.handling_ns;
                (parts.cpu, from_ns.wrapping_add_signed(waited_ns))
            }
            Joined::NeverSlept => (self.cpu, from_ns),
            Joined::Unsplit(_) => (self.cpu, to_ns),
        };
        Candidate {
            sample: WorstSample { at_ns: sample.due_ns, latency_ns: sample.latency_ns, activation: sample.activation },
            window: Window { cpu, thread_id: self.thread_id, priority: self.priority, from_ns, waking_ns, to_ns },
            front: front(joined, from_ns),
        }
    }
}

/// The card's interrupt and its thread's start, in front of a frame's stamp.
fn front(joined: &Joined, stamp_ns: u64) -> Option<Front> {
    let Joined::Split(parts) = joined else { return None };
    let (start_ns, path_ns) = parts.arrival.thread_start_ns.zip(parts.arrival.receive_path_ns)?;
    let to_ns = stamp_ns.checked_add_signed(-path_ns)?;
    Some(Front { from_ns: to_ns.checked_add_signed(-start_ns)?, to_ns })
}

/// Where one part's time is.
type Time = fn(&Parts) -> Option<i64>;

fn part_of(batch: &SeriesSecond, series: usize, joined: &[(&Sample, Joined)], time: Time) -> SeriesSecond {
    let sample = |(sample, joined): &(&Sample, Joined)| match joined {
        Joined::Split(parts) => Some(Sample { latency_ns: time(parts)?, ..**sample }),
        Joined::NeverSlept | Joined::Unsplit(_) => None,
    };
    let SeriesSecond { at_s, warm_up, .. } = *batch;
    SeriesSecond {
        series,
        at_s,
        warm_up,
        samples: joined.iter().filter_map(sample).collect(),
        ..SeriesSecond::default()
    }
}

/// Room for the wake-ups of ten seconds of all threads.
fn wakeups_held(plan: &Plan) -> u64 {
    let each = |thread: &prazo_run::plan::ThreadPlan| SECONDS_HELD * 1_000_000_000 / thread.period.as_ns().max(1) + 1;
    plan.threads.iter().map(each).fold(0, u64::saturating_add)
}

/// The card that a plan's frames come from; nothing is known of an interface without interrupts.
fn card(plan: &Plan, root: &Root) -> Option<Card> {
    match &plan.source {
        Source::Event(event) => Some(Card::behind(root, &event.interface)),
        Source::Timer
        | Source::Interrupt(_)
        | Source::Wakeup(_)
        | Source::Noise(_)
        | Source::Overheads(_)
        | Source::Xenomai(_)
        | Source::Watch(_) => None,
    }
}

/// What happens on the measured processors, and who is more urgent there than the measured threads; any real-time thread is more
/// urgent than one without such a policy.
fn events_of(policy: Policy, root: &Root, cpus: &[u32]) -> Result<Events, NoSplit> {
    const FIRST_ORDINARY: i16 = 100;
    let mut events = Events::attach(root, cpus)?;
    events.note_more_urgent_than(kernel_priority(policy).unwrap_or(FIRST_ORDINARY))?;
    Ok(events)
}

/// What the kernel's own priority of a real-time thread is: less is more urgent. Ordinary threads have an order of their own.
fn kernel_priority(policy: Policy) -> Option<i16> {
    match policy {
        Policy::Other => None,
        Policy::Fifo { priority } | Policy::Rr { priority } => Some(99 - i16::from(priority)),
        Policy::Deadline { .. } => Some(-1),
    }
}

/// Of the wake-ups without stamps, as many as the program counted for a reason have that.
fn blame(unsplit: &mut BTreeMap<Unsplit, u64>, reason: Unsplit, counted: u64) {
    let Some(without) = unsplit.get_mut(&Unsplit::NoStamps) else { return };
    let blamed = counted.min(*without);
    *without -= blamed;
    if *without == 0 {
        unsplit.remove(&Unsplit::NoStamps);
    }
    if blamed > 0 {
        unsplit.insert(reason, blamed);
    }
}

fn no_causes(why: &NoSplit) -> Caveat {
    let remedy = why.caveat().remedy;
    let what = format!("the latencies were split, but the causes of the largest were not recorded: {why}");
    Caveat::new("no-causes", Severity::Info, what, remedy)
}

fn cost(instructions: u32, with_events: bool) -> Caveat {
    let events = if with_events { ", plus the recording of events on the measured processors" } else { "" };
    Caveat::new(
        "split-cost",
        Severity::Info,
        format!(
            "the latencies contain the cost of splitting them: at most {instructions} BPF instructions in each \
             wake-up, excluding helpers{events}"
        ),
        "measure again without --split and compare; the difference is the cost of splitting on this machine",
    )
}

fn much_unsplit(threads: &[&SplitCounts]) -> Option<Caveat> {
    let sum = |count: fn(&SplitCounts) -> u64| threads.iter().map(|counts| count(counts)).sum::<u64>();
    let (unsplit, split) = (sum(SplitCounts::unsplit_total), sum(|counts| counts.split));
    let hidden = sum(|counts| counts.unsplit.get(&Unsplit::Hidden).copied().unwrap_or(0));
    let of_these = match hidden {
        0 => String::new(),
        all if all == unsplit => ", because this kernel does not trace what ran at their wake-up".to_owned(),
        _ => format!(", {} of them because this kernel does not trace what ran at their wake-up", grouped(hidden)),
    };
    (unsplit > (unsplit + split) / UNSPLIT_WORTH_TELLING).then(|| {
        Caveat::new(
            "unsplit",
            Severity::Medium,
            format!(
                "{} of {} could not be split into parts{of_these}",
                grouped(unsplit),
                counted(unsplit + split, "wake-up")
            ),
            "see the reasons in the run file (`unsplit`); the total latencies are not affected",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::program::KERNEL_TYPES;
    use super::*;
    use prazo_core::time::Duration;
    use prazo_run::plan::{Length, ThreadPlan};

    #[test]
    fn the_ring_is_blamed_for_what_it_refused_and_no_more() {
        let after = |without: u64, lost: u64| {
            let mut unsplit = BTreeMap::from([(Unsplit::NoStamps, without), (Unsplit::OtherWakeUp, 2)]);
            blame(&mut unsplit, Unsplit::RingFull, lost);
            (unsplit.get(&Unsplit::NoStamps).copied(), unsplit.get(&Unsplit::RingFull).copied())
        };
        assert_eq!(after(5, 0), (Some(5), None));
        assert_eq!(after(5, 3), (Some(2), Some(3)));
        assert_eq!(after(5, 9), (None, Some(5)));
    }

    fn plan() -> Plan {
        let thread = ThreadPlan { cpu: 0, period: Duration::from_ms(1), phase: Duration::ZERO };
        let length = Length::Duration { length: Duration::from_s(1) };
        Plan::new(Source::Timer, Policy::Fifo { priority: 95 }, vec![thread], length)
    }

    #[test]
    fn a_kernel_that_does_not_describe_its_structures_is_a_caveat_with_a_remedy() {
        let plan = plan();
        let (without, with_empty) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let types = with_empty.path().join(KERNEL_TYPES);
        std::fs::create_dir_all(types.parent().unwrap()).unwrap();
        std::fs::write(types, "").unwrap();
        for tree in [without, with_empty] {
            let why = Splitter::attach(&plan, &Root::at(tree.path())).err().expect("nothing is attached without types");
            assert!(matches!(why, NoSplit::NoTypes(_)), "{why:?}");
            assert!(why.caveat().remedy.contains("CONFIG_DEBUG_INFO_BTF"));
        }
    }

    #[test]
    fn a_sample_that_was_lost_is_counted_and_the_warm_up_is_not() {
        let plan = plan();
        let mut thread = Thread::new(&plan, &plan.threads[0]);
        let sample = Sample { activation: 0, due_ns: 0, latency_ns: 5 };
        let batch = SeriesSecond { samples: vec![sample], lost: 3, ..SeriesSecond::default() };
        thread.join(&SeriesSecond { warm_up: true, ..batch.clone() }, 1_000);
        assert_eq!(thread.counts.served(), 0);
        thread.join(&batch, 2_000);
        let expected = BTreeMap::from([(Unsplit::SampleLost, 3), (Unsplit::NoStamps, 1)]);
        assert_eq!((thread.counts.unsplit.clone(), thread.counts.served()), (expected, 4));
    }

    #[test]
    fn one_in_a_thousand_unsplit_is_still_no_caveat() {
        let counts = |unsplit: u64, split: u64| {
            let unsplit = BTreeMap::from([(Unsplit::Hidden, unsplit)]);
            SplitCounts { by: By::Bpf, split, never_slept: 0, unsplit }
        };
        let explanation = |unsplit, split| much_unsplit(&[&counts(unsplit, split)]).map(|caveat| caveat.what);
        assert_eq!(explanation(1, 999), None);
        assert_eq!(explanation(0, 0), None);
        let message = explanation(2, 999).unwrap();
        assert!(
            message.starts_with("2 of 1,001 wake-ups") && message.contains("parts, because this kernel does not trace"),
            "{message}"
        );
    }
}
