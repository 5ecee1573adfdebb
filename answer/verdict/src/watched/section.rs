//! Sections of watched programs: what was seen of each in each thread.

use super::program::{WatchedQuantiles, WatchedWorst};
use schemars::JsonSchema;
use serde::Serialize;

/// A section as one thread passed it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SectionRow")]
pub struct WatchedSection {
    /// The section, as it was given.
    pub section: String,
    /// The thread.
    pub thread_id: u32,
    /// Its process.
    pub process_id: u32,
    /// Its name.
    pub name: String,
    /// How often it began; of a recursive function the outermost calls.
    pub begun: u64,
    /// How often it ended after it had begun.
    pub ended: u64,
    /// How often it began again before it had ended; the earlier beginning is then in no time.
    pub restarted: u64,
    /// How often its end was reached without its beginning.
    pub unbegun: u64,
    /// Passes whose beginning or end was not seen.
    pub unseen: u64,
    /// The usual distance of its beginnings; null before three of them.
    pub period_ns: Option<u64>,
    /// From beginning to end; null before one ended.
    pub time: Option<WatchedQuantiles>,
    /// Time on processors of one pass, interrupts included; null before one ended.
    pub execution: Option<WatchedQuantiles>,
    /// How often the thread was runnable and lost its processor in it.
    pub preemptions: u64,
    /// For how long it was runnable without a processor.
    pub preempted_ns: u64,
    /// For how long it was blocked.
    pub blocked_ns: u64,
    /// How often it continued on another processor.
    pub migrations: u64,
    /// Page faults that read nothing.
    pub minor_faults: u64,
    /// Page faults that read a file or swap.
    pub major_faults: u64,
    /// Its longest passes, longest first: `due_ns` is when it began, on `monotonic`, and `response_ns` how long it took.
    pub worst: Vec<WatchedWorst>,
}
