//! The latencies of one series as served, the overflow resolved as far as the run knows it.
//!
//! What lies beyond the histogram's bound is only counted there, but the run also lists its worst samples, and imports
//! state a maximum: the values that these name are exact, and those left over lie between the bound and the smallest named.

use crate::distribution::{Distribution, Vague};
use crate::scope;
use prazo_run::{Run, Series};

/// The distribution of the served wake-ups of one series, warm-up excluded.
pub(crate) fn served(run: &Run, series: &Series) -> Distribution {
    let cells: Vec<(i64, u64)> = series.histogram.cells().collect();
    let overflow = series.histogram.overflow();
    if overflow == 0 {
        return Distribution::new(cells, vec![]);
    }
    let floor = overflow_floor(run, series);
    let named = named_overflow(run, series, floor);
    let hidden = Vague { at_least_ns: floor, at_most_ns: named.last().copied(), count: overflow - named.len() as u64 };
    Distribution::new(cells.into_iter().chain(named.into_iter().map(|value| (value, 1))).collect(), vec![hidden])
}

/// The smallest value that an overflow sample can have.
fn overflow_floor(run: &Run, series: &Series) -> i64 {
    let above_cells = series.histogram.cells().next_back().map_or(i64::MIN, |(value, _)| value.saturating_add(1));
    let above_bound = scope::histogram_bound(run).map_or(i64::MIN, |bound| as_i64(bound.as_ns()).saturating_add(1));
    above_cells.max(above_bound)
}

/// The overflow values that are known, largest first; never more than there are.
fn named_overflow(run: &Run, series: &Series, floor: i64) -> Vec<i64> {
    let listed = listed_above(run, series, floor);
    if !listed.is_empty() && listed.len() as u64 <= series.histogram.overflow() {
        return listed;
    }
    observed_maximum(series).filter(|max| *max >= floor).into_iter().collect()
}

/// The worst samples at or above `floor`, without those of the warm-up, largest first.
fn listed_above(run: &Run, series: &Series, floor: i64) -> Vec<i64> {
    let from_ns = as_i64(scope::warm_up(run).as_ns());
    let of_figures = series.worst.iter().filter(|sample| sample.at_ns >= from_ns && sample.latency_ns >= floor);
    let mut listed: Vec<i64> = of_figures.map(|sample| sample.latency_ns).collect();
    listed.sort_unstable_by(|a, b| b.cmp(a));
    listed
}

/// The maximum as the source states it or the timeline holds it.
fn observed_maximum(series: &Series) -> Option<i64> {
    let stated = series.stated.and_then(|stated| stated.max_ns);
    let seconds = series.timeline.iter().filter(|second| !second.warm_up);
    stated.max(seconds.filter_map(|second| second.max_ns).max())
}

fn as_i64(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::Histogram;
    use prazo_run::run::{StatedFigures, WorstSample};

    fn series(overflow: u64, worst: &[i64]) -> Series {
        let mut histogram = Histogram::new();
        histogram.add(10, 100);
        histogram.add_overflow(overflow);
        let worst = worst.iter().map(|latency| WorstSample { at_ns: 0, latency_ns: *latency, activation: 0 });
        Series { histogram, worst: worst.collect(), ..Series::default() }
    }

    #[test]
    fn overflow_that_the_worst_list_holds_is_exact() {
        let found = served(&Run::default(), &series(3, &[900, 700, 500, 10, 10]));
        assert_eq!(found.exact(), [(10, 100), (500, 1), (700, 1), (900, 1)]);
        assert_eq!(found.vague_count(), 0);
    }

    #[test]
    fn overflow_beyond_the_worst_list_lies_below_its_last_entry() {
        let found = served(&Run::default(), &series(5, &[900, 700]));
        assert_eq!(found.vague(), [Vague { at_least_ns: 11, at_most_ns: Some(700), count: 3 }]);
        assert_eq!(found.max(), Some(900));
        assert_eq!(found.count(), 105);
    }

    #[test]
    fn a_stated_maximum_is_one_of_the_overflow_values() {
        let mut imported = series(2, &[]);
        imported.stated = Some(StatedFigures { max_ns: Some(25_816_000), ..StatedFigures::default() });
        let found = served(&Run::default(), &imported);
        assert_eq!(found.max(), Some(25_816_000));
        assert_eq!(found.vague_count(), 1);
    }

    #[test]
    fn a_list_longer_than_the_overflow_is_not_believed() {
        let found = served(&Run::default(), &series(1, &[900, 700]));
        assert_eq!(found.vague(), [Vague { at_least_ns: 11, at_most_ns: None, count: 1 }]);
        assert_eq!(found.max(), None);
    }
}
