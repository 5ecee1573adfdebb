//! What scripts read of a simulated schedule.

use schemars::JsonSchema;
use serde::Serialize;

/// The simulated schedule of one file, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Simulated {
    /// File that the scenario was read from.
    pub file: String,
    /// Name of the scenario.
    pub name: String,
    /// Scheduling policy that was simulated.
    pub policy: String,
    /// Number of processors of each cluster.
    pub clusters: Vec<u32>,
    /// Seed of all random draws.
    pub seed: u64,
    /// End of the simulated schedule.
    pub end_ns: u64,
    /// Number of releases, dispatches, preemptions and completions in the schedule, and of changes of the supply.
    pub events: u64,
    /// Number of released jobs of all tasks.
    pub jobs: u64,
    /// Number of completed jobs of all tasks.
    pub completed: u64,
    /// Number of jobs of all tasks that missed their deadline.
    pub misses: u64,
    /// Number of jobs of all tasks that were aborted at their deadline.
    pub aborted: u64,
    /// Number of jobs of all tasks that were skipped after a late one; not counted in `jobs`.
    pub skipped: u64,
    /// Number of times that high mode began, because a job ran longer than its cost; 0 for a task set without criticalities.
    pub mode_changes: u64,
    /// Number of jobs of low criticality that were dropped in high mode; those that arrived in high mode are not counted in `jobs`.
    pub dropped: u64,
    /// Number of times that a server's budget was used up, so that its deadline was postponed.
    pub postponements: u64,
    /// Number of preemptions: a job lost its processor to another job.
    pub preemptions: u64,
    /// Number of migrations: a job continued on another processor.
    pub migrations: u64,
    /// Number of times that a job of any task suspended itself.
    pub suspensions: u64,
    /// Number of times that a job of any task waited for a lock or for a priority ceiling.
    pub lock_waits: u64,
    /// Total time for which the supply left the tasks without a processor; null if the task set has no supply.
    pub unsupplied_ns: Option<u64>,
    /// The first deadline that a job missed; null if no deadline was missed.
    pub first_miss_ns: Option<u64>,
    /// The longest observed tardiness of any job; 0 if no job was late.
    pub max_tardiness_ns: u64,
    /// Where the schedule begins to repeat; null if no repetition was found.
    pub repeats: Option<RepeatsRow>,
    /// What the repetition of the schedule proves, in a sentence; null where it proves nothing.
    pub proof: Option<String>,
    /// Counts and response times of each task.
    pub tasks: Vec<TaskRow>,
    /// Observed times of each cause-effect chain; they are not bounds.
    pub chains: Vec<ObservedChainRow>,
    /// The first jobs that missed their deadline, at most 16, each with the events of the schedule around it.
    pub missed: Vec<MissRow>,
    /// Assumptions of the simulation and notes for the reader.
    pub remarks: Vec<String>,
}

/// Where a simulated schedule begins to repeat.
#[derive(Serialize, JsonSchema)]
pub struct RepeatsRow {
    /// The first instant of the part that repeats.
    pub from_ns: u64,
    /// Period after which the schedule repeats.
    pub period_ns: u64,
}

/// Counts and response times of one simulated task.
#[derive(Serialize, JsonSchema)]
pub struct TaskRow {
    /// Name of the task.
    pub name: String,
    /// Index of the cluster on which the task runs.
    pub cluster: u32,
    /// Number of released jobs of the task.
    pub jobs: u64,
    /// Number of completed jobs of the task.
    pub completed: u64,
    /// Number of jobs of the task that missed their deadline.
    pub misses: u64,
    /// Number of jobs of the task that were aborted at their deadline.
    pub aborted: u64,
    /// Number of jobs of the task that were skipped after a late one; not counted in `jobs`.
    pub skipped: u64,
    /// Number of jobs of the task that were dropped in high mode; those that arrived in high mode are not counted in `jobs`.
    pub dropped: u64,
    /// Number of times that the budget of the task's server was used up, so that its deadline was postponed.
    pub postponements: u64,
    /// Number of preemptions of the task's jobs.
    pub preemptions: u64,
    /// Number of migrations of the task's jobs: a job continued on another processor.
    pub migrations: u64,
    /// Number of times that a job of the task suspended itself.
    pub suspensions: u64,
    /// Total time for which the task's jobs suspended themselves.
    pub suspended_ns: u64,
    /// Number of times that a job of the task waited for a lock or for a priority ceiling.
    pub lock_waits: u64,
    /// Response time (arrival to completion) of the task's completed jobs; null if none completed.
    pub response_time: Option<ResponseRow>,
    /// The longest observed tardiness of the task's jobs; 0 if no job was late.
    pub max_tardiness_ns: u64,
}

/// Observed response times of one simulated task.
#[derive(Serialize, JsonSchema)]
pub struct ResponseRow {
    /// The shortest response time.
    pub min_ns: u64,
    /// The mean response time.
    pub mean_ns: f64,
    /// The longest response time.
    pub max_ns: u64,
}

/// Observed times of one cause-effect chain; they are not bounds.
#[derive(Serialize, JsonSchema)]
pub struct ObservedChainRow {
    /// Name of the chain.
    pub name: String,
    /// Number of outputs whose data passed through the whole chain.
    pub outputs: u64,
    /// The longest observed time from an event to the first output that it has influenced; null if no event influenced
    /// an output.
    pub reaction_max_ns: Option<u64>,
    /// The longest observed age of the data in an output when it was written; null if no output was written.
    pub age_max_ns: Option<u64>,
}

/// A simulated job that missed its deadline.
#[derive(Serialize, JsonSchema)]
pub struct MissRow {
    /// Name of the job's task.
    pub task: String,
    /// Number of the job among those of its task, from 0.
    pub job: u64,
    /// Instant at which the job arrived.
    pub arrival_ns: u64,
    /// Absolute deadline of the job.
    pub deadline_ns: u64,
    /// Events of the schedule from the job's arrival to its completion, at most until two relative deadlines after its
    /// arrival.
    pub around: Vec<EventRow>,
}

/// One event of a simulated schedule.
#[derive(Serialize, JsonSchema)]
pub struct EventRow {
    /// Instant of the event.
    pub at_ns: u64,
    /// Kind of the event, such as `release` or `preemption`.
    pub event: &'static str,
    /// Name of the task whose job the event is about.
    pub task: String,
    /// Number of the job among those of its task, from 0.
    pub job: u64,
    /// Processor of the event; null for an event without one, such as an arrival.
    pub cpu: Option<u32>,
}
