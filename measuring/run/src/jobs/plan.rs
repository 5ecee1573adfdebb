//! What is asked of a task set that shall run as threads: everything is decided, so that a guest only carries it out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One set of tasks to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetPlan {
    /// Its name.
    pub name: String,
    /// The scheduling policy of Linux that ranks the jobs.
    pub dispatch: Dispatch,
    /// The processors of each cluster.
    pub clusters: Vec<Vec<u32>>,
    /// The tasks; a task's number is its index here.
    pub tasks: Vec<TaskPlan>,
    /// Jobs are released before this instant.
    pub length_ns: u64,
    /// Duration of a step of work. The thread reads the clocks between steps, so a job's end and its preemptions are
    /// known to one step.
    pub step_ns: u64,
    /// Execution time reserved in each job for what it cannot measure itself: waking up, its last step, going to sleep.
    /// `None`: the time that a few empty jobs take before the start.
    pub spare_ns: Option<u64>,
    /// Protocol of the tasks' locks.
    #[serde(default)]
    pub protocol: Protocol,
}

/// The scheduling policy of Linux that ranks the jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dispatch {
    /// SCHED_DEADLINE: each task has a budget in each period, and the earliest deadline runs first.
    Deadline,
    /// SCHED_FIFO: each task has a priority.
    Fifo,
}

/// One task of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskPlan {
    /// Its name.
    pub name: String,
    /// Index of its cluster.
    pub cluster: u32,
    /// Period.
    pub period_ns: u64,
    /// Relative deadline.
    pub deadline_ns: u64,
    /// When its jobs are released.
    pub releases: Releases,
    /// Execution times of its jobs.
    pub executions: Executions,
    /// Its reservation under SCHED_DEADLINE; none under SCHED_FIFO.
    pub reservation: Option<Reservation>,
    /// Its priority from 1 to 99, 99 the most urgent; none under SCHED_DEADLINE.
    pub priority: Option<u8>,
    /// Critical sections of its jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
}

/// A critical section of a job, in execution time since the job's start: [from, to).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// Number of the lock.
    pub lock: u32,
    /// Execution time after which the job takes the lock.
    pub from_ns: u64,
    /// Execution time after which it releases the lock.
    pub to_ns: u64,
}

/// Protocol of a lock for its holder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// No protocol.
    #[default]
    Plain,
    /// The holder inherits the urgency of the most urgent waiting task (PTHREAD_PRIO_INHERIT).
    Inherit,
    /// The holder runs at the priority ceiling (PTHREAD_PRIO_PROTECT), so that no section is preempted.
    Protect,
}

/// A task's reservation under SCHED_DEADLINE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reservation {
    /// Processor time in each period.
    pub budget_ns: u64,
    /// Relative deadline.
    pub deadline_ns: u64,
    /// Period of the reservation.
    pub period_ns: u64,
}

/// Release times of a task's jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Releases {
    /// Once a period.
    Grid {
        /// Release time of the first job.
        first_ns: u64,
    },
    /// At these instants, in order.
    Listed {
        /// The release times.
        at_ns: Vec<u64>,
    },
}

/// Execution times of a task's jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Executions {
    /// Always the same.
    Constant {
        /// Execution time of each job.
        ns: u64,
    },
    /// One time for each job; further jobs execute the last one.
    Listed {
        /// The execution times.
        ns: Vec<u64>,
    },
}

impl TaskPlan {
    /// The releases before `length_ns`.
    pub fn releases_before(&self, length_ns: u64) -> Vec<u64> {
        match &self.releases {
            Releases::Grid { first_ns } => {
                (*first_ns..length_ns).step_by(usize::try_from(self.period_ns.max(1)).unwrap_or(usize::MAX)).collect()
            }
            Releases::Listed { at_ns } => at_ns.iter().copied().take_while(|at| *at < length_ns).collect(),
        }
    }

    /// How many releases there are before `length_ns`.
    pub fn jobs_before(&self, length_ns: u64) -> u64 {
        match &self.releases {
            Releases::Grid { first_ns } => length_ns.saturating_sub(*first_ns).div_ceil(self.period_ns.max(1)),
            Releases::Listed { at_ns } => at_ns.iter().take_while(|at| **at < length_ns).count() as u64,
        }
    }

    /// What job number `job` executes.
    pub fn execution_ns(&self, job: usize) -> u64 {
        match &self.executions {
            Executions::Constant { ns } => *ns,
            Executions::Listed { ns } => ns.get(job).or(ns.last()).copied().unwrap_or(0),
        }
    }
}

impl SetPlan {
    /// The tasks of a cluster.
    pub fn members(&self, cluster: u32) -> impl Iterator<Item = &TaskPlan> {
        self.tasks.iter().filter(move |task| task.cluster == cluster)
    }
}

prazo_core::words!(Protocol: Plain => "plain", Inherit => "inherit", Protect => "protect");

impl Dispatch {
    /// The policy, as Linux calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deadline => "SCHED_DEADLINE",
            Self::Fifo => "SCHED_FIFO",
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::jobs::tests::set;
    use crate::jobs::{Executions, Releases};

    #[test]
    fn as_many_jobs_are_counted_as_are_released() {
        let mut task = set(vec![], vec![]).plan.tasks.remove(0);
        for (first_ns, length_ns) in [(0, 100), (0, 101), (7, 100), (200, 100), (19, 20)] {
            task.releases = Releases::Grid { first_ns };
            assert_eq!(task.releases_before(length_ns).len() as u64, task.jobs_before(length_ns), "{first_ns}");
        }
        task.releases = Releases::Listed { at_ns: vec![0, 30, 100] };
        assert_eq!((task.releases_before(100), task.jobs_before(100)), (vec![0, 30], 2));
    }

    #[test]
    fn jobs_beyond_the_list_execute_as_the_last_of_it() {
        let mut task = set(vec![], vec![]).plan.tasks.remove(0);
        task.executions = Executions::Listed { ns: vec![3, 5] };
        assert_eq!([0, 1, 2].map(|job| task.execution_ns(job)), [3, 5, 5]);
    }
}
