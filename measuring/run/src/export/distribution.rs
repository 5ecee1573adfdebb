//! The latencies of one or more series, with the overflow put in its place as far as its values are known.
//!
//! Above the histogram's bound only the worst samples have a value. So ranks are exact up to the largest latency in range
//! of a series whose overflow is not all listed, and unknown beyond it; the largest of all is known from the worst list
//! or from what the source states.

use crate::run::Quantity;
use crate::{Run, Series, overflow};
use std::collections::BTreeMap;

/// Values with counts, and how many more there are whose value is unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct Distribution {
    cells: BTreeMap<i64, u64>,
    unlisted: u64,
    unknown_above_ns: Option<i64>,
    max_ns: Option<i64>,
}

/// The quantity that speaks for a run: the response latency if it has it, else its first.
pub(super) fn main_quantity(series: &[Series]) -> Quantity {
    let has = |quantity| series.iter().any(|of| of.quantity == quantity);
    match series.first() {
        Some(first) if !has(Quantity::ResponseLatency) => first.quantity,
        _ => Quantity::ResponseLatency,
    }
}

impl Distribution {
    /// All samples of these series of a run, warm-up excluded.
    pub(super) fn of<'a>(run: &Run, series: impl IntoIterator<Item = &'a Series>) -> Self {
        let mut sum = Self::default();
        let mut all_max_known = true;
        for series in series {
            series.histogram.cells().for_each(|(latency_ns, count)| *sum.cells.entry(latency_ns).or_default() += count);
            let known = overflow::known_ns(run, series);
            known.iter().for_each(|latency_ns| *sum.cells.entry(*latency_ns).or_default() += 1);
            let unlisted = series.histogram.overflow() - known.len() as u64;
            if unlisted > 0 {
                sum.unlisted += unlisted;
                let above = overflow::floor_ns(run, series).saturating_sub(1);
                sum.unknown_above_ns = Some(sum.unknown_above_ns.map_or(above, |known| known.min(above)));
            }
            let max_ns = overflow::max_ns(run, series);
            all_max_known &= series.histogram.is_empty() || max_ns.is_some();
            sum.max_ns = sum.max_ns.max(max_ns);
        }
        sum.max_ns = sum.max_ns.filter(|_| all_max_known);
        sum
    }

    /// How many samples there are, those without a value included.
    pub(super) fn total(&self) -> u64 {
        self.cells.values().sum::<u64>() + self.unlisted
    }

    /// How many samples have no value.
    pub(super) fn unlisted(&self) -> u64 {
        self.unlisted
    }

    /// Value and count, ascending.
    pub(super) fn cells(&self) -> impl Iterator<Item = (i64, u64)> + '_ {
        self.cells.iter().map(|(value, count)| (*value, *count))
    }

    /// Smallest; `None` without a sample in range.
    pub(super) fn min_ns(&self) -> Option<i64> {
        self.cells.keys().next().copied()
    }

    /// Largest; `None` where nobody knows.
    pub(super) fn max_ns(&self) -> Option<i64> {
        self.max_ns
    }

    /// Value and cumulative count, ascending, as far as ranks are exact.
    pub(super) fn ranks(&self) -> impl Iterator<Item = (i64, u64)> + '_ {
        let exact = self.cells().take_while(|(value, _)| self.unknown_above_ns.is_none_or(|above| *value <= above));
        exact.scan(0, |below, (value, count)| {
            *below += count;
            Some((value, *below))
        })
    }

    /// How many samples are larger than this; `None` where that hangs on samples without a value.
    pub(super) fn above(&self, latency_ns: i64) -> Option<u64> {
        let listed: u64 = self.cells.range(latency_ns.saturating_add(1)..).map(|(_, count)| count).sum();
        match self.unknown_above_ns {
            None => Some(listed),
            Some(above) if above >= latency_ns => Some(listed + self.unlisted),
            Some(_) => None,
        }
    }

    /// The sum of all values; `None` where some have none.
    pub(super) fn sum_ns(&self) -> Option<i128> {
        let sum = || self.cells().map(|(value, count)| i128::from(value) * i128::from(count)).sum();
        (self.unlisted == 0).then(sum)
    }

    /// Mean and sample standard deviation; `None` where some values are unknown or too few.
    pub(super) fn mean_and_sd_ns(&self) -> Option<(f64, f64)> {
        let total = self.total();
        let mean = self.sum_ns().filter(|_| total > 0)? as f64 / total as f64;
        let squares: f64 = self.cells().map(|(value, count)| (value as f64 - mean).powi(2) * count as f64).sum();
        Some((mean, (squares / (total.max(2) - 1) as f64).sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Histogram;
    use crate::run::WorstSample;

    fn series(cells: &[(i64, u64)], overflow: u64, worst_ns: &[i64]) -> Series {
        let mut histogram = Histogram::new();
        cells.iter().for_each(|(value, count)| histogram.add(*value, *count));
        histogram.add_overflow(overflow);
        let keep = |latency_ns: &i64| WorstSample { at_ns: 0, latency_ns: *latency_ns, activation: 0 };
        Series { histogram, worst: worst_ns.iter().map(keep).collect(), ..Series::default() }
    }

    #[test]
    fn a_listed_overflow_is_put_in_its_place() {
        let of = Distribution::of(&Run::default(), [&series(&[(10, 5), (20, 1)], 2, &[900, 100, 20, 10])]);
        assert_eq!((of.total(), of.unlisted(), of.max_ns(), of.min_ns()), (8, 0, Some(900), Some(10)));
        assert_eq!((of.sum_ns(), of.above(20), of.above(100)), (Some(1_070), Some(2), Some(1)));
        assert_eq!(of.ranks().collect::<Vec<_>>(), [(10, 5), (20, 6), (100, 7), (900, 8)]);
    }

    #[test]
    fn ranks_end_where_values_are_unknown() {
        let of =
            Distribution::of(&Run::default(), [&series(&[(10, 5)], 3, &[900]), &series(&[(10, 1), (50, 1)], 0, &[50])]);
        assert_eq!((of.total(), of.unlisted(), of.max_ns()), (10, 2, Some(900)));
        assert_eq!(of.ranks().collect::<Vec<_>>(), [(10, 6)], "an unknown value may lie below 50");
        assert_eq!((of.above(5), of.above(10), of.above(49)), (Some(10), Some(4), None));
        assert_eq!((of.sum_ns(), of.mean_and_sd_ns()), (None, None));
    }

    #[test]
    fn a_latency_of_the_warm_up_takes_no_place_in_the_overflow() {
        let mut warmed = series(&[(10, 5)], 2, &[900, 100, 70]);
        warmed.worst[0].at_ns = -1;
        let of = Distribution::of(&Run::default(), [&warmed]);
        assert_eq!((of.unlisted(), of.max_ns(), of.sum_ns()), (0, Some(100), Some(220)));
    }

    #[test]
    fn a_maximum_that_nobody_gives_is_unknown() {
        assert_eq!(Distribution::of(&Run::default(), [&series(&[(10, 5)], 3, &[])]).max_ns(), None);
        assert_eq!(
            Distribution::of(&Run::default(), [&series(&[(10, 5)], 3, &[]), &series(&[(99, 1)], 0, &[])]).max_ns(),
            None
        );
        assert_eq!(Distribution::of(&Run::default(), [&series(&[], 0, &[])]).max_ns(), None);
    }
}
