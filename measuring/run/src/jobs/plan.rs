//! What is asked of a task set that shall run as threads: everything is decided, so that a guest only carries it out.

use prazo_core::cpu::{Cpu, CpuSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Plan of one task set that is to run as threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetPlan {
    /// Name of the task set.
    pub name: String,
    /// Scheduling policy of Linux that decides which job runs.
    pub dispatch: Dispatch,
    /// Clusters of the set, each a list of processor numbers.
    pub clusters: Vec<Vec<u32>>,
    /// The tasks; the index in this list is the number of the task.
    pub tasks: Vec<TaskPlan>,
    /// Length of the interval in which jobs are released; the interval begins at the common start.
    pub length_ns: u64,
    /// Duration of a step of work. A thread reads the clocks between steps, so the end of a job and its preemptions
    /// are known to within one step.
    pub step_ns: u64,
    /// Part of each job's execution time that is reserved for what its thread cannot measure: waking up, the last step, going to
    /// sleep. Null: prazo uses the longest execution time of a few empty jobs that run before the start.
    pub spare_ns: Option<u64>,
    /// Locking protocol of all locks of the set.
    #[serde(default)]
    pub protocol: LockProtocol,
}

/// Scheduling policy of Linux that decides which job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dispatch {
    /// SCHED_DEADLINE: each task has a budget in each period, and the job with the earliest deadline runs first.
    Deadline,
    /// SCHED_FIFO: each task has a fixed priority, and the job with the highest priority runs first.
    Fifo,
}

/// Plan of one task of a task set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskPlan {
    /// Name of the task.
    pub name: String,
    /// Index of the task's cluster in the list of clusters.
    pub cluster: u32,
    /// Period of the task.
    pub period_ns: u64,
    /// Relative deadline of the task's jobs.
    pub deadline_ns: u64,
    /// Release times of the task's jobs.
    pub releases: Releases,
    /// Execution times of the task's jobs.
    pub executions: Executions,
    /// The task's reservation under SCHED_DEADLINE; null under SCHED_FIFO.
    pub reservation: Option<Reservation>,
    /// Priority of the task under SCHED_FIFO, from 1 to 99, with 99 the most urgent; null under SCHED_DEADLINE.
    pub priority: Option<u8>,
    /// Critical sections of each of the task's jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<CriticalSection>,
}

/// A critical section: the part [from, to) of a job's execution time in which the job holds a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CriticalSection {
    /// Number of the lock that the job holds in the section.
    pub lock: u32,
    /// Execution time after which the job takes the lock.
    pub from_ns: u64,
    /// Execution time after which the job releases the lock.
    pub to_ns: u64,
}

/// Locking protocol: the priority of a task while it holds a lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LockProtocol {
    /// No protocol: the holder keeps its own priority (PTHREAD_PRIO_NONE).
    #[default]
    Plain,
    /// The holder inherits the urgency of the most urgent waiting task (PTHREAD_PRIO_INHERIT).
    Inherit,
    /// The holder runs at the priority ceiling, the highest priority of all tasks (PTHREAD_PRIO_PROTECT), so that no
    /// task preempts a critical section.
    Protect,
}

/// A task's reservation under SCHED_DEADLINE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reservation {
    /// Budget: processor time that the task may use in each period of the reservation.
    pub budget_ns: u64,
    /// Relative deadline of the reservation.
    pub deadline_ns: u64,
    /// Period of the reservation.
    pub period_ns: u64,
}

/// Release times of a task's jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Releases {
    /// One release in each period of the task.
    Grid {
        /// Release time of the first job after the common start.
        first_ns: u64,
    },
    /// Releases at listed instants.
    Listed {
        /// Release times after the common start, in ascending order.
        at_ns: Vec<u64>,
    },
}

/// Execution times of a task's jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Executions {
    /// Every job executes for the same time.
    Constant {
        /// Execution time of every job.
        ns: u64,
    },
    /// One execution time for each job; jobs beyond the list take the last time of the list.
    Listed {
        /// Execution times of the jobs, in the order of the jobs.
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

    /// The processors of a cluster; `None` where there is no such cluster, or it has none.
    pub fn cpus(&self, cluster: usize) -> Option<CpuSet> {
        CpuSet::from_cpus(self.clusters.get(cluster)?.iter().copied().filter_map(Cpu::new))
    }
}

prazo_core::words!(LockProtocol: Plain => "plain", Inherit => "inherit", Protect => "protect");

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
