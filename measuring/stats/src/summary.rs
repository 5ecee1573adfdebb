//! Count, minimum, mean, deviation, maximum and supported quantiles of each series of a run.

use prazo_run::run::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The event that one value of a distribution represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// One served wake-up: comparable with cyclictest.
    ServedWakeUp,
    /// One due activation, the event that a deadline applies to; skipped activations count with their minimum lateness.
    DueActivation,
}

/// All summaries of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunSummary {
    /// Name of the run.
    pub run: String,
    /// One summary for each series and kind of event (`per`), then those over all processors (`cpu` null).
    pub summaries: Vec<Summary>,
    /// What the length of the run shows about events that did not occur in it, in a few sentences.
    pub length_allows: String,
    /// Notes for the reader: why a kind of figure is missing, what was lost, where the source contradicts itself.
    pub remarks: Vec<String>,
}

/// The summary of one distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The processor; null for all processors together, and for a series whose processor is unknown or not fixed.
    pub cpu: Option<u32>,
    /// The watched thread, as in `815 ctl`; null for all threads together, and for a run that watched no threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Quantity that was measured in the series.
    pub quantity: Quantity,
    /// The event that one value represents.
    pub per: Per,
    /// Number of values behind the figures, overflow included.
    pub count: u64,
    /// Smallest observed value.
    pub min_ns: Option<i64>,
    /// Mean of the values; only a lower bound where `mean_is_lower_bound` is true.
    pub mean_ns: Option<f64>,
    /// True if `mean_ns` is only a lower bound, because some values lie beyond the histogram or are otherwise unknown.
    pub mean_is_lower_bound: bool,
    /// Sample standard deviation; null with fewer than two values, or where the size of some values is unknown.
    pub sd_ns: Option<f64>,
    /// Largest observed value, even beyond the histogram's bound; null where its size is unknown.
    pub max_ns: Option<i64>,
    /// Number of values beyond the histogram's bound.
    pub overflow: u64,
    /// The quantiles 0.5, 0.9, 0.95, 0.99, 0.999 and so on; the value of a quantile is null where the count does not support it.
    pub quantiles: Vec<Quantile>,
    /// Number of samples behind the figures; per due activation, how many skipped activations were added and how late each is assumed to be. Also states which figures could not be computed.
    pub method: String,
}

impl Summary {
    /// True of all processors, or all threads, together.
    pub fn is_of_all(&self) -> bool {
        self.cpu.is_none() && self.thread.is_none()
    }
}

/// One quantile with its interval, and the number of values that support it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quantile {
    /// Level of the quantile, between 0 and 1.
    pub q: f64,
    /// Value of the quantile, an order statistic; null where there is none, and `reason` says why.
    pub value_ns: Option<i64>,
    /// True if `value_ns` is only a lower bound, because some values are unknown.
    pub at_least: bool,
    /// Number of values above the quantile's rank; these values support the quantile.
    pub values_above: u64,
    /// 95 % interval of the quantile, from blocks of time; null where there is none, and `reason` says why.
    pub interval_ns: Option<(i64, i64)>,
    /// How `interval_ns` was computed, or why it or `value_ns` is null.
    pub reason: String,
}
