//! The figures of one cell that claims are checked on: order statistics, maxima, means, counts, all of its runs together.
//!
//! A quantile is the order statistic of rank ceil(q n) among the served wake-ups, overflow included, and is refused where
//! fewer than [`VALUES_ABOVE`] values lie above it. Samples depend on their neighbours, so an interval comes from blocks of
//! consecutive seconds or not at all. The slow twin is `tests/figures.rs`.

use crate::import::Import;
use prazo_core::time::{Duration, Offset};
use prazo_run::plan::TimerMethod;
use prazo_run::run::{Quantity, Series, StatedFigures};
use prazo_run::{Histogram, Run};
use prazo_verdict::claim::figures;
use std::collections::BTreeMap;
use std::fmt;

/// How many values must lie above a quantile for it to be quoted.
pub const VALUES_ABOVE: u64 = 10;

/// A latency that was read off samples: exact, or only known to be at least this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Nanoseconds.
    pub ns: i64,
    /// True where the value lies in the overflow, so that `ns` is only a lower bound.
    pub at_least: bool,
}

/// A reading with what its samples' own variation allows it to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    /// The order statistic.
    pub point: Reading,
    /// Lower end, in nanoseconds.
    pub low: i64,
    /// Upper end, in nanoseconds.
    pub high: i64,
    /// How many blocks the ends come from; 0 where there are too few, and both ends are the point.
    pub blocks: usize,
}

/// The figures of one cell.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// All samples, warm-up excluded.
    pub histogram: Histogram,
    /// The largest latency, where one is known beyond the histogram.
    pub beyond: Option<i64>,
    /// What the source states of itself, where it is one series.
    pub stated: Option<StatedFigures>,
    /// Served activations, overflow and lost ones included.
    pub served: u64,
    /// Due activations; `None` where nobody says.
    pub due: Option<u64>,
    /// Skipped activations; `None` where nobody counted.
    pub skipped: Option<u64>,
    /// Distance of two activations.
    pub period: Option<Duration>,
    /// The finest difference that the samples can show.
    pub resolution: Duration,
    /// True where each sleep begins when the last one ended, so that lateness adds up.
    pub relative_sleep: bool,
    /// The samples in blocks of consecutive seconds, rounded to 1/128.
    pub blocks: Vec<Histogram>,
}

impl Figures {
    /// The response latencies of a cell's runs, with what an import's study knows beyond the file.
    pub fn of(runs: &[Run], import: Option<&Import>) -> Self {
        let series: Vec<&Series> = runs.iter().flat_map(|run| run.of(Quantity::ResponseLatency)).collect();
        let mut figures = series.iter().fold(Self::default(), Self::with);
        figures.stated = if series.len() == 1 { series[0].stated } else { None };
        figures.due = all_due(&series).or(import.and_then(|import| import.due));
        figures.skipped = sum(series.iter().map(|series| series.activations.skipped));
        figures.period = series.iter().find_map(|series| series.period).or(import.and_then(|import| import.period));
        figures.relative_sleep = method(runs, import) == Some(TimerMethod::Nanosleep);
        figures.blocks = runs.iter().flat_map(blocks).collect();
        figures
    }

    fn with(mut self, series: &&Series) -> Self {
        let listed = series.worst.iter().map(|worst| worst.latency_ns).max();
        let stated = series.stated.and_then(|stated| stated.max_ns).filter(|_| series.histogram.overflow() > 0);
        self.histogram.merge(&series.histogram);
        self.beyond = self.beyond.max(listed).max(stated);
        self.served += series.activations.served;
        self.resolution = self.resolution.max(series.resolution);
        self
    }

    /// How many samples the figures rest on, overflow included.
    pub fn count(&self) -> u64 {
        self.histogram.total()
    }

    /// The smallest latency; `None` without one in range.
    pub fn min_ns(&self) -> Option<i64> {
        self.histogram.cells().next().map(|(value, _)| value)
    }

    /// The largest latency observed.
    pub fn max(&self) -> Option<Reading> {
        let top = self.histogram.cells().next_back().map(|(value, _)| value);
        let ns = top.max(self.beyond)?;
        let at_least = self.histogram.overflow() > 0 && Some(ns) == top;
        Some(Reading { ns, at_least })
    }

    /// The mean's bounds: overflow at the histogram's last value, and at the largest latency known.
    pub fn mean_ns(&self) -> Option<(f64, f64)> {
        let (top, max) = (self.histogram.cells().next_back()?.0, self.max()?.ns);
        let sum: i128 = self.histogram.cells().map(|(value, count)| i128::from(value) * i128::from(count)).sum();
        let with = |beyond: i64| {
            (sum + i128::from(beyond) * i128::from(self.histogram.overflow())) as f64 / self.count() as f64
        };
        Some((with(top), with(max)))
    }

    /// Samples above `ns`.
    pub fn above(&self, ns: i64) -> u64 {
        self.histogram.cells().rev().take_while(|(value, _)| *value > ns).map(|(_, count)| count).sum::<u64>()
            + self.histogram.overflow()
    }

    /// The quantile with its spread; `Err` says why it cannot be quoted.
    pub fn quantile(&self, q: f64) -> Result<Spread, String> {
        let above = self.count().saturating_sub(rank(q, self.count()));
        if above < VALUES_ABOVE {
            return Err(format!(
                "{} samples leave {above} above the quantile {q}, and {VALUES_ABOVE} are needed to quote it",
                figures::count(self.count())
            ));
        }
        let point = order_statistic(&self.histogram, q).ok_or("there is no sample")?;
        Ok(spread(point, &self.blocks, q))
    }

    /// How the samples came about, for evidence: their count, and the activations that they leave out.
    pub fn basis(&self) -> String {
        let n = format!("n = {}", figures::count(self.count()));
        match self.skipped {
            Some(skipped) if skipped > 0 => format!("{n}, {} skipped", figures::count(skipped)),
            _ => n,
        }
    }
}

/// The value of rank ceil(q n); `None` without samples.
pub fn order_statistic(histogram: &Histogram, q: f64) -> Option<Reading> {
    let mut left = rank(q, histogram.total());
    let mut top = None;
    for (ns, count) in histogram.cells() {
        if left <= count {
            return Some(Reading { ns, at_least: false });
        }
        left -= count;
        top = Some(Reading { ns, at_least: true });
    }
    top
}

/// The rank of quantile `q` among `n` values, counted from one; a product within a millionth of a whole number is that number.
fn rank(q: f64, n: u64) -> u64 {
    ((q * n as f64 - 1e-6).ceil() as u64).clamp(1, n.max(1))
}

/// The interval that covers the blocks' median quantile in 95 of 100 cases, widened to hold the point. Blocks of seconds are
/// nearly independent where samples are not; the binomial order-statistic interval assumes nothing else.
fn spread(point: Reading, blocks: &[Histogram], q: f64) -> Spread {
    let mut values: Vec<i64> =
        blocks.iter().filter_map(|block| order_statistic(block, q)).map(|reading| reading.ns).collect();
    values.sort_unstable();
    let certain = Spread { point, low: point.ns, high: if point.at_least { i64::MAX } else { point.ns }, blocks: 0 };
    match cut(values.len()) {
        Some(cut) => Spread {
            low: certain.low.min(values[cut]),
            high: certain.high.max(values[values.len() - 1 - cut]),
            blocks: values.len(),
            ..certain
        },
        None => certain,
    }
}

/// How many of `n` sorted values are cut off at each end of the 95 % interval of their median; `None` below six.
fn cut(n: usize) -> Option<usize> {
    let mut term = 0.5f64.powi(i32::try_from(n).ok()?);
    let (mut outside, mut cut) = (0.0, None);
    for k in 0..n / 2 {
        outside += term;
        if outside > 0.025 {
            break;
        }
        cut = Some(k);
        term *= (n - k) as f64 / (k + 1) as f64;
    }
    cut
}

/// One histogram for each block of a run, processors together.
fn blocks(run: &Run) -> Vec<Histogram> {
    let mut blocks: BTreeMap<u32, Histogram> = BTreeMap::new();
    for block in run.of(Quantity::ResponseLatency).flat_map(|series| &series.blocks) {
        blocks.entry(block.from_s).or_default().merge(&block.histogram);
    }
    blocks.into_values().collect()
}

fn all_due(series: &[&Series]) -> Option<u64> {
    sum(series.iter().map(|series| series.activations.due))
}

/// The sum; `None` if any part is unknown or there is none.
fn sum(parts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    parts.reduce(|a, b| Some(a? + b?)).flatten()
}

fn method(runs: &[Run], import: Option<&Import>) -> Option<TimerMethod> {
    let planned = runs.iter().find_map(|run| run.plan.as_ref()).map(|plan| plan.method);
    planned.or(import.and_then(|import| import.method))
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.at_least { "at least " } else { "" }, Offset::from_ns(self.ns))
    }
}

/// `29us`, or `29us (28us to 31us over 20 blocks)`.
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.point.fmt(f)?;
        match self.blocks {
            0 => Ok(()),
            n => write!(f, " ({} to {} over {n} blocks)", Offset::from_ns(self.low), Offset::from_ns(self.high)),
        }
    }
}
