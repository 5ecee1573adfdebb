//! Seconds that wait in memory until the run file can take them.
//!
//! A lock held for a moment or a full disk must lose nothing, and a disk that stays full must not fill the memory: so what
//! waits is bounded, and beyond the bound the samples of a second are given up and counted, while its figures are kept.

use super::packed::{SAMPLES_MAX, pack};
use super::ring::StoredRow;
use super::{Sample, SeriesSecond, rows};
use crate::run::Second;
use rusqlite::Connection;
use std::collections::{BTreeMap, VecDeque};

/// At most this many bytes of packed samples wait: an hour and a half of 1 kHz on two processors.
pub(super) const BYTES_MAX: usize = 48 << 20;

/// One second of one series, ready to be stored.
#[derive(Clone, Debug)]
struct Waiting {
    series: usize,
    second: Second,
    blobs: Vec<Vec<u8>>,
}

/// What waits, and what could not wait any longer.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    waiting: VecDeque<Waiting>,
    bytes: usize,
    bytes_max: usize,
    /// By series and warm-up: one second into which the figures of those given up are added.
    given_up: BTreeMap<(usize, bool), Second>,
    records_given_up: u64,
}

impl Backlog {
    /// Nothing waits yet, and at most `bytes_max` bytes ever will.
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, ..Self::default() }
    }

    /// Takes one second; gives its samples up where no more may wait.
    pub(super) fn push(&mut self, from: &SeriesSecond, period_ns: i64) {
        let second = figures(from);
        let blobs: Vec<Vec<u8>> = from.samples.chunks(SAMPLES_MAX).map(|samples| pack(samples, period_ns)).collect();
        let bytes = blobs.iter().map(Vec::len).sum::<usize>() + size_of::<Waiting>();
        if self.bytes + bytes > self.bytes_max {
            return self.give_up(from, second);
        }
        self.bytes += bytes;
        self.waiting.push_back(Waiting { series: from.series, second, blobs });
    }

    fn give_up(&mut self, from: &SeriesSecond, mut second: Second) {
        self.records_given_up += from.samples.len() as u64;
        second.lost = second.count;
        second.sum_ns = 0;
        self.given_up.entry((from.series, from.warm_up)).and_modify(|sum| merge(sum, &second)).or_insert(second);
    }

    /// True if nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.given_up.is_empty()
    }

    /// How many bytes wait.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many seconds wait, from the first to the last.
    pub(super) fn seconds(&self) -> u32 {
        let at = || self.waiting.iter().map(|waiting| waiting.second.at_s);
        at().max().zip(at().min()).map_or(0, |(last, first)| last - first + 1)
    }

    /// How many records were given up since the run began.
    pub(super) fn records_given_up(&self) -> u64 {
        self.records_given_up
    }

    /// Writes everything that waits; the caller commits and then calls [`Backlog::clear`].
    ///
    /// Answers the packed rows, second by second.
    pub(super) fn store(&self, connection: &Connection) -> rusqlite::Result<Vec<StoredRow>> {
        let mut stored = Vec::new();
        let mut in_order: Vec<&Waiting> = self.waiting.iter().collect();
        in_order.sort_by_key(|waiting| waiting.second.at_s);
        for waiting in in_order {
            rows::second(connection, waiting.series, &waiting.second)?;
            // A second without samples is stored too, so that blocks reach over it.
            let none = [Vec::new()];
            let blobs = if waiting.blobs.is_empty() { &none[..] } else { &waiting.blobs };
            for blob in blobs {
                rows::packed(connection, waiting.series, waiting.second.at_s, blob)?;
                stored.push((waiting.second.at_s, connection.last_insert_rowid()));
            }
        }
        self.given_up.iter().try_for_each(|((series, _), second)| rows::second(connection, *series, second))?;
        Ok(stored)
    }

    /// Forgets what was stored.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.given_up.clear();
        self.bytes = 0;
    }
}

/// The timeline's entry of a second.
fn figures(from: &SeriesSecond) -> Second {
    let latencies = || from.samples.iter().map(|sample: &Sample| sample.latency_ns);
    Second {
        at_s: from.at_s,
        warm_up: from.warm_up,
        count: from.samples.len() as u64 + from.lost,
        skipped: from.skipped,
        missed: from.missed,
        lost: from.lost,
        min_ns: latencies().min(),
        max_ns: latencies().max(),
        sum_ns: latencies().fold(0, i64::saturating_add),
    }
}

fn merge(sum: &mut Second, more: &Second) {
    sum.count += more.count;
    sum.skipped += more.skipped;
    sum.missed += more.missed;
    sum.lost += more.lost;
    sum.min_ns = sum.min_ns.into_iter().chain(more.min_ns).min();
    sum.max_ns = sum.max_ns.max(more.max_ns);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(at_s: u32, latencies_ns: &[i64]) -> SeriesSecond {
        let sample = |latency_ns: &i64| Sample { activation: 0, due_ns: 0, latency_ns: *latency_ns };
        SeriesSecond { at_s, samples: latencies_ns.iter().map(sample).collect(), ..SeriesSecond::default() }
    }

    #[test]
    fn what_waits_is_bounded_and_what_is_given_up_is_counted() {
        let mut backlog = Backlog::new(2 * (size_of::<Waiting>() + 10));
        for at_s in 0..5 {
            backlog.push(&second(at_s, &[5, 9, i64::from(at_s)]), 0);
        }
        assert_eq!((backlog.seconds(), backlog.records_given_up()), (2, 9));
        let given_up = &backlog.given_up[&(0, false)];
        assert_eq!((given_up.at_s, given_up.count, given_up.lost), (2, 9, 9));
        assert_eq!((given_up.min_ns, given_up.max_ns, given_up.sum_ns), (Some(2), Some(9), 0));
    }

    #[test]
    fn a_second_counts_its_lost_records_as_served() {
        let figures = figures(&SeriesSecond { lost: 3, skipped: 2, ..second(4, &[10, -2]) });
        assert_eq!((figures.count, figures.lost, figures.skipped, figures.sum_ns), (5, 3, 2, 8));
        assert_eq!((figures.min_ns, figures.max_ns), (Some(-2), Some(10)));
    }
}
