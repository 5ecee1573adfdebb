//! What was seen of one watched task: its observed maxima beside what is proven and what was granted.

use prazo_run::jobs::FollowedJobs;
use schemars::JsonSchema;
use serde::Serialize;

/// Observations of one watched task, and what is proven about it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "TaskRow")]
pub struct WatchedTask {
    /// Name of the task.
    pub task: String,
    /// Id of the task's thread.
    pub thread: u32,
    /// Processors of the task's cluster.
    pub cpus: String,
    /// Period or minimum inter-arrival time of the task.
    pub period_ns: u64,
    /// Relative deadline of the task.
    pub deadline_ns: u64,
    /// The proven bound on the task's response time; null where nothing is proven.
    pub bound_ns: Option<u64>,
    /// Budget of one job: the runtime of a thread under SCHED_DEADLINE, else the cost in the scenario.
    pub budget_ns: u64,
    /// Observations of the task's jobs.
    #[serde(flatten)]
    pub seen: FollowedJobs,
    /// The mean observed response time; null where no job ended.
    pub response_ns_mean: Option<u64>,
    /// The jobs with the longest response times, each with its cause in a sentence.
    pub worst: Vec<String>,
}

impl WatchedTask {
    /// The longest time on processors as a share of the budget; `None` before the first job.
    pub fn budget_used(&self) -> Option<f64> {
        self.seen.ran_ns_max.map(|ran| ran as f64 / self.budget_ns.max(1) as f64)
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
            period_ns: 10_000_000,
            deadline_ns: 10_000_000,
            bound_ns: Some(10_000_000),
            budget_ns: 2_000_000,
            seen: FollowedJobs {
                jobs: 100,
                timed: 100,
                response_ns_max: Some(2_000_000),
                tardiness_ns_max: Some(0),
                ran_ns_max: Some(1_900_000),
                ..FollowedJobs::default()
            },
            response_ns_mean: Some(1_500_000),
            worst: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::row;

    #[test]
    fn the_used_budget_is_a_share_of_the_budget_and_finite_without_one() {
        let cases = [
            (Some(1_900_000), 2_000_000, Some(0.95)),
            (Some(2_000_000), 2_000_000, Some(1.0)),
            (Some(500), 2, Some(250.0)),
            (Some(500), 1, Some(500.0)),
            (Some(500), 0, Some(500.0)),
            (Some(0), 0, Some(0.0)),
            (None, 0, None),
        ];
        for (ran, budget, wanted) in cases {
            let mut row = row();
            (row.seen.ran_ns_max, row.budget_ns) = (ran, budget);
            assert_eq!(row.budget_used(), wanted, "{ran:?} of {budget}");
        }
    }
}
