//! What a watched thread did within its activations, or within its passes of a section.

use schemars::JsonSchema;
use serde::Serialize;

/// Execution and waiting within a thread's activations or within its passes of a section, and the worst of them.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct WatchedWork {
    /// Time on processors of one activation or pass, interrupts included; null before one ended.
    pub execution: Option<WatchedQuantiles>,
    /// Number of preemptions within activations or passes.
    pub preemptions: u64,
    /// Total time within activations or passes in which the thread was runnable without a processor.
    pub preempted_ns: u64,
    /// Total time within activations or passes in which the thread was blocked.
    pub blocked_ns: u64,
    /// Number of migrations within activations or passes: the thread continued on another processor.
    pub migrations: u64,
    /// Number of page faults within activations or passes that read nothing from a file or swap.
    pub minor_faults: u64,
    /// Number of page faults within activations or passes that read from a file or swap.
    pub major_faults: u64,
    /// The activations with the longest response times, longest first; of a section, the longest passes. For a pass,
    /// `due_ns` is its beginning on `monotonic`, and `response_ns` is its duration.
    pub worst: Vec<WatchedWorst>,
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

/// One of the worst activations of a thread, or passes of a section, with its cause.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct WatchedWorst {
    /// Number of the activation among the served ones, or of the pass among the beginnings of the section; both count
    /// from 0.
    pub activation: u64,
    /// When the activation was due, on the thread's own clock.
    pub due_ns: i64,
    /// Time from the due instant until the thread ran.
    pub latency_ns: u64,
    /// Time from the due instant to the next wait, or to the end of the watch if the activation had not ended.
    pub response_ns: u64,
    /// True if the activation had not ended when the watch ended.
    pub unfinished: bool,
    /// What made the activation late: `interrupt`, `softirq`, `thread`, `throttled`, `lock`, `page-fault`, `io`,
    /// `sleep`, `stopped`, `slack`, `stall`, `program` or `unknown`.
    pub cause: String,
    /// Name of the device, softirq, thread or system call that made the activation late; null where it is not known.
    pub who: Option<String>,
    /// The activation and its cause in one sentence.
    pub sentence: String,
}
