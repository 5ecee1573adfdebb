//! The schedule of one shared ready queue: in each tick the most urgent jobs run, jobs of one task one after the other.

use crate::Job;
use crate::arrivals::{sporadic, together};
use prazo_core::task::{Task, Ticks};
use std::collections::VecDeque;

/// Who serves one ready queue.
#[derive(Clone, Copy, Debug)]
pub struct Platform {
    /// How many jobs run at once.
    pub processors: u32,
    /// Whether a more urgent job takes the processor of a running one.
    pub is_preemptive: bool,
}

impl Platform {
    /// So many processors, on which the most urgent jobs run at any time.
    pub const fn preemptive(processors: u32) -> Self {
        Self { processors, is_preemptive: true }
    }
}

/// A job that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The job.
    pub job: Job,
    /// Its place among the jobs of its task.
    pub number: usize,
    /// When it ended.
    pub end: i64,
}

impl Ended {
    /// True if it ended after its deadline.
    pub fn is_late(&self) -> bool {
        self.end > self.job.due
    }

    /// By how much it ended after its deadline; 0 where it did not.
    pub fn tardiness(&self) -> u64 {
        (self.end - self.job.due).max(0) as u64
    }

    /// From its arrival to its end.
    pub fn response_time(&self) -> u64 {
        (self.end - self.job.arrival) as u64
    }
}

/// What became of some jobs until an instant.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// In the order in which they ended; at one instant the most urgent first.
    pub ended: Vec<Ended>,
    /// What was not done at the end, in no particular order.
    pub unfinished: Vec<Job>,
    /// Until when it is known.
    pub until: i64,
}

impl Schedule {
    /// The first job to end late.
    pub fn first_to_end_late(&self) -> Option<&Ended> {
        self.ended.iter().find(|ended| ended.is_late())
    }

    /// A job that was not done when it was due, by the end of the schedule: the one with the earliest deadline.
    pub fn first_late(&self) -> Option<Job> {
        let ended = self.ended.iter().filter(|ended| ended.is_late()).map(|ended| ended.job);
        ended.chain(self.unfinished.iter().copied()).filter(|job| job.due <= self.until).min_by_key(|job| job.due)
    }

    /// The end of a task's job that arrived at this instant.
    pub fn end_of(&self, task: usize, arrival: i64) -> Option<i64> {
        self.ended.iter().find(|ended| (ended.job.task, ended.job.arrival) == (task, arrival)).map(|ended| ended.end)
    }
}

/// Runs `jobs` from 0 until `until`, or until all have ended.
///
/// In each tick the most urgent by `rank` (the least first) of the tasks' oldest unfinished jobs run. Of equally urgent jobs
/// the one that ran in the tick before goes on; then the lower task index decides.
pub fn schedule<R: Ord>(jobs: Vec<Job>, on: Platform, until: i64, rank: impl Fn(&Job) -> R) -> Schedule {
    let mut pending = Pending::new(jobs);
    let mut ended = Vec::new();
    for now in 0..until {
        if pending.is_empty() {
            break;
        }
        ended.extend(pending.run(now, on, &rank));
    }
    Schedule { ended, unfinished: pending.left().collect(), until }
}

/// The earliest deadline before `until` at which a job is not done; what comes later is not looked at. Of each task, jobs that
/// arrive later are due later.
pub fn first_missed_deadline<R: Ord>(
    jobs: Vec<Job>,
    on: Platform,
    until: i64,
    rank: impl Fn(&Job) -> R,
) -> Option<i64> {
    let mut pending = Pending::new(jobs);
    (0..until).find_map(|now| {
        let late = pending.oldest().map(|job| job.due).filter(|due| *due <= now).min();
        if late.is_none() {
            pending.run(now, on, &rank);
        }
        late
    })
}

/// Who is more urgent.
#[derive(Clone, Copy, Debug)]
pub enum Order<'a> {
    /// The earlier absolute deadline; of equal ones, that of the job that runs.
    Edf,
    /// The earlier absolute deadline; of equal ones, that of the lower task, which takes the processor of a job that runs.
    EdfThenTask,
    /// The lower number of the task.
    Fixed(&'a [u32]),
    /// The earlier arrival plus this distance of the task.
    Points(&'a [Ticks]),
}

impl Order<'_> {
    /// The less, the more urgent.
    pub fn rank(self, job: &Job) -> (i64, usize) {
        match self {
            Self::Edf => (job.due, 0),
            Self::EdfThenTask => (job.due, job.task),
            Self::Fixed(ranks) => (i64::from(ranks[job.task]), 0),
            Self::Points(points) => (job.arrival + points[job.task] as i64, 0),
        }
    }
}

/// The earliest deadline before `until` that is missed where all tasks are released together.
pub fn first_miss(tasks: &[Task], processors: u32, order: Order<'_>, until: i64) -> Option<i64> {
    first_missed_deadline(together(tasks, until), Platform::preemptive(processors), until, |job| order.rank(job))
}

/// A deadline before `until` that is missed where all tasks are released together, or in one of three random patterns that
/// are denser the earlier they are tried; the same ones each time.
pub fn any_miss(tasks: &[Task], processors: u32, order: Order<'_>, until: i64) -> Option<i64> {
    let misses = |jobs| first_missed_deadline(jobs, Platform::preemptive(processors), until, |job| order.rank(job));
    let extras: [fn(&Task) -> u64; 3] = [|_| 1, |_| 5, |task| task.period];
    let random = |(seed, extra)| sporadic(tasks, until, extra, &mut fastrand::Rng::with_seed(seed));
    misses(together(tasks, until)).or_else(|| (1..).zip(extras).map(random).find_map(misses))
}

/// What is still to be done, by task.
struct Pending {
    tasks: Vec<OfTask>,
}

/// One task's jobs, oldest first.
#[derive(Default)]
struct OfTask {
    jobs: VecDeque<Job>,
    /// What the oldest has had.
    served: u64,
    /// How many have ended.
    done: usize,
    /// Whether the oldest ran in the tick before.
    ran: bool,
}

impl Pending {
    fn new(mut jobs: Vec<Job>) -> Self {
        jobs.sort_by_key(|job| job.arrival);
        let count = jobs.iter().map(|job| job.task + 1).max().unwrap_or(0);
        let mut tasks: Vec<OfTask> = (0..count).map(|_| OfTask::default()).collect();
        jobs.into_iter().for_each(|job| tasks[job.task].jobs.push_back(job));
        Self { tasks }
    }

    fn is_empty(&self) -> bool {
        self.tasks.iter().all(|task| task.jobs.is_empty())
    }

    /// Each task's oldest, which is due first.
    fn oldest(&self) -> impl Iterator<Item = &Job> {
        self.tasks.iter().filter_map(|task| task.jobs.front())
    }

    fn left(&self) -> impl Iterator<Item = Job> {
        self.tasks.iter().flat_map(|task| task.jobs.iter().copied())
    }

    /// One tick; what ends with it.
    fn run<R: Ord>(&mut self, now: i64, on: Platform, rank: &impl Fn(&Job) -> R) -> Vec<Ended> {
        let oldest = |task: &OfTask| task.jobs.front().copied().filter(|job| job.release <= now);
        let mut ready: Vec<Job> = self.tasks.iter().filter_map(oldest).collect();
        let keeps_running = |job: &Job| !on.is_preemptive && self.tasks[job.task].ran;
        ready.sort_by_key(|job| (!keeps_running(job), rank(job), !self.tasks[job.task].ran, job.task));
        ready.truncate(on.processors as usize);
        // Who runs is decided; at one instant ends are told by rank and index alone.
        ready.sort_by_key(|job| (rank(job), job.task));
        self.tasks.iter_mut().for_each(|task| task.ran = false);
        ready.into_iter().filter_map(|job| self.tasks[job.task].run(job, now)).collect()
    }
}

impl OfTask {
    /// Serves its oldest job for one tick.
    fn run(&mut self, job: Job, now: i64) -> Option<Ended> {
        self.served += 1;
        self.ran = self.served < job.cost;
        if self.ran {
            return None;
        }
        self.jobs.pop_front();
        self.served = 0;
        self.done += 1;
        Some(Ended { job, number: self.done - 1, end: now + 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_missed_under_edf(tasks: &[Task], processors: u32) -> Option<i64> {
        first_miss(tasks, processors, Order::Edf, 100)
    }

    #[test]
    fn dhalls_effect_is_seen() {
        let tasks = [Task::implicit(1, 10), Task::implicit(1, 10), Task::implicit(11, 11)];
        assert_eq!(first_missed_under_edf(&tasks, 2), Some(11));
        assert_eq!(first_missed_under_edf(&tasks, 3), None);
    }

    #[test]
    fn two_jobs_of_one_task_never_run_at_once() {
        // Three ticks of work every two, in sequence: jobs end at 3, 6 and 9, on however many processors.
        assert_eq!(first_missed_under_edf(&[Task::new(3, 2, 4)], 4), Some(8));
        assert_eq!(first_missed_under_edf(&[Task::new(2, 2, 4)], 4), None);
    }

    #[test]
    fn the_running_one_of_two_equally_urgent_jobs_goes_on() {
        let jobs = |first: i64| {
            let job = |task, arrival| Job { task, arrival, release: arrival, due: 9, cost: 3 };
            vec![job(0, first), job(1, 0)]
        };
        let ends = |first| schedule(jobs(first), Platform::preemptive(1), 9, |job| job.due);
        assert_eq!(ends(0).end_of(0, 0), Some(3), "the lower index begins");
        assert_eq!((ends(1).end_of(1, 0), ends(1).end_of(0, 1)), (Some(3), Some(6)), "and does not preempt");
    }

    #[test]
    fn without_preemption_an_urgent_job_waits() {
        let jobs = vec![
            Job { task: 0, arrival: 0, release: 0, due: 9, cost: 4 },
            Job { task: 1, arrival: 1, release: 1, due: 3, cost: 1 },
        ];
        let end = |is_preemptive| {
            let on = Platform { processors: 1, is_preemptive };
            schedule(jobs.clone(), on, 9, |job| job.due).end_of(1, 1)
        };
        assert_eq!((end(true), end(false)), (Some(2), Some(5)));
    }

    #[test]
    fn a_job_that_is_due_at_the_end_and_not_done_is_late() {
        let job = Job { task: 0, arrival: 0, release: 0, due: 4, cost: 5 };
        let until = |until| schedule(vec![job], Platform::preemptive(1), until, |job| job.due).first_late();
        assert_eq!((until(3), until(4), until(5)), (None, Some(job), Some(job)));
    }
}
