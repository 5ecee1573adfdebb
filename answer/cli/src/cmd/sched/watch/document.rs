//! What was watched, as scripts read it: each task's observed maxima beside what is proven and what was granted.

use prazo_deploy::deployment::{Deployed, Record};
use prazo_platform::sys::SCHED_DEADLINE;
use prazo_probe::watch::Account;
use prazo_verdict::Reason;
use schemars::JsonSchema;
use serde::Serialize;

/// What `prazo sched watch --json` prints at the end.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Watched {
    /// The scenario's name.
    pub name: String,
    /// What the analysis said when it was deployed: `proven`, `disproven` or `unknown`.
    pub verdict: String,
    /// `pass`, `fail` or `inconclusive`.
    pub outcome: &'static str,
    /// Why, most decisive first.
    pub reasons: Vec<Reason>,
    /// How long it was watched.
    pub watched_s: f64,
    /// Jobs of all tasks.
    pub jobs: u64,
    /// Of these, those that ended after their deadline.
    pub misses: u64,
    /// The tasks.
    pub tasks: Vec<TaskRow>,
    /// What a reader should know.
    pub remarks: Vec<String>,
}

/// One task.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TaskRow {
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

impl TaskRow {
    /// The row of one task.
    pub fn of(task: &Deployed, cpus: &str, account: &Account) -> Self {
        Self {
            task: task.name.clone(),
            thread: task.thread.id,
            cpus: cpus.to_owned(),
            jobs: account.jobs,
            timed: account.timed,
            misses: account.misses,
            period_ns: task.period_ns,
            deadline_ns: task.deadline_ns,
            bound_ns: task.bound_ns,
            response_ns_max: account.response_ns_max,
            response_ns_mean: account.response_ns_sum.checked_div(account.jobs),
            tardiness_ns_max: account.response_ns_max.map(|_| account.tardiness_ns_max),
            budget_ns: budget_ns(task),
            ran_ns_max: account.ran_ns_max,
            overruns: account.overruns,
            preemptions: account.preemptions,
            throttled: account.throttled,
            migrations: account.migrations,
            outside: account.outside,
            lost: account.lost,
            unfinished_ns: account.unfinished_ns,
            worst: account.worst.iter().map(|cause| cause.sentence.clone()).collect(),
        }
    }

    /// The longest time on processors as a share of the budget; `None` before the first job.
    pub fn budget_used(&self) -> Option<f64> {
        self.ran_ns_max.map(|ran| ran as f64 / self.budget_ns.max(1) as f64)
    }
}

/// The rows of all tasks, in order.
pub fn rows(record: &Record, accounts: &[Account]) -> Vec<TaskRow> {
    let row = |(task, account): (&Deployed, &Account)| TaskRow::of(task, &record.clusters[task.cluster].cpus, account);
    record.tasks.iter().zip(accounts).map(row).collect()
}

/// What the kernel grants a deadline thread in a period; what the scenario says of one with a priority.
pub fn budget_ns(task: &Deployed) -> u64 {
    if task.attr.policy == SCHED_DEADLINE { task.attr.runtime_ns } else { task.cost_ns }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A task of 10 ms that was watched for a second, and kept its deadline each time.
    pub fn row() -> TaskRow {
        TaskRow {
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
