//! What a watched thread did within its activations, or within its passes of a section.

use super::program::{WatchedQuantiles, WatchedWorst};
use schemars::JsonSchema;
use serde::Serialize;

/// What it computed, what kept it from a processor, and the worst of them.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct WatchedWork {
    /// Time on processors of one activation or pass, interrupts included; null before one ended.
    pub execution: Option<WatchedQuantiles>,
    /// Number of times that it was preempted.
    pub preemptions: u64,
    /// Time for which it was runnable without a processor.
    pub preempted_ns: u64,
    /// Time for which it was blocked.
    pub blocked_ns: u64,
    /// Number of migrations: it continued on another processor.
    pub migrations: u64,
    /// Page faults that read nothing.
    pub minor_faults: u64,
    /// Page faults that read a file or swap.
    pub major_faults: u64,
    /// Its worst activations by response, worst first; or its longest passes, whose `due_ns` is when they began, on
    /// `monotonic`, and whose `response_ns` is how long they took.
    pub worst: Vec<WatchedWorst>,
}
