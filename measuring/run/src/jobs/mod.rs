//! A task set that was run as threads: what was asked of each task, and what became of each of its jobs.
//!
//! Instants count from the set's common start, on CLOCK_MONOTONIC. Every job that was due has a record, also one that never
//! began; what a record cannot say is `None`. Where a job ran is a list of stretches, from which [`events`] makes the trace in the
//! words of the simulator and the kernel.

pub mod events;
mod followed;
pub mod plan;

pub use followed::FollowedJobs;
pub use plan::{CriticalSection, Dispatch, Executions, LockProtocol, Releases, Reservation, SetPlan, TaskPlan};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One set of tasks, as it was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetRun {
    /// What was asked.
    pub plan: SetPlan,
    /// Why it was not run; then it has no jobs.
    pub refused: Option<String>,
    /// Up to when the schedule is known; jobs that had not ended by then have no completion.
    pub observed_ns: u64,
    /// Every job that was due, by task and number.
    pub jobs: Vec<JobRecord>,
    /// Where and when jobs ran, by task and time.
    pub stretches: Vec<Stretch>,
    /// Stretches that found no room.
    pub stretches_lost: u64,
}

/// Record of one job of a task set that ran as threads; instants count from the common start of the set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobRecord {
    /// Index of the job's task in the plan.
    pub task: u32,
    /// Number of the job among the jobs of its task, from 0.
    pub number: u64,
    /// Instant at which the job was released.
    pub release_ns: u64,
    /// Instant at which the job first ran, according to its thread's clock reading; null where it never ran.
    pub start_ns: Option<u64>,
    /// Instant at which the job completed, according to its thread's clock reading; null where it did not complete.
    pub completion_ns: Option<u64>,
    /// Processor time of the task's thread from the end of the previous job to the end of this job.
    pub executed_ns: u64,
    /// Number of times that the kernel preempted the job.
    pub preemptions: u64,
    /// Number of times that the job continued on another processor after a preemption.
    pub migrations: u64,
    /// True if the job used up the budget of its reservation; null where its task has no reservation.
    pub overran: Option<bool>,
}

/// A stretch of time for which a job had a processor, [from, to).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The task.
    pub task: u32,
    /// Number of the task's job.
    pub job: u64,
    /// Where.
    pub cpu: u32,
    /// From when.
    pub from_ns: u64,
    /// Until when.
    pub to_ns: u64,
    /// It ended since the job had to wait for a lock.
    pub waited: bool,
}

impl SetRun {
    /// A set that the system would not run.
    pub fn refused(plan: SetPlan, why: String) -> Self {
        let (jobs, stretches) = (Vec::new(), Vec::new());
        Self { plan, refused: Some(why), observed_ns: 0, jobs, stretches, stretches_lost: 0 }
    }

    /// When the job should have ended.
    pub fn deadline_ns(&self, job: &JobRecord) -> u64 {
        job.release_ns.saturating_add(self.plan.tasks[job.task as usize].deadline_ns)
    }

    /// How long after its deadline it ended, or was still under way when the run did; 0 for a job in time.
    pub fn tardiness_ns(&self, job: &JobRecord) -> u64 {
        job.completion_ns.unwrap_or(self.observed_ns).saturating_sub(self.deadline_ns(job))
    }

    /// True if the deadline passed and the job had not ended.
    pub fn is_missed(&self, job: &JobRecord) -> bool {
        self.tardiness_ns(job) > 0
    }
}

impl JobRecord {
    /// From release to completion.
    pub fn response_ns(&self) -> Option<u64> {
        self.completion_ns.map(|end| end.saturating_sub(self.release_ns))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A set of one task with D = 10 ns.
    pub(crate) fn set(jobs: Vec<JobRecord>, stretches: Vec<Stretch>) -> SetRun {
        let task = TaskPlan {
            name: "a".into(),
            cluster: 0,
            period_ns: 20,
            deadline_ns: 10,
            releases: Releases::Grid { first_ns: 0 },
            executions: Executions::Constant { ns: 4 },
            reservation: None,
            priority: Some(1),
            sections: Vec::new(),
        };
        let plan = SetPlan {
            name: "set".into(),
            dispatch: Dispatch::Fifo,
            clusters: vec![vec![0, 1]],
            tasks: vec![task],
            length_ns: 100,
            step_ns: 1,
            spare_ns: None,
            protocol: LockProtocol::Plain,
        };
        SetRun { plan, refused: None, observed_ns: 100, jobs, stretches, stretches_lost: 0 }
    }

    #[test]
    fn a_job_that_never_ended_is_late_up_to_the_end_of_what_was_observed() {
        let job = |completion_ns| JobRecord { release_ns: 20, completion_ns, ..JobRecord::default() };
        let run = set(vec![], vec![]);
        let actual = |completion_ns| (run.tardiness_ns(&job(completion_ns)), run.is_missed(&job(completion_ns)));
        assert_eq!([actual(Some(30)), actual(Some(31)), actual(None)], [(0, false), (1, true), (70, true)]);
    }
}
