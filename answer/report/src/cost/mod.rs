//! What platforms cost programs (Marsal 2013): penalty, slowdown and the latency that was bought with them, as plain numbers.
//!
//! Data flows cost, study, **report**: several platforms executed the same workloads, one of them least. The studies' platforms
//! are kernels; `prazo evaluate --cost` has this machine without and with a real-time task. What a range is, its owner says.

mod page;

pub(crate) use page::figures;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One setting, on all platforms that were measured in it; two settings are never compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramCosts {
    /// A name for links, in kebab-case.
    pub id: String,
    /// What was measured and how, as a heading: `Workloads together with fifo`.
    pub heading: String,
    /// Sentences about the method.
    pub sentences: Vec<String>,
    /// Meaning of low and high in every range.
    pub ranges: String,
    /// The platforms, in the order of their columns.
    pub platforms: Vec<PlatformCost>,
    /// The workloads in the order in which they were executed.
    pub workloads: Vec<WorkloadRow>,
    /// Correlation of penalties with what platforms add.
    pub scatters: Vec<Scatter>,
    /// Costs that could not be measured, and why.
    pub gaps: Vec<String>,
}

/// A figure with its range.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Range {
    /// The figure.
    pub value: f64,
    /// Lower end; null where there is no range.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// One platform: one point of the chart of latency against penalty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlatformCost {
    /// Its name.
    pub platform: String,
    /// Geometric mean of its workloads' penalties; null unless it has them all.
    pub penalty: Option<Range>,
    /// Penalty of everything that ran, including kernel threads and servers; null where it was not measured.
    pub busy_penalty: Option<Range>,
    /// What a probe measured at the same time; null where none ran.
    pub latency: Option<PlatformLatency>,
}

/// What a probe measured on a platform.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlatformLatency {
    /// Samples.
    pub count: u64,
    /// Largest observed; null where it is only known to lie beyond a histogram.
    pub worst_ns: Option<Range>,
    /// The highest quantile that the counts of all platforms support, below 1.
    pub quantile: Option<f64>,
    /// The order statistic at that quantile.
    pub quantile_ns: Option<Range>,
}

/// One workload on every platform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadRow {
    /// Its name.
    pub workload: String,
    /// The size that was executed, with its unit.
    pub size: String,
    /// One entry for each platform, in their order.
    pub on: Vec<WorkloadCost>,
}

/// One workload on one platform; null where not measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadCost {
    /// Runs, or seeds.
    pub runs: usize,
    /// T_exec / T_best_exec.
    pub penalty: Option<Range>,
    /// Penalty in elapsed time.
    pub wall_penalty: Option<Range>,
    /// (T_exec + T_wait) / T_exec.
    pub slowdown: Option<Range>,
    /// The part that waiting for a processor adds.
    pub by_scheduler: Option<f64>,
    /// What other waits add.
    pub by_other: Option<f64>,
    /// A task went to sleep or yielded.
    pub voluntary_switches: Option<f64>,
    /// Involuntary switches: a task was preempted.
    pub involuntary_switches: Option<f64>,
}

/// Penalties against what platforms add compared with the one that executed least.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scatter {
    /// Name of what they add: `voluntary switches`.
    pub of: String,
    /// One for each platform and workload but the origin.
    pub points: Vec<ScatterPoint>,
    /// By value, as in the paper; null where there is none.
    pub pearson: Option<Range>,
    /// Spearman's rank correlation.
    pub spearman: Option<Range>,
    /// How the coefficients' intervals are computed, or why there are no coefficients.
    pub method: String,
}

/// One workload on one platform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScatterPoint {
    /// The platform.
    pub platform: String,
    /// The workload.
    pub workload: String,
    /// What it adds per second of T_best_exec; for a time, in seconds per second.
    pub added_per_s: f64,
    /// The penalty.
    pub penalty: f64,
}

impl Range {
    /// A figure without a range.
    pub fn point(value: f64) -> Self {
        Self { value, low: None, high: None }
    }

    /// A figure with its range.
    pub fn new(value: f64, low: f64, high: f64) -> Self {
        Self { value, low: Some(low), high: Some(high) }
    }

    /// The figure and both ends, where they are.
    pub(crate) fn all(&self) -> impl Iterator<Item = f64> + '_ {
        [Some(self.value), self.low, self.high].into_iter().flatten()
    }

    /// The ends; the figure itself where there are none.
    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.low.unwrap_or(self.value), self.high.unwrap_or(self.value))
    }
}
