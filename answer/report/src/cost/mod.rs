//! What platforms cost programs (Marsal 2013): penalty, slowdown and the latency that was bought with them, as plain numbers.
//!
//! Data flows cost, study, **report**: several platforms executed the same workloads, one of them least. The studies' platforms
//! are kernels; `prazo evaluate --cost` has this machine without and with a real-time task. What a range is, its owner says.

mod page;

pub(crate) use page::figures;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Costs of running programs on the platforms in one setting, such as workloads alone; different settings are never compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramCosts {
    /// Id of this setting, in kebab-case, such as `cost-alone`. On the page, the link targets of the setting's figures begin
    /// with this id.
    pub id: String,
    /// What was measured and how, as a heading, such as `workloads together with fifo`.
    pub heading: String,
    /// Sentences about how the costs were measured.
    pub sentences: Vec<String>,
    /// Meaning of `low` and `high` in every range, such as `the smallest and the largest value over 5 seeds`.
    pub ranges: String,
    /// Penalty and latency of each platform, in the order of the columns.
    pub platforms: Vec<PlatformCost>,
    /// Cost of each workload on every platform, in the order in which the workloads were executed.
    pub workloads: Vec<WorkloadRow>,
    /// Correlation of penalties with each count or time that platforms add, such as voluntary switches.
    pub scatters: Vec<Scatter>,
    /// Workloads and platforms whose cost could not be measured or compared, each with the reason.
    pub gaps: Vec<String>,
}

/// A value with its range.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Range {
    /// The value itself; its range is `low` to `high`.
    pub value: f64,
    /// Lower end of the range; null where the value has no range.
    pub low: Option<f64>,
    /// Upper end of the range; null where the value has no range.
    pub high: Option<f64>,
}

/// Penalty and latency of one platform: one point of the chart of latency against penalty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlatformCost {
    /// Name of the platform.
    pub platform: String,
    /// Geometric mean of the penalties of all workloads; null if the platform lacks one of them.
    pub penalty: Option<Range>,
    /// Penalty computed from all non-idle processor time, including kernel threads and servers; null where it was not measured.
    pub busy_penalty: Option<Range>,
    /// Latency that a probe measured while the workloads ran; null where no probe ran.
    pub latency: Option<PlatformLatency>,
}

/// Latency that a probe measured on one platform while the workloads ran.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlatformLatency {
    /// Number of latency samples.
    pub count: u64,
    /// Largest observed latency; null where it is only known to lie beyond the histogram.
    pub worst_ns: Option<Range>,
    /// Highest quantile below 1 that the sample counts of all platforms support, such as 0.999; null if there is none.
    pub quantile: Option<f64>,
    /// Latency at `quantile`, an order statistic of the samples; null where it is not known.
    pub quantile_ns: Option<Range>,
}

/// Cost of one workload on every platform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadRow {
    /// Name of the workload.
    pub workload: String,
    /// Size of the workload that was executed, with its unit.
    pub size: String,
    /// Cost of the workload on each platform, in the order of `platforms`.
    pub on: Vec<WorkloadCost>,
}

/// Cost of one workload on one platform; figures that were not measured are null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadCost {
    /// Number of measured runs of the workload; in a study, one run for each seed.
    pub runs: usize,
    /// T_exec / T_best_exec: processor time divided by the smallest processor time of the platforms compared.
    pub penalty: Option<Range>,
    /// Elapsed time divided by the smallest elapsed time of the platforms compared.
    pub wall_penalty: Option<Range>,
    /// (T_exec + T_wait) / T_exec: processor time plus waiting time, divided by processor time.
    pub slowdown: Option<Range>,
    /// Part of the slowdown that waiting for a processor adds: runnable time without a processor, divided by T_exec.
    pub by_scheduler: Option<f64>,
    /// Part of the slowdown that other waits add: blocked time, divided by T_exec.
    pub by_other: Option<f64>,
    /// Number of voluntary context switches in one run (median over the runs): a task went to sleep or yielded.
    pub voluntary_switches: Option<f64>,
    /// Number of involuntary context switches in one run (median over the runs): a task was preempted.
    pub involuntary_switches: Option<f64>,
}

/// Correlation of penalties with one count or time that a platform adds, compared with the platform of the smallest
/// T_exec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scatter {
    /// Name of the count or time that platforms add, such as `voluntary switches`.
    pub of: String,
    /// One point for each platform and workload; the platform of the smallest T_exec is the origin and has no point.
    pub points: Vec<ScatterPoint>,
    /// Pearson's coefficient, computed from the values as in Marsal 2013; null if there are no coefficients.
    pub pearson: Option<Range>,
    /// Spearman's rank correlation coefficient; null if there are no coefficients.
    pub spearman: Option<Range>,
    /// How the intervals of both correlation coefficients are computed, or why there are no coefficients.
    pub method: String,
}

/// One point of a scatter plot: one workload on one platform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScatterPoint {
    /// Name of the platform.
    pub platform: String,
    /// Name of the workload.
    pub workload: String,
    /// What the platform adds per second of T_best_exec: events per second, or for a time, seconds per second.
    pub added_per_s: f64,
    /// Penalty of the workload on the platform: T_exec / T_best_exec.
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
