//! The jobs that a task set may have: all together, or at random.

use crate::Job;
use prazo_core::task::Task;

/// All tasks are released together at 0, each as late after its arrival as it may be, and then as often as they may.
pub fn together(tasks: &[Task], until: i64) -> Vec<Job> {
    let from = |(index, task): (usize, &Task)| as_often_as_they_may(index, task, -(task.jitter as i64), until);
    tasks.iter().enumerate().flat_map(from).collect()
}

/// The jobs of one task that arrive at `first` and then as often as they may, before `until`, released at 0 at the earliest.
pub fn as_often_as_they_may(index: usize, task: &Task, first: i64, until: i64) -> Vec<Job> {
    let arrivals = (0..).map(|job| first + job * task.period as i64).take_while(|arrival| *arrival < until);
    arrivals.map(|arrival| job(index, task, arrival, arrival.max(0))).collect()
}

/// Each task from an instant of its first period on, at distances of at least a period: one in three is longer, by at most
/// `extra` of the task. Each job is released within the jitter.
pub fn sporadic(tasks: &[Task], until: i64, extra: impl Fn(&Task) -> u64, random: &mut fastrand::Rng) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (index, task) in tasks.iter().enumerate() {
        let mut arrival = random.u64(0..=task.period) as i64;
        while arrival < until {
            jobs.push(job(index, task, arrival, arrival + random.u64(0..=task.jitter) as i64));
            let longer = if random.u8(0..3) == 0 { random.u64(0..=extra(task)) } else { 0 };
            arrival += (task.period + longer) as i64;
        }
    }
    jobs
}

fn job(index: usize, task: &Task, arrival: i64, release: i64) -> Job {
    Job { task: index, arrival, release, due: arrival + task.deadline as i64, cost: task.cost }
}
