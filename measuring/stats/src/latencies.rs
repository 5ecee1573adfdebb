//! The latencies of one quantity, and every figure that is read off them: summaries, claims and comparisons ask here.
//!
//! Runs are pooled by their values and by their blocks, so that one run and several repeats of a cell have the same
//! definitions of mean, quantile, maximum and interval.

use crate::blocks::{Unit, units};
use crate::distribution::{Bracket, Distribution};
use crate::estimate::{Estimate, TooFew, estimates};
use crate::level::Level;
use crate::moments::moments;
use crate::served::served;
use crate::summary::Per;
use prazo_run::run::Quantity;
use prazo_run::{Run, Series};

/// All latencies of one quantity, per served wake-up, warm-up excluded.
#[derive(Clone, Debug)]
pub struct Latencies {
    distribution: Distribution,
    overflow: u64,
    /// Blocks of all runs, one after the other; the reason where a run has none.
    units: Result<Vec<Unit>, String>,
}

impl Default for Latencies {
    fn default() -> Self {
        Self { distribution: Distribution::default(), overflow: 0, units: Ok(vec![]) }
    }
}

/// Mean between the smallest and the largest that values known by count alone allow; both are the mean without such values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanRange {
    /// Smallest possible.
    pub low_ns: f64,
    /// Largest possible; `None` where some value has no known upper end.
    pub high_ns: Option<f64>,
}

impl Latencies {
    /// The latencies of `quantity` in these runs, whether its series stand on their own or are parts of others.
    pub fn of(runs: &[Run], quantity: Quantity) -> Self {
        let (mut each, mut overflow, mut all_units) = (Vec::new(), 0, Ok(Vec::new()));
        for run in runs {
            let series: Vec<&Series> = every_series(run).filter(|series| series.quantity == quantity).collect();
            if series.is_empty() {
                continue;
            }
            each.extend(series.iter().map(|series| served(run, series)));
            overflow += series.iter().map(|series| series.histogram.overflow()).sum::<u64>();
            all_units = all_units.and_then(|mut all| {
                all.extend(units(&series, Per::ServedWakeUp)?);
                Ok(all)
            });
        }
        Self { distribution: Distribution::merged(&each), overflow, units: all_units }
    }

    /// These values, of which no blocks are known.
    pub fn of_values(values: impl IntoIterator<Item = i64>) -> Self {
        let exact = values.into_iter().map(|value| (value, 1)).collect();
        Self { distribution: Distribution::new(exact, vec![]), ..Self::default() }
    }

    /// How many there are, those beyond the histogram included.
    pub fn count(&self) -> u64 {
        self.distribution.count()
    }

    /// How many lie beyond the histogram, known by value or not.
    pub fn overflow(&self) -> u64 {
        self.overflow
    }

    /// The smallest; `None` without a value that is known.
    pub fn min_ns(&self) -> Option<i64> {
        self.distribution.min()
    }

    /// The largest: exact, or only known to be at least so much.
    pub fn max(&self) -> Option<Bracket> {
        self.distribution.maximum()
    }

    /// The largest, where it is known.
    pub fn max_ns(&self) -> Option<i64> {
        self.distribution.max()
    }

    /// The mean; `None` where values that are known by count alone hide it.
    pub fn mean_ns(&self) -> Option<f64> {
        moments(&self.distribution).filter(|_| self.distribution.vague_count() == 0).map(|moments| moments.mean_ns)
    }

    /// What the mean may be.
    pub fn mean_range(&self) -> Option<MeanRange> {
        let low_ns = moments(&self.distribution)?.mean_ns;
        let high_ns = self.distribution.at_upper_ends().and_then(|upper| moments(&upper)).map(|upper| upper.mean_ns);
        Some(MeanRange { low_ns, high_ns })
    }

    /// The sample standard deviation; `None` below two values, and where some are known by count alone.
    pub fn sd_ns(&self) -> Option<f64> {
        moments(&self.distribution).filter(|_| self.distribution.vague_count() == 0).and_then(|moments| moments.sd_ns)
    }

    /// The order statistic of `level`; `None` where too few values lie above it, or where it is known as a lower bound only.
    pub fn quantile_ns(&self, level: Level) -> Option<i64> {
        self.distribution.supported_quantile(level).and_then(Bracket::exact)
    }

    /// How many may lie above `ns`: those known by count alone are counted where they may.
    pub fn above(&self, ns: i64) -> u64 {
        self.distribution.possibly_above(ns)
    }

    /// The order statistics of `levels`, each with its interval.
    pub fn estimates(&self, levels: &[Level]) -> Vec<Result<Estimate, TooFew>> {
        estimates(&self.distribution, self.units.as_deref().map_err(String::as_str), levels)
    }

    /// The order statistic of one level with its interval.
    pub fn estimate(&self, level: Level) -> Result<Estimate, TooFew> {
        self.estimates(&[level]).remove(0)
    }
}

/// The quantities of which a run has latencies.
pub fn quantities(run: &Run) -> impl Iterator<Item = Quantity> {
    every_series(run).map(|series| series.quantity)
}

/// A run's series: those of its own, and those that are parts of another.
fn every_series(run: &Run) -> impl Iterator<Item = &Series> {
    let parts = run.series.iter().filter_map(|series| series.split.as_ref()).flat_map(|split| &split.parts);
    run.series.iter().chain(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Variation;
    use prazo_run::run::{Block, StatedFigures};
    use prazo_run::split::{Split, SplitCounts, Splitter};

    fn series(quantity: Quantity, values_ns: &[i64]) -> Series {
        let mut series = Series { quantity, ..Series::default() };
        values_ns.iter().for_each(|value_ns| series.histogram.add(*value_ns, 1));
        series
    }

    fn run(series: Series) -> Run {
        Run { series: vec![series], ..Run::default() }
    }

    #[test]
    fn a_quantity_has_its_own_values_from_series_and_parts_of_all_runs() {
        let counts = SplitCounts { by: Splitter::Bpf, split: 1, never_slept: 0, unsplit: Default::default() };
        let parts = vec![series(Quantity::InterruptLatency, &[3])];
        let split = Some(Box::new(Split { counts, parts, causes: Vec::new() }));
        let whole = Series { split, ..series(Quantity::ResponseLatency, &[5, 9]) };
        let runs = [run(whole), run(series(Quantity::InterruptLatency, &[4])), Run::default()];
        let of = |quantity| {
            let found = Latencies::of(&runs, quantity);
            (found.count(), found.min_ns(), found.max_ns())
        };
        assert_eq!(of(Quantity::ResponseLatency), (2, Some(5), Some(9)));
        assert_eq!(of(Quantity::InterruptLatency), (2, Some(3), Some(4)));
        assert_eq!(of(Quantity::Noise), (0, None, None));
    }

    #[test]
    fn a_run_without_the_quantity_leaves_the_interval_and_one_without_blocks_removes_it() {
        let mut blocked = series(Quantity::ResponseLatency, &[]);
        for index in 0..10 {
            let mut block = Block { from_s: index * 10, length_s: 10, ..Block::default() };
            (0..10).for_each(|value_ns| block.histogram.add(value_ns, 1));
            blocked.histogram.merge(&block.histogram);
            blocked.blocks.push(block);
        }
        let variation_with = |other: Series| {
            let found = Latencies::of(&[run(blocked.clone()), run(other)], Quantity::ResponseLatency);
            found.estimate(Level::nines(2)).unwrap().variation
        };
        let other_quantity = variation_with(series(Quantity::Noise, &[7]));
        assert!(matches!(other_quantity, Variation::Interval { .. }), "{other_quantity:?}");
        let without_blocks = variation_with(series(Quantity::ResponseLatency, &[7]));
        assert_eq!(without_blocks, Variation::Unknown("the source has no record of its samples over time".into()));
    }

    #[test]
    fn values_known_by_count_alone_hide_mean_and_deviation_and_leave_a_range_of_the_mean() {
        let of = |overflow, max_ns| {
            let mut series = series(Quantity::ResponseLatency, &[2, 4, 4, 4, 5, 5, 7, 9]);
            series.histogram.add_overflow(overflow);
            series.stated = Some(StatedFigures { max_ns, ..StatedFigures::default() });
            let found = Latencies::of(&[run(series)], Quantity::ResponseLatency);
            let range = found.mean_range().unwrap();
            (found.mean_ns(), found.sd_ns(), range.low_ns, range.high_ns)
        };
        assert_eq!(of(0, None), (Some(5.0), Some((32.0f64 / 7.0).sqrt()), 5.0, Some(5.0)));
        assert_eq!(
            of(1, Some(50)),
            (Some(10.0), Some(229.0f64.sqrt()), 10.0, Some(10.0)),
            "the source states its value"
        );
        assert_eq!(of(2, Some(50)), (None, None, 10.0, Some(14.0)), "the other lies between 10 and 50");
        assert_eq!(of(2, None), (None, None, 6.0, None), "both are 10 or larger");
    }

    #[test]
    fn samples_of_a_last_block_that_processors_do_not_share_have_no_interval_and_no_panic() {
        // Both threads only ran in the last, unfinished block, which one of them left a second earlier.
        let of = |last_s: u32| {
            let mut series = series(Quantity::ResponseLatency, &[10; 20]);
            series.blocks =
                (0..12).map(|index| Block { from_s: index * 10, length_s: 10, ..Block::default() }).collect();
            series.blocks[11].length_s = last_s;
            series.blocks[11].histogram.add(10, 20);
            series
        };
        let run = Run { series: vec![of(3), of(4)], ..Run::default() };
        let found = Latencies::of(&[run], Quantity::ResponseLatency).estimate(Level::nines(2)).unwrap();
        assert!(matches!(found.variation, Variation::Unknown(_) | Variation::Range { .. }), "{found:?}");
    }
}
