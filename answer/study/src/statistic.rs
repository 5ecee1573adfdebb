//! Minimum, mean, standard deviation and maximum of one quantity of a cell: measured, with their spread over runs, or stated.
//!
//! A cell that was repeated with several seeds has one value a run. One seed is one trajectory, so what claims compare is the
//! range of those values: a difference counts only where the ranges are apart.

use prazo_core::text::grouped;
use prazo_run::run::Quantity;
use prazo_stats::Latencies;
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
    /// The sample standard deviation.
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

prazo_core::words!(Statistic: Min => "minimum", Mean => "mean", Deviation => "deviation", Max => "maximum");

impl Statistic {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 4] = [Self::Min, Self::Mean, Self::Deviation, Self::Max];

    /// `maximum response latency`, `deviation of response latency`.
    pub fn of_quantity(self, quantity: Quantity) -> String {
        let of = if self == Self::Deviation { "of " } else { "" };
        format!("{} {of}{}", self.name(), quantity_name(quantity))
    }

    /// Of one run's latencies; `None` without a sample, and where overflow hides the answer.
    pub fn of(self, latencies: &Latencies) -> Option<f64> {
        match self {
            Self::Min => latencies.min_ns().map(|ns| ns as f64),
            Self::Mean => latencies.mean_ns(),
            Self::Deviation => latencies.sd_ns(),
            Self::Max => latencies.max_ns().map(|ns| ns as f64),
        }
    }
}

/// The quantity's word in files, with spaces.
pub fn quantity_name(quantity: Quantity) -> String {
    quantity.name().replace('-', " ")
}

/// `8.900 µs (stated, n = 12,000)`, `8.220 µs to 8.230 µs (3 runs, n = 2,000 each)`.
impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&figures::ns(self.low))?;
        if self.high > self.low {
            write!(f, " to {}", figures::ns(self.high))?;
        }
        let count = self.count.map_or("sample count not stated".to_owned(), |count| format!("n = {}", grouped(count)));
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
    use prazo_run::{Run, Series};

    fn latencies(values: &[i64], overflow: u64) -> Latencies {
        let mut series = Series::default();
        values.iter().for_each(|value| series.histogram.add(*value, 1));
        series.histogram.add_overflow(overflow);
        Latencies::of(&[Run { series: vec![series], ..Run::default() }], Quantity::ResponseLatency)
    }

    #[test]
    fn four_statistics_of_eight_samples() {
        let eight = latencies(&[2, 4, 4, 4, 5, 5, 7, 9], 0);
        let sample_sd = (32.0f64 / 7.0).sqrt();
        assert_eq!(
            Statistic::ALL.map(|statistic| statistic.of(&eight)),
            [Some(2.0), Some(5.0), Some(sample_sd), Some(9.0)]
        );
    }

    #[test]
    fn overflow_hides_all_but_the_minimum() {
        let three = latencies(&[1, 2, 3], 1);
        let found = Statistic::ALL.map(|statistic| statistic.of(&three));
        assert_eq!(found, [Some(1.0), None, None, None]);
        assert_eq!(Statistic::Mean.of(&Latencies::default()), None);
    }
}
