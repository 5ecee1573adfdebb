//! The last seconds of a watch, kept in memory until it ends: a flight recorder; pure.
//!
//! What is older than the asked time goes. So does the oldest where there is more than memory shall take; that is counted.

use prazo_run::run::{Activations, Quantity};
use prazo_run::store::SeriesSecond;
use std::collections::VecDeque;

/// Samples that are kept at most: some 100 MB.
const SAMPLES: usize = 4_000_000;

/// The last seconds.
#[derive(Debug)]
pub(super) struct Kept {
    length_s: u32,
    samples_max: usize,
    seconds: VecDeque<SeriesSecond>,
    samples: usize,
    last_s: u32,
    /// The first second that stays however late it becomes: a miss was noticed.
    pinned_s: Option<u32>,
    /// The last second that went although it was not old.
    crowded_out_s: Option<u32>,
}

impl Kept {
    /// Nothing yet; so many seconds at most.
    pub(super) fn new(length_s: u32) -> Self {
        let seconds = VecDeque::new();
        Self { length_s, samples_max: SAMPLES, seconds, samples: 0, last_s: 0, pinned_s: None, crowded_out_s: None }
    }

    /// A miss was noticed: what is here, as far as it is not old, and the miss stay whatever comes.
    pub(super) fn pin(&mut self) {
        self.pinned_s.get_or_insert(self.last_s.saturating_sub(self.length_s));
    }

    /// New activations.
    pub(super) fn add(&mut self, batch: Vec<SeriesSecond>) {
        for second in batch {
            if second.missed > 0 {
                // A long one was due long before it was noticed.
                let from_s = second.at_s.saturating_sub(self.length_s);
                self.pinned_s = self.pinned_s.map(|pinned_s| pinned_s.min(from_s));
            }
            self.last_s = self.last_s.max(second.at_s);
            self.samples += second.samples.len();
            self.seconds.push_back(second);
        }
        let first_s = self.last_s.saturating_sub(self.length_s).min(self.pinned_s.unwrap_or(u32::MAX));
        // A thread whose period was found late brings older ones behind newer ones.
        self.seconds.retain(|second| {
            let is_new = second.at_s >= first_s;
            self.samples -= if is_new { 0 } else { second.samples.len() };
            is_new
        });
        while self.samples > self.samples_max {
            let Some(oldest) = self.seconds.pop_front() else { break };
            self.samples -= oldest.samples.len();
            self.crowded_out_s = self.crowded_out_s.max(Some(oldest.at_s));
        }
    }

    /// For how many seconds before the last one everything is here.
    pub(super) fn complete_s(&self) -> u32 {
        self.crowded_out_s.map_or(self.length_s, |gone| self.last_s.saturating_sub(gone))
    }

    /// The counts of one series.
    pub(super) fn counts(&self, series: usize, quantity: Quantity, has_deadline: bool) -> Activations {
        let of = || self.seconds.iter().filter(|second| second.series == series);
        let served = of().map(|second| second.samples.len() as u64).sum();
        let skipped = of().map(|second| second.skipped).sum();
        match quantity {
            Quantity::ResponseTime | Quantity::ResponseLatency => Activations {
                due: Some(served + skipped),
                served,
                skipped: Some(skipped),
                missed: (quantity == Quantity::ResponseTime && has_deadline)
                    .then(|| of().map(|second| second.missed).sum()),
                ..Activations::default()
            },
            _ => Activations { served, ..Activations::default() },
        }
    }

    /// Everything, second by second.
    pub(super) fn take(&mut self) -> Vec<Vec<SeriesSecond>> {
        let mut all: Vec<SeriesSecond> = self.seconds.drain(..).collect();
        all.sort_by_key(|second| second.at_s);
        all.chunk_by(|one, other| one.at_s == other.at_s).map(<[SeriesSecond]>::to_vec).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::store::Sample;

    fn second(series: usize, at_s: u32, samples: usize) -> SeriesSecond {
        let sample = Sample { activation: 0, due_ns: i64::from(at_s), latency_ns: 1 };
        SeriesSecond { series, at_s, samples: vec![sample; samples], skipped: 1, missed: 2, ..SeriesSecond::default() }
    }

    #[test]
    fn what_is_older_than_the_asked_time_goes() {
        let mut kept = Kept::new(3);
        for at_s in 0..10 {
            kept.add(vec![second(0, at_s, 5), second(1, at_s, 1)]);
        }
        let counts = kept.counts(0, Quantity::ResponseTime, true);
        assert_eq!((counts.due, counts.served, counts.skipped, counts.missed), (Some(24), 20, Some(4), Some(8)));
        assert_eq!(kept.counts(0, Quantity::ResponseLatency, true).missed, None);
        assert_eq!((kept.counts(1, Quantity::ExecutionTime, true).served, kept.complete_s()), (4, 3));
        let seconds: Vec<u32> = kept.take().iter().map(|batch| batch[0].at_s).collect();
        assert_eq!(seconds, [6, 7, 8, 9]);
    }

    #[test]
    fn a_miss_stays_while_the_watch_goes_on_behind_it() {
        let of = |at_s, missed| SeriesSecond { missed, ..second(0, at_s, 1) };
        let seconds = |mut kept: Kept| kept.take().iter().map(|batch| batch[0].at_s).collect::<Vec<_>>();
        let mut kept = Kept::new(1);
        (0..=7).for_each(|at_s| kept.add(vec![of(at_s, u64::from(at_s == 7))]));
        kept.pin();
        kept.add(vec![of(8, 0)]);
        kept.pin();
        kept.add(vec![of(9, 0)]);
        assert_eq!(seconds(kept), [6, 7, 8, 9]);
        // It is noticed when it ends, four seconds after it was due, and other threads go on meanwhile.
        let mut kept = Kept::new(1);
        (0..=7).for_each(|at_s| kept.add(vec![of(at_s, 0)]));
        kept.pin();
        kept.add(vec![of(4, 1), of(8, 0)]);
        assert_eq!(seconds(kept), [4, 6, 7, 8]);
    }

    #[test]
    fn what_memory_shall_not_take_goes_too_and_is_known() {
        let mut kept = Kept { samples_max: 12, ..Kept::new(100) };
        (0..10).for_each(|at_s| kept.add(vec![second(0, at_s, 5)]));
        assert_eq!((kept.counts(0, Quantity::ExecutionTime, false).served, kept.complete_s()), (10, 2));
    }
}
