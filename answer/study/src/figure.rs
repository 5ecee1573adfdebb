//! The figures of one cell that claims are checked on: its response latencies and its counts, all of its runs together.
//!
//! Quantiles, means, maxima and intervals are those of `prazo-stats`; here is what else a claim asks of a cell.

use crate::import::Import;
use prazo_core::text::grouped;
use prazo_core::time::Duration;
use prazo_run::plan::TimerMethod;
use prazo_run::run::{Quantity, Series, StatedFigures};
use prazo_run::{Histogram, Run};
use prazo_stats::level::Level;
use prazo_stats::{Estimate, Latencies};
use prazo_verdict::claim::Undecidable;

/// The figures of one cell.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// The samples as the files hold them, warm-up excluded.
    pub histogram: Histogram,
    /// What is read off them.
    pub latencies: Latencies,
    /// What the source states of itself, where it is one series.
    pub stated: Option<StatedFigures>,
    /// Served activations, overflow and lost ones included.
    pub served: u64,
    /// Due activations; `None` where nobody says.
    pub due: Option<u64>,
    /// Skipped activations; `None` where nobody counted.
    pub skipped: Option<u64>,
    /// Period of the activations.
    pub period: Option<Duration>,
    /// The finest difference that the samples can show.
    pub resolution: Duration,
    /// True where each sleep begins when the last one ended, so that lateness adds up.
    pub relative_sleep: bool,
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
        figures.latencies = Latencies::of(runs, Quantity::ResponseLatency);
        figures
    }

    fn with(mut self, series: &&Series) -> Self {
        self.histogram.merge(&series.histogram);
        self.served += series.activations.served;
        self.resolution = self.resolution.max(series.resolution);
        self
    }

    /// How many samples the figures rest on, overflow included.
    pub fn count(&self) -> u64 {
        self.latencies.count()
    }

    /// The quantile with its interval; undecidable where too few samples support it.
    pub fn quantile(&self, level: Level) -> Result<Estimate, Undecidable> {
        self.latencies.estimate(level).map_err(|too_few| Undecidable(too_few.to_string()))
    }

    /// Several of them.
    pub fn quantiles(&self, levels: &[Level]) -> Result<Vec<Estimate>, Undecidable> {
        let all: Result<_, _> = self.latencies.estimates(levels).into_iter().collect();
        all.map_err(|too_few| Undecidable(too_few.to_string()))
    }

    /// How the samples came about, for evidence: their count, and the activations that they leave out.
    pub fn basis(&self) -> String {
        let n = format!("n = {}", grouped(self.count()));
        match self.skipped {
            Some(skipped) if skipped > 0 => format!("{n}, {} skipped", grouped(skipped)),
            _ => n,
        }
    }
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
