//! Minimum, mean, standard deviation and maximum of one quantity of a cell: measured, with their spread over runs, or stated.
//!
//! A cell that was repeated with several seeds has one value a run. One seed is one trajectory, so what claims compare is the
//! range of those values: a difference counts only where the ranges are apart.

use crate::evidence::Entry;
use crate::stated::Stated;
use prazo_run::run::{Quantity, Series};
use prazo_run::{Histogram, Run};
use prazo_verdict::claim::Undecidable;
use prazo_verdict::claim::figures;
use serde::Deserialize;
use std::fmt;

/// What is taken of the samples of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    /// The smallest.
    Min,
    /// The mean.
    Mean,
    /// The standard deviation of the population.
    Deviation,
    /// The largest observed.
    Max,
}

/// A statistic with its range over a cell's runs, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// The smallest value that a run has.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// Samples of one run, the fewest; `None` where a paper does not say.
    pub count: Option<u64>,
    /// Runs; 0 for a stated figure.
    pub runs: usize,
}

impl Statistic {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 4] = [Self::Min, Self::Mean, Self::Deviation, Self::Max];

    /// The word used by files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Min => "minimum",
            Self::Mean => "mean",
            Self::Deviation => "deviation",
            Self::Max => "maximum",
        }
    }

    /// Of one run's samples; `None` without samples, and where overflow hides the answer.
    pub fn of(self, samples: &Histogram) -> Option<f64> {
        match self {
            Self::Min => samples.cells().next().map(|(value, _)| value as f64),
            _ if samples.overflow() > 0 => None,
            Self::Mean => mean(samples),
            Self::Deviation => deviation(samples),
            Self::Max => samples.cells().next_back().map(|(value, _)| value as f64),
        }
    }
}

/// The sum is exact; one rounding at the end.
fn mean(samples: &Histogram) -> Option<f64> {
    let sum: i128 = samples.cells().map(|(value, count)| i128::from(value) * i128::from(count)).sum();
    (samples.total() > 0).then(|| sum as f64 / samples.total() as f64)
}

/// Two passes, so that nothing cancels.
fn deviation(samples: &Histogram) -> Option<f64> {
    let mean = mean(samples)?;
    let squares: f64 = samples.cells().map(|(value, count)| (value as f64 - mean).powi(2) * count as f64).sum();
    Some((squares / samples.total() as f64).sqrt())
}

/// The samples of a quantity in one run.
pub fn samples(run: &Run, quantity: Quantity) -> Histogram {
    all_samples(std::slice::from_ref(run), quantity)
}

/// The samples of a quantity in several runs.
pub fn all_samples(runs: &[Run], quantity: Quantity) -> Histogram {
    let series = runs.iter().flat_map(every_series).filter(|series| series.quantity == quantity);
    series.fold(Histogram::default(), |mut sum, series| {
        sum.merge(&series.histogram);
        sum
    })
}

/// The quantities that a run holds.
pub fn quantities(run: &Run) -> impl Iterator<Item = Quantity> {
    every_series(run).map(|series| series.quantity)
}

/// A run's series wherever they stand: of their own, or parts of a whole.
fn every_series(run: &Run) -> impl Iterator<Item = &Series> {
    let splits = run.series.iter().filter_map(|series| series.split.as_ref());
    run.series.iter().chain(splits.flat_map(|split| &split.parts))
}

impl Known {
    /// Over the runs of a measured cell.
    pub fn measured(cell: &str, entry: &Entry, quantity: Quantity, of: Statistic) -> Result<Self, Undecidable> {
        let lacks = || Undecidable(format!("a run of {cell} has no {} of {}", of.name(), quantity_name(quantity)));
        let runs: Vec<Histogram> = entry.runs.iter().map(|run| samples(run, quantity)).collect();
        let values: Option<Vec<f64>> = runs.iter().map(|samples| of.of(samples)).collect();
        let values = values.filter(|values| !values.is_empty()).ok_or_else(lacks)?;
        let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
        Ok(Self { low, high, count: runs.iter().map(Histogram::total).min(), runs: runs.len() })
    }

    /// As a paper states it.
    pub fn stated(cell: &str, stated: &Stated, quantity: Quantity, of: Statistic) -> Result<Self, Undecidable> {
        let value = stated.row(quantity).and_then(|row| row.get(of));
        let lacks = || Undecidable(format!("{cell} states no {} of {}", of.name(), quantity_name(quantity)));
        let value = value.ok_or_else(lacks)?;
        Ok(Self { low: value, high: value, count: stated.count, runs: 0 })
    }
}

/// The quantity's word in files, with spaces.
pub fn quantity_name(quantity: Quantity) -> String {
    let word = serde_json::to_value(quantity).expect("a quantity is a word");
    word.as_str().unwrap_or_default().replace('-', " ")
}

/// `8.900us (stated, n = 12,000)`, `8.220us to 8.230us (3 runs, n = 2,000 each)`.
impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&figures::ns(self.low))?;
        if self.high > self.low {
            write!(f, " to {}", figures::ns(self.high))?;
        }
        let count = self.count.map_or("count not stated".to_owned(), |count| format!("n = {}", figures::count(count)));
        match self.runs {
            0 => write!(f, " (stated, {count})"),
            1 => write!(f, " ({count})"),
            runs => write!(f, " ({runs} runs, {count} each)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(values: &[i64]) -> Histogram {
        values.iter().fold(Histogram::default(), |mut histogram, value| {
            histogram.add(*value, 1);
            histogram
        })
    }

    #[test]
    fn four_statistics_of_eight_samples() {
        let eight = samples(&[2, 4, 4, 4, 5, 5, 7, 9]);
        let all = [Statistic::Min, Statistic::Mean, Statistic::Deviation, Statistic::Max];
        assert_eq!(all.map(|statistic| statistic.of(&eight)), [Some(2.0), Some(5.0), Some(2.0), Some(9.0)]);
    }

    #[test]
    fn overflow_hides_all_but_the_minimum() {
        let mut three = samples(&[1, 2, 3]);
        three.add_overflow(1);
        assert_eq!(Statistic::Min.of(&three), Some(1.0));
        assert_eq!(Statistic::Mean.of(&three), None);
        assert_eq!(Statistic::Max.of(&three), None);
        assert_eq!(Statistic::Mean.of(&Histogram::default()), None);
    }
}
