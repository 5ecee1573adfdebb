//! What a study's platforms cost programs, as scripts and reports read it: tables for each way of measuring, pairs for a
//! scatter plot, and one point a platform for the picture that decides.

use prazo_stats::correlation::Correlation;
use prazo_stats::penalty::Slowdown;
use prazo_stats::repeats::Spread;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Costs of running programs on the platforms of a study, for each setting in which workloads were measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostResult {
    /// The settings: the workloads alone, or together with a probe. Settings are not compared with each other.
    pub settings: Vec<CostSetting>,
    /// Cells that are omitted because of a fatal caveat. T_best_exec excludes these cells, so the penalties of the other cells
    /// may be smaller than if it included them.
    pub left_out: Vec<LeftOut>,
    /// Penalties that a paper states, without samples.
    pub stated: Vec<StatedPenalty>,
}

/// A measured cell that is omitted from the comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// `alone`, or the id of the probe that ran at the same time as the workloads.
    pub beside: String,
    /// Id of the omitted cell's platform.
    pub platform: String,
    /// The reason why the cell is omitted.
    pub why: String,
}

/// A penalty that a paper states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatedPenalty {
    /// Id of the study's cell that holds the stated penalty.
    pub id: String,
    /// The paper that states the penalty, and the place in the paper.
    pub origin: String,
    /// The stated penalty: T_exec / T_best_exec.
    pub penalty: f64,
    /// The measured cell that repeats the paper's measurement; null where no cell does.
    pub repeated_by: Option<String>,
}

/// Cost of the workloads in one setting, on all platforms that were measured in this setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostSetting {
    /// `alone`, or the id of the probe that ran at the same time as the workloads.
    pub beside: String,
    /// Names of the workloads, in the order in which they were executed.
    pub workloads: Vec<String>,
    /// Cost on each platform, in the study's order.
    pub platforms: Vec<PlatformCost>,
    /// Correlation of the penalties with each count of switches and page faults, and with each wait.
    pub correlations: Vec<CostCorrelation>,
}

/// Costs of running programs on one platform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlatformCost {
    /// Id of the platform in the study.
    pub platform: String,
    /// Id of the cell that measured the platform.
    pub cell: String,
    /// Cost of each workload that was executed on the platform, in the setting's order.
    pub workloads: Vec<WorkloadCost>,
    /// The geometric mean of the workloads' penalties; null unless all workloads of the setting were measured.
    pub penalty: Option<Spread>,
    /// The geometric mean of the workloads' `busy_penalty`; null unless all workloads of the setting were measured.
    pub busy_penalty: Option<Spread>,
    /// Latency that the probe measured at the same time, all seeds together; null where no probe ran.
    pub latency: Option<CostLatency>,
}

/// Costs of one workload on one platform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadCost {
    /// Name of the workload.
    pub workload: String,
    /// Size of the workload that was executed, the same on every platform.
    pub size: u64,
    /// Unit of `size`, for example `requests`.
    pub unit: String,
    /// T_exec / T_best_exec, of the command and its descendants (Marsal 2013).
    pub penalty: Option<Spread>,
    /// Penalty of everything that ran in the guest: `busy_ns` divided by the smallest median of `busy_ns` over the
    /// platforms.
    pub busy_penalty: Option<Spread>,
    /// Penalty in elapsed time: `wall_ns` divided by the smallest median of `wall_ns` over the platforms.
    pub wall_penalty: Option<Spread>,
    /// Slowdown, (T_exec + T_wait) / T_exec, computed from the medians, and the part that each kind of wait adds to it.
    pub slowdown: Option<Slowdown>,
    /// The times and counts of the workload, as `prazo cost` measures them.
    pub figures: CostFigures,
}

/// The figures of one workload over the seeds; a figure is null where a run lacks it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostFigures {
    /// Elapsed time from the start to the end of the workload's command.
    pub wall_ns: Option<Spread>,
    /// T_exec: processor time of the command and its descendants. Under counted time this is the time of their
    /// instructions.
    pub executed_ns: Option<Spread>,
    /// Processor time of everything that ran except the idle task, including kernel threads and servers.
    pub busy_ns: Option<Spread>,
    /// The scheduler's part of T_wait: time in which tasks were runnable but not running.
    pub run_queue_wait_ns: Option<Spread>,
    /// The other part of T_wait: time in which tasks were blocked, neither running nor runnable.
    pub blocked_ns: Option<Spread>,
    /// The part of `blocked_ns` in which tasks waited for block devices, or for swapped-out or thrashing pages.
    pub io_wait_ns: Option<Spread>,
    /// Number of voluntary context switches: away from a task that slept or yielded.
    pub voluntary_switches: Option<Spread>,
    /// Number of involuntary context switches: away from a task that could have continued.
    pub involuntary_switches: Option<Spread>,
    /// Number of page faults that the kernel served without a block device.
    pub minor_faults: Option<Spread>,
    /// Number of page faults that waited for a block device.
    pub major_faults: Option<Spread>,
    /// Number of times that a task moved to another processor.
    pub migrations: Option<Spread>,
    /// Number of processes: the command and its descendants.
    pub processes: Option<Spread>,
    /// Processor time of the workload's server. Of the figures here, only `busy_ns` includes it. Null for a workload without a server.
    pub server_ns: Option<Spread>,
}

/// Latency that a probe measured while the workloads ran.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostLatency {
    /// Number of samples, of all seeds and workloads together.
    pub count: u64,
    /// Largest observed latency; null where it is only known to lie beyond the histogram.
    pub max_ns: Option<i64>,
    /// The 99.999 % quantile of the latency; null where fewer than ten samples lie above it, or it lies beyond the histogram.
    pub q99999_ns: Option<i64>,
    /// The largest of the quantiles 0.9, 0.99, 0.999, 0.9999 and 0.99999 that the samples of every platform support;
    /// the same for all platforms.
    pub supported_quantile: Option<f64>,
    /// The latency at the quantile `supported_quantile`.
    pub supported_ns: Option<i64>,
}

/// Correlation of the penalties with a count or a time that platforms add to the workloads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostCorrelation {
    /// Name of the count or time, for example `voluntary_switches`.
    pub figure: String,
    /// Pairs of an added amount (a count or a time) and a penalty, one for each workload and platform. For each workload, the platform with the smallest T_exec is the reference and has no pair.
    pub pairs: Vec<CostPair>,
    /// Pearson's and Spearman's coefficients with their intervals; null where the pairs do not support them.
    pub correlation: Option<Correlation>,
    /// The reason why there are no coefficients; null if there are coefficients.
    pub reason: Option<String>,
}

/// One workload on one platform: what this platform adds relative to the platform with the smallest T_exec, and the penalty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostPair {
    /// Id of the platform.
    pub platform: String,
    /// Name of the workload.
    pub workload: String,
    /// The count or time on this platform minus that on the platform with T_best_exec, per second of T_best_exec; a
    /// time is in seconds per second.
    pub added_per_s: f64,
    /// Penalty of the workload on this platform: the median over the seeds.
    pub penalty: f64,
}
