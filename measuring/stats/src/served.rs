//! The latencies of one series as served, the overflow resolved as far as the run knows it.
//!
//! What lies beyond the histogram's bound is only counted there, but the run also lists its worst samples, and imports
//! state a maximum: the values that these name are exact, and those left over lie between the bound and the smallest named.

use crate::distribution::{Distribution, Vague};
use prazo_run::{Run, Series, overflow};

/// The distribution of the served wake-ups of one series, warm-up excluded.
pub(crate) fn served(run: &Run, series: &Series) -> Distribution {
    let known = overflow::known_ns(run, series);
    let hidden = Vague {
        at_least_ns: overflow::floor_ns(run, series),
        at_most_ns: known.last().copied(),
        count: series.histogram.overflow() - known.len() as u64,
    };
    Distribution::new(series.histogram.cells().chain(known.into_iter().map(|value| (value, 1))).collect(), vec![hidden])
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
