//! What a watched thread did within its activations, or within its passes of a section.

use schemars::JsonSchema;
use serde::Serialize;

/// Its processor time, what kept it from a processor, and the worst activations or passes.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct WatchedWork {
    /// Time on processors of one activation or pass, interrupts included; null before one ended.
    pub execution: Option<WatchedQuantiles>,
    /// Number of preemptions within activations or passes.
    pub preemptions: u64,
    /// Time within them for which it was runnable without a processor.
    pub preempted_ns: u64,
    /// Time within them for which it was blocked.
    pub blocked_ns: u64,
    /// Number of migrations within them: it continued on another processor.
    pub migrations: u64,
    /// Page faults within them that read nothing.
    pub minor_faults: u64,
    /// Page faults within them that read a file or swap.
    pub major_faults: u64,
    /// Its worst activations by response, worst first; or its longest passes, whose `due_ns` is when they began, on
    /// `monotonic`, and whose `response_ns` is how long they took.
    pub worst: Vec<WatchedWorst>,
}

/// Figures of a distribution; a quantile with fewer than ten values above it is null.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct WatchedQuantiles {
    /// Number of values.
    pub count: u64,
    /// The smallest.
    pub min_ns: i64,
    /// The mean.
    pub mean_ns: i64,
    /// The median.
    pub p50_ns: Option<i64>,
    /// The 90 % quantile.
    pub p90_ns: Option<i64>,
    /// The 99 % quantile.
    pub p99_ns: Option<i64>,
    /// The 99.9 % quantile.
    pub p999_ns: Option<i64>,
    /// The observed maximum.
    pub max_ns: i64,
}

/// One of the worst activations.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct WatchedWorst {
    /// Its number among the served activations, from 0.
    pub activation: u64,
    /// When it was due, on the thread's own clock.
    pub due_ns: i64,
    /// From due to running.
    pub latency_ns: u64,
    /// From due to the next wait; if it had not ended, to the end of the watch.
    pub response_ns: u64,
    /// True if it had not ended when the watch did.
    pub unfinished: bool,
    /// What made it late: `interrupt`, `softirq`, `thread`, `throttled`, `lock`, `page-fault`, `io`, `sleep`,
    /// `stopped`, `slack`, `stall`, `program` or `unknown`.
    pub cause: String,
    /// Name of the device, softirq, thread or system call that made it late; null where it is not known.
    pub who: Option<String>,
    /// The activation and its cause in one sentence.
    pub sentence: String,
}
