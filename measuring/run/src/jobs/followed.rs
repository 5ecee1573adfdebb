//! What was seen of the jobs of a task that is followed while it runs: counts and maxima, without a record of each job.

use schemars::JsonSchema;
use serde::Serialize;

/// Jobs of one deployed task, counted since prazo began to watch the task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FollowedJobs {
    /// Number of jobs that ended; a job lasts from a wake-up until the thread blocks.
    pub jobs: u64,
    /// Number of jobs that a timer of CLOCK_MONOTONIC started.
    pub timed: u64,
    /// Number of jobs that ended after their deadline.
    pub misses: u64,
    /// The longest observed response time; null where no job ended.
    pub response_ns_max: Option<u64>,
    /// The largest observed tardiness; 0 where no job was late, null where none ended.
    pub tardiness_ns_max: Option<u64>,
    /// The largest processor time of one job; null where no job ended.
    pub ran_ns_max: Option<u64>,
    /// Number of jobs that ran longer than their budget.
    pub overruns: u64,
    /// Number of preemptions of the task's jobs.
    pub preemptions: u64,
    /// Number of preemptions because the budget was used up (throttling), or in favour of a less urgent thread.
    pub throttled: u64,
    /// Number of migrations: the task continued on another processor.
    pub migrations: u64,
    /// Number of migrations to a processor outside the task's cluster.
    pub outside: u64,
    /// Number of jobs that could not be recorded.
    pub lost: u64,
    /// Age of the task's unfinished job, if that job is past its deadline; else null.
    pub unfinished_ns: Option<u64>,
}
