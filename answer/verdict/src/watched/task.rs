//! What was seen of one watched task: its observed maxima beside what is proven and what was granted.

use schemars::JsonSchema;
use serde::Serialize;

/// What was seen of one watched task, with what is proven about it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "TaskRow")]
pub struct WatchedTask {
    /// Name of the task.
    pub task: String,
    /// Id of the task's thread.
    pub thread: u32,
    /// Processors of the task's cluster.
    pub cpus: String,
    /// Number of jobs that ended; a job lasts from a wake-up until the thread blocks.
    pub jobs: u64,
    /// Number of jobs that a timer of CLOCK_MONOTONIC started.
    pub timed: u64,
    /// Number of jobs that ended after their deadline.
    pub misses: u64,
    /// Period or minimum inter-arrival time of the task.
    pub period_ns: u64,
    /// Relative deadline of the task.
    pub deadline_ns: u64,
    /// The proven bound on the task's response time; null where nothing is proven.
    pub bound_ns: Option<u64>,
    /// The longest observed response time; null where no job ended.
    pub response_ns_max: Option<u64>,
    /// The mean observed response time; null where no job ended.
    pub response_ns_mean: Option<u64>,
    /// The largest observed tardiness; 0 where no job was late, null where none ended.
    pub tardiness_ns_max: Option<u64>,
    /// Budget of one job: the runtime of a thread under SCHED_DEADLINE, else the cost in the scenario.
    pub budget_ns: u64,
    /// The longest time that one job ran on processors; null where no job ended.
    pub ran_ns_max: Option<u64>,
    /// Number of jobs that ran longer than their budget.
    pub overruns: u64,
    /// Number of preemptions of the task's jobs.
    pub preemptions: u64,
    /// Number of preemptions by throttling (the budget was used up) or in favour of a less urgent thread.
    pub throttled: u64,
    /// Number of migrations: the task continued on another processor.
    pub migrations: u64,
    /// Number of migrations to a processor outside the task's cluster.
    pub outside: u64,
    /// Number of jobs that could not be recorded.
    pub lost: u64,
    /// Age of the task's unfinished job, if that job is past its deadline; else null.
    pub unfinished_ns: Option<u64>,
    /// The jobs with the longest response times, each with its cause in a sentence.
    pub worst: Vec<String>,
}

impl WatchedTask {
    /// The longest time on processors as a share of the budget; `None` before the first job.
    pub fn budget_used(&self) -> Option<f64> {
        self.ran_ns_max.map(|ran| ran as f64 / self.budget_ns.max(1) as f64)
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    /// A task of 10 ms that was watched for a second, and kept its deadline each time.
    pub(crate) fn row() -> WatchedTask {
        WatchedTask {
            task: "arm".into(),
            thread: 7,
            cpus: "1".into(),
            jobs: 100,
            timed: 100,
            misses: 0,
            period_ns: 10_000_000,
            deadline_ns: 10_000_000,
            bound_ns: Some(10_000_000),
            response_ns_max: Some(2_000_000),
            response_ns_mean: Some(1_500_000),
            tardiness_ns_max: Some(0),
            budget_ns: 2_000_000,
            ran_ns_max: Some(1_900_000),
            overruns: 0,
            preemptions: 0,
            throttled: 0,
            migrations: 0,
            outside: 0,
            lost: 0,
            unfinished_ns: None,
            worst: Vec::new(),
        }
    }
}
