//! What the jobs of a task set come to, task by task: response times, tardiness, misses, overruns, migrations.
//!
//! Observed values, never bounds, in the words of the simulator's figures, so that the two stand side by side.

use prazo_run::jobs::{JobRecord, SetRun};

/// One task's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TaskJobs {
    /// Jobs that were due.
    pub jobs: u64,
    /// Jobs that ended.
    pub completed: u64,
    /// Jobs that missed their deadline.
    pub misses: u64,
    /// Jobs that used their budget up; `None` without one.
    pub overruns: Option<u64>,
    /// Number of preemptions by the kernel.
    pub preemptions: u64,
    /// Number of migrations.
    pub migrations: u64,
    /// Stretches on a processor outside of the task's cluster.
    pub outside: u64,
    /// The shortest response time of those that ended, as the next two.
    pub response_ns_min: Option<u64>,
    /// Their mean.
    pub response_ns_mean: Option<f64>,
    /// The longest.
    pub response_ns_max: Option<u64>,
    /// The longest tardiness; of a job that had not ended, up to the end of the run.
    pub tardiness_ns_max: u64,
    /// The longest time from release to the first stamp.
    pub start_ns_max: Option<u64>,
    /// The longest processor time of a job.
    pub executed_ns_max: u64,
}

/// The figures of each task of a set.
pub fn jobs(set: &SetRun) -> Vec<TaskJobs> {
    let mut all = vec![TaskJobs::default(); set.plan.tasks.len()];
    for (task, figures) in all.iter_mut().enumerate() {
        figures.overruns = set.plan.tasks[task].reservation.map(|_| 0);
    }
    for job in &set.jobs {
        all[job.task as usize].add(set, job);
    }
    for stretch in &set.stretches {
        let cluster = &set.plan.clusters[set.plan.tasks[stretch.task as usize].cluster as usize];
        all[stretch.task as usize].outside += u64::from(!cluster.contains(&stretch.cpu));
    }
    for figures in &mut all {
        figures.response_ns_mean = figures.response_ns_mean.map(|sum| sum / figures.completed as f64);
    }
    all
}

impl TaskJobs {
    /// Until all are added, the mean is a sum.
    fn add(&mut self, set: &SetRun, job: &JobRecord) {
        self.jobs += 1;
        self.misses += u64::from(set.is_missed(job));
        self.preemptions += job.preemptions;
        self.migrations += job.migrations;
        self.tardiness_ns_max = self.tardiness_ns_max.max(set.tardiness_ns(job));
        self.executed_ns_max = self.executed_ns_max.max(job.executed_ns);
        self.overruns = self.overruns.map(|count| count + u64::from(job.overran == Some(true)));
        let start_ns = job.start_ns.map(|start| start.saturating_sub(job.release_ns));
        self.start_ns_max = self.start_ns_max.max(start_ns);
        if let Some(response_ns) = job.response_ns() {
            self.completed += 1;
            self.response_ns_min = Some(self.response_ns_min.map_or(response_ns, |min| min.min(response_ns)));
            self.response_ns_mean = Some(self.response_ns_mean.unwrap_or(0.0) + response_ns as f64);
            self.response_ns_max = self.response_ns_max.max(Some(response_ns));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::jobs::{Dispatch, Executions, LockProtocol, Releases, Reservation, SetPlan, Stretch, TaskPlan};

    fn set(completions: &[Option<u64>]) -> SetRun {
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
        let (name, clusters) = ("set".to_owned(), vec![vec![0], vec![1]]);
        let (tasks, length_ns, step_ns, spare_ns, protocol) = (vec![task], 60, 1, None, LockProtocol::Plain);
        let plan = SetPlan { name, dispatch: Dispatch::Fifo, clusters, tasks, length_ns, step_ns, spare_ns, protocol };
        let job = |(number, completion_ns): (u64, &Option<u64>)| JobRecord {
            number,
            release_ns: 20 * number,
            start_ns: completion_ns.map(|end| end - 4),
            completion_ns: *completion_ns,
            ..JobRecord::default()
        };
        let jobs = (0..).zip(completions).map(job).collect();
        let stretches =
            [0, 1].map(|cpu| Stretch { task: 0, job: 0, cpu, from_ns: cpu.into(), to_ns: 9, waited: false }).to_vec();
        SetRun { plan, refused: None, observed_ns: 80, jobs, stretches, stretches_lost: 0 }
    }

    #[test]
    fn a_job_that_did_not_end_is_missed_and_has_no_response_time() {
        let [figures] = jobs(&set(&[Some(6), Some(32), None]))[..] else { panic!("one task") };
        assert_eq!((figures.jobs, figures.completed, figures.misses, figures.outside), (3, 2, 2, 1));
        assert_eq!((figures.response_ns_min, figures.response_ns_max), (Some(6), Some(12)));
        assert_eq!((figures.response_ns_mean, figures.tardiness_ns_max), (Some(9.0), 30));
        assert_eq!((figures.start_ns_max, figures.overruns), (Some(8), None));
    }

    #[test]
    fn counts_are_those_of_all_jobs_and_the_longest_processor_time_is_that_of_one() {
        let mut set = set(&[Some(6), Some(32), Some(50)]);
        set.plan.tasks[0].reservation = Some(Reservation { budget_ns: 4, deadline_ns: 10, period_ns: 20 });
        let observed = [(3, 1, 0, Some(true)), (7, 0, 2, Some(false)), (5, 4, 1, None)];
        for (job, observed) in set.jobs.iter_mut().zip(observed) {
            (job.executed_ns, job.preemptions, job.migrations, job.overran) = observed;
        }
        let [figures] = jobs(&set)[..] else { panic!("one task") };
        assert_eq!((figures.executed_ns_max, figures.preemptions, figures.migrations), (7, 5, 3));
        assert_eq!(figures.overruns, Some(1));
    }
}
