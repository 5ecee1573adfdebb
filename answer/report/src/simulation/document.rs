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
    /// The scheduling policy.
    pub policy: String,
    /// Processors of each cluster.
    pub clusters: Vec<u32>,
    /// Seed of all random draws.
    pub seed: u64,
    /// End of the known schedule.
    pub end_ns: u64,
    /// Number of releases, dispatches, preemptions and completions.
    pub events: u64,
    /// Jobs that were released.
    pub jobs: u64,
    /// Jobs that ended.
    pub completed: u64,
    /// Jobs that missed their deadline.
    pub misses: u64,
    /// Jobs that were aborted at their deadline.
    pub aborted: u64,
    /// Jobs that were skipped after a late one; not counted in `jobs`.
    pub skipped: u64,
    /// Number of times that a server's budget was used up and its deadline postponed.
    pub postponements: u64,
    /// Number of times that another job preempted a job.
    pub preemptions: u64,
    /// Number of migrations: a job continued on another processor.
    pub migrations: u64,
    /// The first deadline that was missed; null if none was.
    pub first_miss_ns: Option<u64>,
    /// The longest observed tardiness.
    pub max_tardiness_ns: u64,
    /// The instant from which the schedule repeats; null if no repetition was found.
    pub repeats: Option<RepeatsRow>,
    /// What the repetition proves; null where it proves nothing.
    pub proof: Option<String>,
    /// Figures of each task.
    pub tasks: Vec<TaskRow>,
    /// Observed times of each cause-effect chain; they are not bounds.
    pub chains: Vec<ObservedChainRow>,
    /// The first misses with the schedule around each.
    pub missed: Vec<MissRow>,
    /// Assumptions and notes for the reader.
    pub remarks: Vec<String>,
}

/// When a schedule begins to repeat.
#[derive(Serialize, JsonSchema)]
pub struct RepeatsRow {
    /// The first instant whose state occurs again later.
    pub from_ns: u64,
    /// Period of the repetition.
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
    /// Jobs that missed their deadline.
    pub misses: u64,
    /// Jobs that were aborted at their deadline.
    pub aborted: u64,
    /// Jobs that were skipped after a late one; not counted in `jobs`.
    pub skipped: u64,
    /// Number of times that its server's budget was used up and the server's deadline postponed.
    pub postponements: u64,
    /// Number of preemptions of its jobs.
    pub preemptions: u64,
    /// Number of migrations of its jobs.
    pub migrations: u64,
    /// Response time (arrival to completion) of the jobs that ended; null if none did.
    pub response_time: Option<ResponseRow>,
    /// The longest observed tardiness.
    pub max_tardiness_ns: u64,
}

/// Observed response times.
#[derive(Serialize, JsonSchema)]
pub struct ResponseRow {
    /// The shortest response time.
    pub min_ns: u64,
    /// The mean response time.
    pub mean_ns: f64,
    /// The longest response time.
    pub max_ns: u64,
}

/// Observed times of one cause-effect chain.
#[derive(Serialize, JsonSchema)]
pub struct ObservedChainRow {
    /// Its name.
    pub name: String,
    /// Number of outputs that data reached through the whole chain.
    pub outputs: u64,
    /// The longest observed time from an event to the first output that it has influenced; null if none was seen.
    pub reaction_max_ns: Option<u64>,
    /// The longest observed age of an output when it was written; null if none was.
    pub age_max_ns: Option<u64>,
}

/// A job that missed its deadline.
#[derive(Serialize, JsonSchema)]
pub struct MissRow {
    /// The task's name.
    pub task: String,
    /// Number of its job.
    pub job: u64,
    /// When it arrived.
    pub arrival_ns: u64,
    /// When it should have ended.
    pub deadline_ns: u64,
    /// Events from its arrival until its end, at most until two relative deadlines after its arrival.
    pub around: Vec<EventRow>,
}

/// One event of a schedule.
#[derive(Serialize, JsonSchema)]
pub struct EventRow {
    /// The instant.
    pub at_ns: u64,
    /// Kind of the event.
    pub event: &'static str,
    /// The task.
    pub task: String,
    /// Number of the task's job.
    pub job: u64,
    /// The processor; null for an event without one.
    pub cpu: Option<u32>,
}
