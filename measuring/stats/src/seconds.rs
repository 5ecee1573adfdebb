//! The seconds of a run, all processors together: what its timeline says exactly.
//!
//! A second's maximum tells for every deadline whether the second holds a miss, without any assumption. Seconds of the
//! warm-up, and those in which nothing was due, are left out.

use crate::distribution::Distribution;
use crate::scope;
use crate::served::served;
use prazo_run::run::Second;
use prazo_run::{Run, Series};
use std::collections::BTreeMap;

/// One second of all processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PooledSecond {
    /// Seconds since the first activation was due.
    pub at_s: u32,
    /// Largest latency of any processor.
    pub max_ns: Option<i64>,
    /// Served activations.
    pub count: u64,
    /// Skipped activations.
    pub skipped: u64,
    /// Missed at the plan's deadline.
    pub missed: u64,
    /// Records lost: nothing is known of them.
    pub lost: u64,
}

impl PooledSecond {
    fn add(&mut self, second: &Second) {
        self.max_ns = self.max_ns.max(second.max_ns);
        self.count += second.count;
        self.skipped += second.skipped;
        self.missed += second.missed;
        self.lost += second.lost;
    }

    /// True where an activation certainly came later than `deadline_ns`.
    pub(crate) fn certainly_late(&self, deadline_ns: i64) -> bool {
        self.skipped > 0 || self.max_ns.is_some_and(|max| max > deadline_ns)
    }

    /// True where an activation may have come later than `deadline_ns`, the source being no finer than `resolution_ns`.
    pub(crate) fn possibly_late(&self, deadline_ns: i64, resolution_ns: i64) -> bool {
        self.lost > 0 || self.certainly_late(deadline_ns.saturating_sub(resolution_ns - 1))
    }
}

/// The seconds that several series have together, in order; none where one of them keeps no timeline.
pub(crate) fn pooled(series: &[&Series]) -> Vec<PooledSecond> {
    if series.iter().any(|one| one.timeline.is_empty()) {
        return vec![];
    }
    let mut by_time: BTreeMap<u32, PooledSecond> = BTreeMap::new();
    let mut warming = Vec::new();
    for second in series.iter().flat_map(|one| &one.timeline) {
        if second.warm_up {
            warming.push(second.at_s);
        }
        by_time.entry(second.at_s).or_insert(PooledSecond { at_s: second.at_s, ..PooledSecond::default() }).add(second);
    }
    for at_s in warming {
        by_time.remove(&at_s);
    }
    by_time.into_values().filter(|second| second.count + second.skipped + second.lost > 0).collect()
}

/// How dependent the largest latencies are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Clusters {
    /// The latency that the clusters exceed.
    pub above_ns: i64,
    /// Stretches of consecutive seconds that hold larger ones.
    pub clusters: u64,
    /// Latencies above it.
    pub exceedances: u64,
}

impl Clusters {
    /// Latencies in one cluster on average: what one cause brings; the inverse of the extremal index.
    pub(crate) fn mean_size(self) -> f64 {
        (self.exceedances as f64 / self.clusters as f64).max(1.0)
    }
}

/// Seconds that the largest latencies are looked for in.
const WORST_SECONDS: usize = 10;

/// The clusters of the largest latencies: those above every second's maximum but the ten worst (a runs estimator).
///
/// `None` below twice as many seconds, or where the timeline does not tell.
pub(crate) fn clusters(run: &Run) -> Option<Clusters> {
    let series = scope::principal_series(run);
    let seconds = pooled(&series);
    let mut maxima: Vec<i64> = seconds.iter().filter_map(|second| second.max_ns).collect();
    if maxima.len() < 2 * WORST_SECONDS {
        return None;
    }
    maxima.sort_unstable_by(|a, b| b.cmp(a));
    let above_ns = maxima[WORST_SECONDS];
    let late: Vec<bool> = seconds.iter().map(|second| second.max_ns > Some(above_ns)).collect();
    let clusters = stretches(&late);
    let exceedances =
        series.iter().map(|one| served(run, one)).map(|one: Distribution| one.certainly_above(above_ns)).sum();
    (clusters > 0).then_some(Clusters { above_ns, clusters, exceedances })
}

/// Stretches of consecutive marks.
fn stretches(marks: &[bool]) -> u64 {
    marks.chunk_by(|a, b| a == b).filter(|stretch| stretch[0]).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(at_s: u32, max_ns: i64) -> Second {
        Second { at_s, count: 100, max_ns: Some(max_ns), ..Second::default() }
    }

    #[test]
    fn processors_are_pooled_and_the_warm_up_of_either_is_left_out() {
        let warm = Second { warm_up: true, ..second(0, 9_999) };
        let idle = Second { at_s: 3, ..Second::default() };
        let a = Series { timeline: vec![warm, second(1, 5), second(2, 7), idle], ..Series::default() };
        let b = Series {
            timeline: vec![second(0, 3), second(1, 6), Second { skipped: 2, ..second(2, 1) }],
            ..Series::default()
        };
        let found = pooled(&[&a, &b]);
        assert_eq!(found.iter().map(|second| second.at_s).collect::<Vec<_>>(), [1, 2]);
        assert_eq!((found[0].max_ns, found[0].count), (Some(6), 200));
        assert_eq!((found[1].max_ns, found[1].skipped), (Some(7), 2));
        assert!(pooled(&[&a, &Series::default()]).is_empty());
    }

    #[test]
    fn a_second_is_late_by_its_maximum_a_skip_or_a_lost_record() {
        let quiet = PooledSecond { max_ns: Some(100), count: 9, ..PooledSecond::default() };
        assert!(!quiet.certainly_late(100) && quiet.certainly_late(99));
        assert!(quiet.possibly_late(100, 2) && !quiet.possibly_late(100, 1));
        assert!(PooledSecond { skipped: 1, ..quiet }.certainly_late(1_000));
        assert!(!PooledSecond { lost: 1, ..quiet }.certainly_late(1_000));
        assert!(PooledSecond { lost: 1, ..quiet }.possibly_late(1_000, 1));
    }

    #[test]
    fn one_stall_of_many_late_samples_is_one_cluster() {
        let mut series = Series { timeline: (0..60).map(|at_s| second(at_s, 10)).collect(), ..Series::default() };
        series.histogram.add(10, 5_000);
        for at_s in [3, 4, 30] {
            series.timeline[at_s].max_ns = Some(900);
            series.histogram.add(900, 20);
        }
        let run = Run { series: vec![series], ..Run::default() };
        let found = clusters(&run).unwrap();
        assert_eq!((found.above_ns, found.clusters, found.exceedances), (10, 2, 60));
        assert_eq!(found.mean_size(), 30.0);
    }
}
