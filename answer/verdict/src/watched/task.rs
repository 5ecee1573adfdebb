//! What was seen of one watched task: its observed maxima beside what is proven and what was granted.

use schemars::JsonSchema;
use serde::Serialize;

/// One task.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "TaskRow")]
pub struct WatchedTask {
    /// Its name.
    pub task: String,
    /// Its thread.
    pub thread: u32,
    /// Its cluster's processors.
    pub cpus: String,
    /// Jobs that ended: from a wake-up to the block behind it.
    pub jobs: u64,
    /// Of these, those that a timer of CLOCK_MONOTONIC began.
    pub timed: u64,
    /// Of all, those that ended after their deadline.
    pub misses: u64,
    /// Its period, or the least distance of two arrivals.
    pub period_ns: u64,
    /// Its relative deadline.
    pub deadline_ns: u64,
    /// The proven bound on its response time; null where nothing is proven.
    pub bound_ns: Option<u64>,
    /// The observed maximum; null where no job ended.
    pub response_ns_max: Option<u64>,
    /// The mean; null where no job ended.
    pub response_ns_mean: Option<u64>,
    /// The largest observed tardiness; 0 where no job was late, null where none ended.
    pub tardiness_ns_max: Option<u64>,
    /// What one job is granted (under `deadline`) or may cost.
    pub budget_ns: u64,
    /// The longest time on processors; null where no job ended.
    pub ran_ns_max: Option<u64>,
    /// Jobs that took more than their budget.
    pub overruns: u64,
    /// Times that it left a processor though it could have run.
    pub preemptions: u64,
    /// Of these, with its budget spent (throttled), or for a less urgent thread (it yielded).
    pub throttled: u64,
    /// Times that it came to another processor than it had left.
    pub migrations: u64,
    /// Times that it came to one that is not its cluster's.
    pub outside: u64,
    /// Jobs of which no record could be kept.
    pub lost: u64,
    /// How long its job under way has lasted, where that is beyond its deadline; else null.
    pub unfinished_ns: Option<u64>,
    /// The worst jobs, each with its cause in a sentence.
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
