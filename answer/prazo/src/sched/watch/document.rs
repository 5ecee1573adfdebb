//! What was watched, as scripts read it: each task's observed maxima beside what is proven and what was granted.

use crate::sched::deploy::budget_ns;
use prazo_core::verdict::Verdict;
use prazo_deploy::deployment::{Deployed, DeploymentRecord};
use prazo_probe::activations::JobAccount;
use prazo_verdict::watched::WatchedTask;
use prazo_verdict::{Outcome, Reason};
use schemars::JsonSchema;
use serde::Serialize;

/// Result of watching a deployment, as `prazo sched watch --json` prints it at the end.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Watched {
    /// Name of the scenario.
    pub name: String,
    /// Answer of the analysis at deployment: `proven`, `disproven` or `unknown`.
    #[serde(serialize_with = "prazo_platform::as_text::serialize")]
    #[schemars(with = "String")]
    pub verdict: Verdict,
    /// Outcome of the watch: `pass`, `fail` or `inconclusive`.
    #[schemars(with = "String")]
    pub outcome: Outcome,
    /// Reasons for the outcome, the most decisive first.
    pub reasons: Vec<Reason>,
    /// Duration of the watch.
    pub watched_s: f64,
    /// Number of jobs of all tasks.
    pub jobs: u64,
    /// Number of jobs that ended after their deadline.
    pub misses: u64,
    /// Counts and response times of each watched task.
    pub tasks: Vec<WatchedTask>,
    /// Notes for the reader.
    pub remarks: Vec<String>,
}

/// What was seen of every task so far, in order.
pub(crate) fn rows(record: &DeploymentRecord, accounts: &[JobAccount]) -> Vec<WatchedTask> {
    let row = |(task, account): (&Deployed, &JobAccount)| seen(task, &record.clusters[task.cluster].cpus, account);
    record.tasks.iter().zip(accounts).map(row).collect()
}

/// What was seen of one task so far.
fn seen(task: &Deployed, cpus: &str, account: &JobAccount) -> WatchedTask {
    WatchedTask {
        task: task.name.clone(),
        thread: task.thread.id,
        cpus: cpus.to_owned(),
        period_ns: task.period_ns,
        deadline_ns: task.deadline_ns,
        bound_ns: task.bound_ns,
        budget_ns: budget_ns(task),
        seen: account.seen,
        response_ns_mean: account.response_ns_sum.checked_div(account.seen.jobs),
        worst: account.worst.iter().map(|cause| cause.sentence.clone()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_task_is_one_flat_object() {
        let keys = "task thread cpus jobs timed misses period_ns deadline_ns bound_ns response_ns_max response_ns_mean \
                    tardiness_ns_max budget_ns ran_ns_max overruns preemptions throttled migrations outside lost \
                    unfinished_ns worst";
        let row = serde_json::to_value(WatchedTask::default()).unwrap();
        let found: BTreeSet<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(found, keys.split(' ').collect::<BTreeSet<_>>());
        assert!(row["unfinished_ns"].is_null() && row["jobs"] == 0);
    }
}
