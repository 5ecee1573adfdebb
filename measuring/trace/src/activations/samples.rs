//! Activations on their way into a run file: kept from one taking to the next, bounded, and counted where there is no room.

use super::activation::Activation;
use prazo_run::run::Quantity;
use prazo_run::store::Sample;
use std::collections::{BTreeMap, BTreeSet};

/// So many are kept of each quantity between two takings of a thread that is recorded.
const KEPT: usize = 1 << 16;
/// So many before the first taking, which comes within a second or two.
const KEPT_BEFORE: usize = 1 << 14;
/// So many, the first ones, of a wait that is not its thread's own, and may never be taken.
const KEPT_BESIDE: usize = 1 << 10;

/// Seconds whose counts are kept apart between two takings.
const SECONDS: usize = 1 << 8;

/// Counts by the second, since the watch began, in which the activations were due. Where there are too many seconds, the oldest ones
/// become one: no count is dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecondCounts(BTreeMap<u32, u64>);

impl SecondCounts {
    /// The seconds, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        self.0.iter().map(|(at_s, count)| (*at_s, *count))
    }

    fn add(&mut self, at_s: u32, count: u64) {
        if count == 0 {
            return;
        }
        *self.0.entry(at_s).or_default() += count;
        if self.0.len() > SECONDS
            && let Some((_, oldest)) = self.0.pop_first()
            && let Some(mut next) = self.0.first_entry()
        {
            *next.get_mut() += oldest;
        }
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Activations for whose samples there was no room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LostSamples {
    /// From due to running.
    pub latency: SecondCounts,
    /// From due to the next wait.
    pub response: SecondCounts,
    /// Time on processors.
    pub execution: SecondCounts,
}

/// What is new of one thread's own wait, with instants on CLOCK_MONOTONIC.
#[derive(Clone, Debug, Default)]
pub struct NewSamples {
    /// From due to running.
    pub latency: Vec<Sample>,
    /// From due to the next wait.
    pub response: Vec<Sample>,
    /// Each part of those latencies that were split.
    pub parts: Vec<(Quantity, Sample)>,
    /// Time on processors of each activation that ended.
    pub execution: Vec<Sample>,
    /// Periods that were let pass, by the due instant behind them; as far as the period was known then.
    pub skipped: SecondCounts,
    /// Samples that are missing above.
    pub lost: LostSamples,
}

impl NewSamples {
    pub(super) fn is_empty(&self) -> bool {
        let samples = [&self.latency, &self.response, &self.execution];
        let LostSamples { latency, response, execution } = &self.lost;
        samples.iter().all(|samples| samples.is_empty())
            && [&self.skipped, latency, response, execution].iter().all(|counts| counts.is_empty())
    }
}

/// The samples of one account; nothing is kept unless somebody takes them.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    is_kept: bool,
    /// When the watch began.
    began_ns: u64,
    is_taken: bool,
    /// It is not the thread's own wait, whose samples are taken.
    is_beside: bool,
    new: NewSamples,
    /// The latency of the activation that began last is among them.
    has_latency: bool,
}

impl Samples {
    /// Keeps samples from the beginning on where somebody will take them.
    pub(super) fn new(is_kept: bool, began_ns: u64) -> Self {
        Self { is_kept, began_ns, ..Self::default() }
    }

    /// An activation began.
    pub(super) fn begun(&mut self, activation: &Activation, skipped: u64) {
        if !self.is_kept {
            return;
        }
        let (room, at_s) = (self.room(), self.second(activation.from_ns));
        self.has_latency = false;
        if activation.due_own_ns.is_some() {
            self.has_latency = push(&mut self.new.latency, room, activation, activation.latency_ns());
            self.new.lost.latency.add(at_s, u64::from(!self.has_latency));
        }
        self.new.skipped.add(at_s, skipped);
    }

    /// A part of the latency of the activation that began last; kept exactly where the latency is.
    pub(super) fn part(&mut self, activation: &Activation, quantity: Quantity, ns: u64) {
        if self.has_latency {
            self.new.parts.push((quantity, sample(activation, ns)));
        }
    }

    /// An activation ended, or is late without an end; its response, where something was due.
    pub(super) fn responded(&mut self, activation: &Activation, response_ns: u64) {
        if self.is_kept {
            let (room, at_s) = (self.room(), self.second(activation.from_ns));
            let is_lost = !push(&mut self.new.response, room, activation, response_ns);
            self.new.lost.response.add(at_s, u64::from(is_lost));
        }
    }

    /// An activation ended after this much time on processors.
    pub(super) fn executed(&mut self, activation: &Activation, own_ns: u64) {
        if self.is_kept {
            let (room, at_s) = (self.room(), self.second(activation.from_ns));
            let is_lost = !push(&mut self.new.execution, room, activation, own_ns);
            self.new.lost.execution.add(at_s, u64::from(is_lost));
        }
    }

    /// The wait is not its thread's own, as far as is known.
    pub(super) fn bound(&mut self) {
        self.is_beside = true;
        let began_ns = self.began_ns;
        let NewSamples { latency, response, parts, execution, lost, .. } = &mut self.new;
        if latency.len().max(response.len()).max(execution.len()) > KEPT_BESIDE {
            // Parts are kept of the latencies that are kept.
            let numbers: BTreeSet<u64> = latency.iter().skip(KEPT_BESIDE).map(|sample| sample.activation).collect();
            parts.retain(|(_, sample)| !numbers.contains(&sample.activation));
            let all = [(latency, &mut lost.latency), (response, &mut lost.response), (execution, &mut lost.execution)];
            for (samples, lost) in all {
                let beyond = samples.drain(KEPT_BESIDE.min(samples.len())..);
                beyond.for_each(|sample| lost.add(second(began_ns, sample.due_ns), 1));
            }
            self.has_latency = false;
        }
    }

    /// Takes what is new.
    pub(super) fn take(&mut self) -> NewSamples {
        (self.is_taken, self.is_beside) = (true, false);
        self.has_latency = false;
        std::mem::take(&mut self.new)
    }

    fn room(&self) -> usize {
        match (self.is_taken, self.is_beside) {
            (_, true) => KEPT_BESIDE,
            (true, false) => KEPT,
            (false, false) => KEPT_BEFORE,
        }
    }

    fn second(&self, from_ns: u64) -> u32 {
        second(self.began_ns, from_ns.cast_signed())
    }
}

/// The second of an instant since the watch began; 0 before that.
fn second(began_ns: u64, at_ns: i64) -> u32 {
    u32::try_from((at_ns - began_ns.cast_signed()).max(0) / 1_000_000_000).unwrap_or(u32::MAX)
}

/// True where there was room.
fn push(samples: &mut Vec<Sample>, room: usize, of: &Activation, ns: u64) -> bool {
    let has_room = samples.len() < room;
    if has_room {
        samples.push(sample(of, ns));
    }
    has_room
}

fn sample(of: &Activation, ns: u64) -> Sample {
    let (due_ns, latency_ns) = (of.from_ns.cast_signed(), ns.min(i64::MAX as u64).cast_signed());
    Sample { activation: of.number, due_ns, latency_ns }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_takes_is_bounded_and_nothing_is_kept_for_nobody() {
        let activation = Activation { due_own_ns: Some(5), from_ns: 5, released_ns: 7, ..Activation::default() };
        let (mut kept, mut nobody) = (Samples::new(true, 0), Samples::new(false, 0));
        for number in 0..2 * KEPT_BEFORE as u64 {
            let activation = Activation { number, ..activation };
            kept.begun(&activation, 1);
            kept.part(&activation, Quantity::TimerSlack, 1);
            nobody.begun(&activation, 1);
        }
        assert_eq!((kept.new.latency.len(), kept.new.parts.len()), (KEPT_BEFORE, KEPT_BEFORE));
        kept.bound();
        kept.begun(&activation, 1);
        let new = kept.take();
        let every = 2 * KEPT_BEFORE as u64 + 1;
        assert_eq!(new.latency.len(), KEPT_BESIDE);
        assert_eq!(new.skipped.iter().collect::<Vec<_>>(), [(0, every)], "skipped periods need no room");
        assert_eq!(new.parts.len(), KEPT_BESIDE, "parts are kept of the latencies that are kept");
        assert_eq!((new.latency[0].due_ns, new.latency[0].latency_ns), (5, 2));
        assert!(nobody.take().is_empty());
        (0..2 * KEPT_BEFORE).for_each(|_| kept.begun(&activation, 0));
        assert_eq!(kept.take().latency.len(), 2 * KEPT_BEFORE, "it became the thread's own");
    }

    #[test]
    fn every_activation_is_a_sample_or_is_lost_in_its_second() {
        const BEGAN_NS: u64 = 500;
        let mut samples = Samples::new(true, BEGAN_NS);
        let at = |second: u64| {
            let from_ns = BEGAN_NS + second * 1_000_000_000;
            Activation { due_own_ns: Some(5), from_ns, released_ns: from_ns, ..Activation::default() }
        };
        let pass = |samples: &mut Samples, second: u64, count: usize| {
            for _ in 0..count {
                samples.begun(&at(second), 0);
                samples.responded(&at(second), 1);
                samples.executed(&at(second), 1);
            }
        };
        pass(&mut samples, 0, KEPT_BEFORE);
        pass(&mut samples, 1, 3);
        // Not the thread's own, as it seems for a while: most of its samples go, but not from the count.
        samples.bound();
        pass(&mut samples, 2, 4);
        let new = samples.take();
        assert_eq!(
            (new.latency.len(), new.response.len(), new.execution.len()),
            (KEPT_BESIDE, KEPT_BESIDE, KEPT_BESIDE)
        );
        let lost = [&new.lost.latency, &new.lost.response, &new.lost.execution];
        let gone = (KEPT_BEFORE - KEPT_BESIDE) as u64;
        lost.iter().for_each(|lost| assert_eq!(lost.iter().collect::<Vec<_>>(), [(0, gone), (1, 3), (2, 4)]));
        pass(&mut samples, 3, KEPT + 2);
        let new = samples.take();
        assert_eq!((new.latency.len(), new.lost.response.iter().collect::<Vec<_>>()), (KEPT, vec![(3, 2)]));
        assert!(samples.take().is_empty());
    }

    #[test]
    fn seconds_that_nobody_takes_are_bounded_and_keep_their_counts() {
        let mut counts = SecondCounts::default();
        (0..2 * SECONDS as u32).for_each(|at_s| counts.add(at_s, 1));
        assert_eq!(counts.0.len(), SECONDS);
        assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), 2 * SECONDS as u64);
        assert_eq!(counts.iter().last(), Some((2 * SECONDS as u32 - 1, 1)));
    }
}
