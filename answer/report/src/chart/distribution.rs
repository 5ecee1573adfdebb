//! All samples of one line of a chart: values with counts, and what is only known to lie beyond them.
//!
//! Values beyond a histogram's bound are resolved from the list of worst samples where that list holds them all; what
//! remains unknown is counted as `beyond` and marked at the chart's edge, never dropped.

use prazo_run::histogram::Histogram;
use prazo_run::{Run, Series};
use prazo_stats::distribution::Vague;
use prazo_stats::due::per_due;

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

    /// The due activations of some series together: the skipped ones re-added by [`prazo_stats::due`], each with the
    /// lateness that it had at least; and how, where that is more than placing what the run counted.
    ///
    /// `Err` says why there is none.
    pub fn due<'a>(run: &Run, series: impl IntoIterator<Item = &'a Series>) -> Result<(Self, Option<String>), String> {
        let (mut all, mut method) = (Vec::new(), None);
        for series in series {
            let due = per_due(run, series, &Self::served([series]).for_statistics())?;
            if due.reconstructed || due.distribution.vague_count() > due_beyond(series) {
                method = Some(due.method);
            }
            all.push(due.distribution);
        }
        Ok((Self::at_least(&prazo_stats::Distribution::merged(&all)), method))
    }

    /// In the form of the statistics, where values beyond the cells are bracketed.
    fn for_statistics(&self) -> prazo_stats::Distribution {
        let floor = self.cells.last().map_or(i64::MIN, |(value, _)| value.saturating_add(1));
        let beyond = Vague { at_least_ns: floor, at_most_ns: None, count: self.beyond };
        prazo_stats::Distribution::new(self.cells.clone(), vec![beyond])
    }

    /// Every bracketed value at its lower end, but those above every known value, which stay beyond.
    fn at_least(all: &prazo_stats::Distribution) -> Self {
        let last = all.exact().last().map_or(i64::MIN, |(value, _)| *value);
        let (beyond, within): (Vec<&Vague>, Vec<&Vague>) = all.vague().iter().partition(|part| part.at_least_ns > last);
        let within = within.into_iter().map(|part| (part.at_least_ns, part.count));
        let cells = prazo_stats::Distribution::new(all.exact().iter().copied().chain(within).collect(), Vec::new());
        Self { cells: cells.exact().to_vec(), beyond: beyond.iter().map(|part| part.count).sum() }
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

/// Samples of unknown value that a series has anyway, whatever it skipped.
fn due_beyond(series: &Series) -> u64 {
    resolved(series).overflow()
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

    fn skipping(skipped: u64) -> Series {
        let mut series = series(&[(-5, 1), (100, 1), (250, 2)], 0, &[]);
        series.activations.skipped = Some(skipped);
        series
    }

    #[test]
    fn a_late_wake_up_brings_the_activations_it_jumped_over() {
        let (due, method) = Distribution::due(&Run::default(), [&skipping(4)]).unwrap();
        assert_eq!(due.cells, [(-5, 1), (50, 2), (100, 1), (150, 2), (250, 2)]);
        assert_eq!(method, None);
    }

    #[test]
    fn skipped_activations_of_unknown_lateness_are_drawn_at_the_least_they_had_and_said() {
        let (due, method) = Distribution::due(&Run::default(), [&skipping(6)]).unwrap();
        assert_eq!((due.cells[1], due.total()), ((1, 2), 10));
        assert!(method.unwrap().contains("unknown lateness"));
    }

    #[test]
    fn without_a_period_nothing_can_be_placed_that_was_not_counted() {
        let series = Series { period: None, ..series(&[(10, 1)], 0, &[]) };
        assert!(Distribution::due(&Run::default(), [&series]).unwrap_err().contains("neither the period"));
    }
}
