//! Count, minimum, mean, deviation, maximum and supported quantiles of each series of a run.

use prazo_run::run::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The event behind one value of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// One served wake-up: comparable with cyclictest.
    ServedWakeUp,
    /// One due activation; skipped ones count with their minimum lateness. This is what a deadline means.
    DueActivation,
}

/// All summaries of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunSummary {
    /// The run's name.
    pub run: String,
    /// One for each series and kind of count, then those over all processors (`cpu` null).
    pub summaries: Vec<Summary>,
    /// What the length of the run says about rarer events, in one sentence.
    pub length_allows: String,
    /// Notes for the reader: why a kind of figure is missing, what was lost, where the source contradicts itself.
    pub remarks: Vec<String>,
}

/// The summary of one distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The processor; `None` is all processors together.
    pub cpu: Option<u32>,
    /// The watched thread, as in `815 ctl`; `None` for all threads together, and for a run that watched no threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// What was measured.
    pub quantity: Quantity,
    /// What one value stands for.
    pub per: Per,
    /// Number of values behind the figures, overflow included.
    pub count: u64,
    /// Smallest observed.
    pub min_ns: Option<i64>,
    /// Mean; with overflow values that are not listed it is a lower bound and `mean_is_lower_bound` says so.
    pub mean_ns: Option<f64>,
    /// True if some values are known only to lie above the histogram.
    pub mean_is_lower_bound: bool,
    /// Sample standard deviation; `None` below two values, or where some are known by count alone.
    pub sd_ns: Option<f64>,
    /// Largest observed, even beyond the histogram's bound; `None` where only its count is known.
    pub max_ns: Option<i64>,
    /// Values beyond the histogram's bound.
    pub overflow: u64,
    /// 0.5, 0.9, 0.99 ... as far as the count supports them.
    pub quantiles: Vec<Quantile>,
    /// The data behind the figures, and how skipped activations were placed; one sentence.
    pub method: String,
}

impl Summary {
    /// True of all processors, or all threads, together.
    pub fn is_of_all(&self) -> bool {
        self.cpu.is_none() && self.thread.is_none()
    }
}

/// One quantile with what supports it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quantile {
    /// Between 0 and 1.
    pub q: f64,
    /// The order statistic; `None` with a `reason`.
    pub value_ns: Option<i64>,
    /// True if the value is only a lower bound (it lies in the overflow).
    pub at_least: bool,
    /// Number of values above this rank: its support.
    pub values_above: u64,
    /// 95 % interval from blocks; `None` with a `reason`.
    pub interval_ns: Option<(i64, i64)>,
    /// How the interval was computed, or why it or the value is missing.
    pub reason: String,
}
