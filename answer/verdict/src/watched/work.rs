//! What a watched thread did within its activations, or within its passes of a section.

use prazo_run::run::Quantity;
use prazo_run::watched::WatchedFigures;
use schemars::JsonSchema;
use serde::Serialize;

/// Execution and waiting within a thread's activations or within its passes of a section, and the worst activations or passes.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct WatchedWork {
    /// Processor time of one activation or pass, interrupts included; null before one ended.
    pub execution: Option<WatchedQuantiles>,
    /// Waiting within the activations or passes, what took the time, and the worst activations or passes.
    #[serde(flatten)]
    pub figures: WatchedFigures,
}

/// Quantiles of observed times; a quantile with fewer than ten values above it is null.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct WatchedQuantiles {
    /// Number of observed values.
    pub count: u64,
    /// The smallest observed value.
    pub min_ns: i64,
    /// The mean of the observed values.
    pub mean_ns: i64,
    /// The median of the observed values.
    pub p50_ns: Option<i64>,
    /// The 90 % quantile of the observed values.
    pub p90_ns: Option<i64>,
    /// The 99 % quantile of the observed values.
    pub p99_ns: Option<i64>,
    /// The 99.9 % quantile of the observed values.
    pub p999_ns: Option<i64>,
    /// The largest observed value.
    pub max_ns: i64,
}

/// One part of a watched thread's latencies.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct WatchedPart {
    /// The part, such as `interrupt-latency` or `wakeup-latency`.
    pub quantity: Quantity,
    /// Observed values of the part.
    #[serde(flatten)]
    pub values: WatchedQuantiles,
}
