//! What a study's platforms cost programs, as scripts and reports read it: tables for each way of measuring, pairs for a
//! scatter plot, and one point a platform for the picture that decides.

use prazo_stats::correlation::Correlation;
use prazo_stats::penalty::Slowdown;
use prazo_stats::repeats::Spread;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the platforms cost programs, for each setting in which it was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostResult {
    /// The workloads alone, or next to a probe: one entry each; entries are not compared with each other.
    pub settings: Vec<CostSetting>,
    /// Cells that are omitted because of a fatal caveat; if one of them was the best, the penalties of the others
    /// are compared without it.
    pub left_out: Vec<LeftOut>,
    /// Penalties that a paper states, without its figures.
    pub stated: Vec<StatedPenalty>,
}

/// A measured cell that is omitted from the comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// `alone`, or the id of the probe that ran at the same time.
    pub beside: String,
    /// Its platform's id.
    pub platform: String,
    /// The reason.
    pub why: String,
}

/// A penalty that a paper states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatedPenalty {
    /// The stated cell's id.
    pub id: String,
    /// The paper and its page.
    pub origin: String,
    /// T_exec / T_best_exec.
    pub penalty: f64,
    /// The measured cell that repeats it; null where none does.
    pub repeated_by: Option<String>,
}

/// One setting, on all platforms that were measured in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostSetting {
    /// `alone`, or the id of the probe that ran at the same time.
    pub beside: String,
    /// The workloads in the order in which they were executed: the rows of a table.
    pub workloads: Vec<String>,
    /// The platforms, in the study's order: its columns, and one point each in the picture.
    pub platforms: Vec<PlatformCost>,
    /// Correlation of penalties with switches, faults and waits.
    pub correlations: Vec<CostCorrelation>,
}

/// One platform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlatformCost {
    /// Its id in the study.
    pub platform: String,
    /// The cell that measured it.
    pub cell: String,
    /// Each workload that all its runs have, in the setting's order.
    pub workloads: Vec<WorkloadCost>,
    /// The geometric mean of its workloads' penalties; null unless it has all of the setting's workloads.
    pub penalty: Option<Spread>,
    /// Penalty of everything that ran in the guest, including kernel threads and servers.
    pub busy_penalty: Option<Spread>,
    /// What the probe measured at the same time, all seeds together; null where none ran.
    pub latency: Option<CostLatency>,
}

/// One workload on one platform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadCost {
    /// Its name.
    pub workload: String,
    /// The size that was executed, the same on every platform.
    pub size: u64,
    /// The unit of the size.
    pub unit: String,
    /// T_exec / T_best_exec, of the command and its descendants (Marsal 2013).
    pub penalty: Option<Spread>,
    /// Penalty of everything that ran in the guest: `busy_ns` divided by the smallest one.
    pub busy_penalty: Option<Spread>,
    /// Penalty in elapsed time.
    pub wall_penalty: Option<Spread>,
    /// (T_exec + T_wait) / T_exec of the medians, by the two kinds of wait.
    pub slowdown: Option<Slowdown>,
    /// What `prazo cost` counted.
    pub figures: CostFigures,
}

/// The figures of one workload over the seeds; null where a run lacks them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostFigures {
    /// Elapsed time.
    pub wall_ns: Option<Spread>,
    /// T_exec: processor time of the command and its descendants; in counted time instructions.
    pub executed_ns: Option<Spread>,
    /// Processor time of everything but idling, kernel threads and servers included.
    pub busy_ns: Option<Spread>,
    /// T_wait's scheduler part: runnable and not running.
    pub run_queue_wait_ns: Option<Spread>,
    /// T_wait's other part: neither running nor runnable.
    pub blocked_ns: Option<Spread>,
    /// The part of that which waited for block devices.
    pub io_wait_ns: Option<Spread>,
    /// A task went to sleep or yielded.
    pub voluntary_switches: Option<Spread>,
    /// Involuntary switches: a task was preempted.
    pub involuntary_switches: Option<Spread>,
    /// Page faults served without a device.
    pub minor_faults: Option<Spread>,
    /// Page faults that waited for a device.
    pub major_faults: Option<Spread>,
    /// A task moved to another processor.
    pub migrations: Option<Spread>,
    /// Processes.
    pub processes: Option<Spread>,
    /// Processor time of the workload's server, which is in `busy_ns` and in no other figure here; null where it has none.
    pub server_ns: Option<Spread>,
}

/// What a probe measured while the workloads ran.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostLatency {
    /// Samples, of all seeds and workloads.
    pub count: u64,
    /// Largest observed; null where it is only known to lie beyond the histogram.
    pub max_ns: Option<i64>,
    /// Order statistic at 0.99999; null where fewer than ten samples lie above it.
    pub q99999_ns: Option<i64>,
    /// The largest of 0.9, 0.99, 0.999, ... that the counts of all platforms support, the same for each.
    pub supported_quantile: Option<f64>,
    /// The order statistic at that quantile.
    pub supported_ns: Option<i64>,
}

/// Correlation of penalties with a count or a time that platforms add.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostCorrelation {
    /// The figure: `voluntary_switches`.
    pub figure: String,
    /// The pairs: one for each platform and workload, without the platform that executed least, which is the origin of both.
    pub pairs: Vec<CostPair>,
    /// Pearson's and Spearman's coefficients with their intervals; null where there are none.
    pub correlation: Option<Correlation>,
    /// Why there are no coefficients.
    pub reason: Option<String>,
}

/// One workload on one platform: what the platform adds compared with the one that executed least, and the penalty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostPair {
    /// The platform.
    pub platform: String,
    /// The workload.
    pub workload: String,
    /// The figure minus that of the platform with T_best_exec, per second of T_best_exec; for a time, in seconds per
    /// second.
    pub added_per_s: f64,
    /// The penalty, a median.
    pub penalty: f64,
}
