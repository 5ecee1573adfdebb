//! All samples of one line of a chart: values with counts, and what is only known to lie beyond them.
//!
//! Values beyond a histogram's bound are resolved from the list of worst samples where that list holds them all; what
//! remains unknown is counted as `beyond` and marked at the chart's edge, never dropped.

use prazo_run::Series;
use prazo_run::histogram::Histogram;

/// Values in nanoseconds with counts, ascending, and the number of larger ones whose value is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// Value and count.
    pub cells: Vec<(i64, u64)>,
    /// Samples above every cell.
    pub beyond: u64,
}

impl Distribution {
    /// The served wake-ups of some series together.
    pub fn served<'a>(series: impl IntoIterator<Item = &'a Series>) -> Self {
        let mut all = Histogram::new();
        for series in series {
            all.merge(&resolved(series));
        }
        Self::of(&all)
    }

    /// The due activations: each skipped one with the lateness it had at least.
    ///
    /// A wake-up late by L at period P jumped over the activations that were late by L-P, L-2P, ... > 0 when it came
    /// (the exact form of HdrHistogram's correction for an expected interval). `None` where a series has no period,
    /// or jumped over more than can be drawn.
    pub fn due<'a>(series: impl IntoIterator<Item = &'a Series>) -> Option<Self> {
        let mut all = Histogram::new();
        for series in series {
            let period_ns = series.period.filter(|period| !period.is_zero())?.as_ns();
            let served = resolved(series);
            add_skipped(&mut all, &served, period_ns)?;
            all.merge(&served);
        }
        Some(Self::of(&all))
    }

    fn of(histogram: &Histogram) -> Self {
        Self { cells: histogram.cells().collect(), beyond: histogram.overflow() }
    }

    /// All samples.
    pub fn total(&self) -> u64 {
        self.cells.iter().map(|(_, count)| count).sum::<u64>() + self.beyond
    }

    /// Smallest and largest known value.
    pub fn span(&self) -> Option<(i64, i64)> {
        Some((self.cells.first()?.0, self.cells.last()?.0))
    }
}

/// The most skipped activations that are unfolded: a run with more has no curve per due activation.
const SKIPPED_UNFOLDED_MAX: u64 = 1_000_000;

/// How many activations a wake-up late by `ns` jumped over.
fn jumped_over(ns: i64, period_ns: u64) -> u64 {
    if ns > 0 { (ns.unsigned_abs() - 1) / period_ns } else { 0 }
}

/// Adds the skipped activations of `served`; `None` where there are too many to draw in reasonable time.
fn add_skipped(all: &mut Histogram, served: &Histogram, period_ns: u64) -> Option<()> {
    let steps = served.cells().try_fold(0u64, |sum, (ns, _)| sum.checked_add(jumped_over(ns, period_ns)))?;
    if steps > SKIPPED_UNFOLDED_MAX {
        return None;
    }
    for (ns, count) in served.cells() {
        (1..=jumped_over(ns, period_ns)).for_each(|step| all.add(ns - (step * period_ns) as i64, count));
    }
    Some(())
}

/// The histogram with its overflow replaced by the worst samples, where these hold all of it.
fn resolved(series: &Series) -> Histogram {
    let overflow = series.histogram.overflow();
    let bound = series.histogram.cells().next_back().map_or(i64::MIN, |(value, _)| value);
    let known: Vec<i64> = series.worst.iter().map(|worst| worst.latency_ns).filter(|ns| *ns > bound).collect();
    if overflow == 0 || known.len() as u64 != overflow {
        return series.histogram.clone();
    }
    let mut all = Histogram::new();
    series.histogram.cells().for_each(|(value, count)| all.add(value, count));
    known.into_iter().for_each(|ns| all.add(ns, 1));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time::Duration;
    use prazo_run::run::WorstSample;

    fn series(cells: &[(i64, u64)], overflow: u64, worst: &[i64]) -> Series {
        let mut histogram = Histogram::new();
        cells.iter().for_each(|(value, count)| histogram.add(*value, *count));
        histogram.add_overflow(overflow);
        let worst = worst.iter().map(|ns| WorstSample { at_ns: 0, latency_ns: *ns, activation: 0 }).collect();
        Series { histogram, worst, period: Some(Duration::from_ns(100)), ..Series::default() }
    }

    #[test]
    fn overflow_is_resolved_only_where_the_worst_samples_hold_all_of_it() {
        let known = Distribution::served([&series(&[(10, 5)], 2, &[300, 200, 10])]);
        assert_eq!(known, Distribution { cells: vec![(10, 5), (200, 1), (300, 1)], beyond: 0 });
        let unknown = Distribution::served([&series(&[(10, 5)], 3, &[300, 200, 10])]);
        assert_eq!((unknown.cells, unknown.beyond), (vec![(10, 5)], 3));
    }

    #[test]
    fn a_late_wake_up_brings_the_activations_it_jumped_over() {
        let due = Distribution::due([&series(&[(-5, 1), (100, 1), (250, 2)], 0, &[])]).unwrap();
        assert_eq!(due.cells, [(-5, 1), (50, 2), (100, 1), (150, 2), (250, 2)]);
    }

    #[test]
    fn without_a_period_there_is_nothing_due() {
        let series = Series { period: None, ..series(&[(10, 1)], 0, &[]) };
        assert_eq!(Distribution::due([&series]), None);
    }
}
