//! A scheduler so plain that it can be believed: one tick at a time, the most urgent jobs run.

pub mod exhaustive;

use prazo_core::task::Task;
use std::collections::VecDeque;

/// A job that is not finished.
#[derive(Clone, Copy)]
struct Job {
    left: u64,
    deadline: i64,
    running: bool,
}

/// A job that ended late: its task and its absolute deadline.
pub type Miss = (usize, i64);

/// Who is more urgent.
#[derive(Clone, Copy)]
pub enum Rank<'a> {
    /// By absolute deadline.
    Edf,
    /// By these numbers, 0 first.
    Fixed(&'a [u32]),
}

/// The first job seen to end late when all first jobs are released at 0, as late after their arrival as they may, and the
/// following ones as soon as they may; `None` within `ticks`. Ties: a running job goes on, then the task's index decides.
pub fn first_miss(tasks: &[Task], processors: usize, rank: Rank<'_>, ticks: u64) -> Option<Miss> {
    let mut jobs: Vec<VecDeque<Job>> = vec![VecDeque::new(); tasks.len()];
    for now in 0..ticks as i64 {
        release(tasks, now, &mut jobs);
        for index in chosen(&jobs, processors, rank) {
            let job = &mut jobs[index][0];
            (job.left, job.running) = (job.left - 1, true);
            if job.left == 0 {
                let deadline = job.deadline;
                jobs[index].pop_front();
                if now + 1 > deadline {
                    return Some((index, deadline));
                }
            }
        }
    }
    None
}

fn release(tasks: &[Task], now: i64, jobs: &mut [VecDeque<Job>]) {
    for (task, jobs) in tasks.iter().zip(jobs) {
        let since = now + task.jitter as i64;
        let arrivals =
            if now == 0 { since / task.period as i64 + 1 } else { i64::from(since % task.period as i64 == 0) };
        for before in (0..arrivals).rev() {
            let arrival = since - since % task.period as i64 - before * task.period as i64 - task.jitter as i64;
            jobs.push_back(Job { left: task.cost, deadline: arrival + task.deadline as i64, running: false });
        }
    }
}

/// The tasks whose first jobs run in the next tick.
fn chosen(jobs: &[VecDeque<Job>], processors: usize, rank: Rank<'_>) -> Vec<usize> {
    let urgency = |index: usize, job: &Job| match rank {
        Rank::Edf => job.deadline,
        Rank::Fixed(ranks) => i64::from(ranks[index]),
    };
    let mut ready: Vec<(i64, bool, usize)> = jobs
        .iter()
        .enumerate()
        .filter_map(|(index, jobs)| jobs.front().map(|job| (urgency(index, job), !job.running, index)))
        .collect();
    ready.sort_unstable();
    ready.into_iter().take(processors).map(|(_, _, index)| index).collect()
}
