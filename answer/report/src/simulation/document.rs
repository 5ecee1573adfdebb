//! What scripts read of a simulated schedule.

use schemars::JsonSchema;
use serde::Serialize;

/// One file's run, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Simulated {
    /// The file.
    pub file: String,
    /// The scenario's name.
    pub name: String,
    /// Who ranked jobs.
    pub policy: String,
    /// Processors of each cluster.
    pub clusters: Vec<u32>,
    /// From which all draws were made.
    pub seed: u64,
    /// Up to where the schedule is known.
    pub end_ns: u64,
    /// Releases, dispatches, preemptions and completions.
    pub events: u64,
    /// Jobs that were released.
    pub jobs: u64,
    /// Jobs that ended.
    pub completed: u64,
    /// Jobs whose deadline passed before they ended.
    pub misses: u64,
    /// Jobs that were ended at their deadline.
    pub aborted: u64,
    /// Jobs that were left out after a late one; not among the jobs.
    pub skipped: u64,
    /// How often a server's budget was used up and its deadline postponed.
    pub postponements: u64,
    /// How often a job lost its processor to another.
    pub preemptions: u64,
    /// How often a job went on elsewhere than it had run before.
    pub migrations: u64,
    /// The first deadline that was missed; null if none was.
    pub first_miss_ns: Option<u64>,
    /// The longest observed tardiness.
    pub max_tardiness_ns: u64,
    /// From where on the schedule repeats; null if that was not seen.
    pub repeats: Option<RepeatsRow>,
    /// What the repetition proves; null where it proves nothing.
    pub proof: Option<String>,
    /// By task.
    pub tasks: Vec<TaskRow>,
    /// The first misses with the schedule around each.
    pub missed: Vec<MissRow>,
    /// What had to be assumed, and what a reader should know.
    pub remarks: Vec<String>,
}

/// From where on a schedule repeats.
#[derive(Serialize, JsonSchema)]
pub struct RepeatsRow {
    /// The instant whose state was found again.
    pub from_ns: u64,
    /// After this long.
    pub period_ns: u64,
}

/// One task's figures.
#[derive(Serialize, JsonSchema)]
pub struct TaskRow {
    /// Its name.
    pub name: String,
    /// Its cluster.
    pub cluster: u32,
    /// Jobs that were released.
    pub jobs: u64,
    /// Jobs that ended.
    pub completed: u64,
    /// Jobs whose deadline passed before they ended.
    pub misses: u64,
    /// Jobs that were ended at their deadline.
    pub aborted: u64,
    /// Jobs that were left out after a late one; not among the jobs.
    pub skipped: u64,
    /// How often its server's budget was used up and the deadline that it ranks by postponed.
    pub postponements: u64,
    /// How often its jobs lost their processor.
    pub preemptions: u64,
    /// How often its jobs went on elsewhere.
    pub migrations: u64,
    /// Arrival to completion of the jobs that ended; null if none did.
    pub response_time: Option<ResponseRow>,
    /// The longest observed tardiness.
    pub max_tardiness_ns: u64,
}

/// Observed response times.
#[derive(Serialize, JsonSchema)]
pub struct ResponseRow {
    /// The shortest.
    pub min_ns: u64,
    /// Their mean.
    pub mean_ns: f64,
    /// The longest.
    pub max_ns: u64,
}

/// A job that missed its deadline.
#[derive(Serialize, JsonSchema)]
pub struct MissRow {
    /// The task's name.
    pub task: String,
    /// Which of its jobs.
    pub job: u64,
    /// When it arrived.
    pub arrival_ns: u64,
    /// When it should have ended.
    pub deadline_ns: u64,
    /// What happened from its arrival until its end, or for as long again after its deadline.
    pub around: Vec<EventRow>,
}

/// One event of a schedule.
#[derive(Serialize, JsonSchema)]
pub struct EventRow {
    /// When.
    pub at_ns: u64,
    /// What.
    pub event: &'static str,
    /// Whose.
    pub task: String,
    /// Which of the task's jobs.
    pub job: u64,
    /// On which processor; null where it happens on none.
    pub cpu: Option<u32>,
}
