//! A slow and obvious schedule, one tick after the other, of arrivals that may be late and releases that may wait.

use prazo_analysis::{Task, TimeModel};
use std::collections::VecDeque;

/// Who goes first.
#[derive(Clone, Copy)]
pub enum Rank<'a> {
    /// Earliest absolute deadline.
    Edf,
    /// This rank of the task, 0 the most urgent.
    Fixed(&'a [usize]),
}

/// One job that is not done.
struct Job {
    release: u64,
    deadline: u64,
    left: u64,
}

/// The tasks in ticks that show the arrivals of `time`: a proof in continuous time holds between ticks, so each becomes two.
pub fn refined(tasks: &[Task], time: TimeModel) -> Vec<Task> {
    let factor = if time == TimeModel::Continuous { 2 } else { 1 };
    let refined = |task: &Task| {
        let Task { cost, period, deadline, jitter, .. } = *task;
        Task { jitter: jitter * factor, ..Task::new(cost * factor, period * factor, deadline * factor) }
    };
    tasks.iter().map(refined).collect()
}

/// The first deadline at which a job is not done, within `ticks`; arrivals are up to `spread` late, at random.
pub fn first_miss(tasks: &[Task], processors: u32, rank: Rank<'_>, spread: u64, ticks: u64) -> Option<u64> {
    let mut random = fastrand::Rng::with_seed(spread);
    let mut next: Vec<u64> = tasks.iter().map(|_| random.u64(0..=spread)).collect();
    let mut jobs: Vec<VecDeque<Job>> = tasks.iter().map(|_| VecDeque::new()).collect();
    let mut ran: Vec<usize> = Vec::new();
    for now in 0..ticks {
        for (index, task) in tasks.iter().enumerate().filter(|(index, _)| next[*index] == now) {
            let late = if spread == 0 && now == 0 { task.jitter } else { random.u64(0..=task.jitter) };
            jobs[index].push_back(Job { release: now + late, deadline: now + task.deadline, left: task.cost });
        }
        for (index, task) in tasks.iter().enumerate().filter(|(index, _)| next[*index] == now).collect::<Vec<_>>() {
            next[index] += task.period + random.u64(0..=spread);
        }
        if let Some(late) = jobs.iter().flatten().map(|job| job.deadline).filter(|&deadline| deadline <= now).min() {
            return Some(late);
        }
        let mut ready: Vec<usize> =
            (0..tasks.len()).filter(|&task| jobs[task].front().is_some_and(|job| job.release <= now)).collect();
        let urgency = |task: usize| match rank {
            Rank::Edf => jobs[task][0].deadline,
            Rank::Fixed(ranks) => ranks[task] as u64,
        };
        ready.sort_by_key(|&task| (urgency(task), !ran.contains(&task), task));
        ready.truncate(processors as usize);
        for &task in &ready {
            jobs[task][0].left -= 1;
        }
        ran = ready.iter().copied().filter(|&task| jobs[task][0].left > 0).collect();
        jobs.iter_mut().for_each(|queue| queue.retain(|job| job.left > 0));
    }
    None
}

/// The first miss of synchronous arrivals or of some sporadic ones.
pub fn any_miss(tasks: &[Task], processors: u32, rank: Rank<'_>, ticks: u64) -> Option<u64> {
    [0, 1, 2, 5].into_iter().find_map(|spread| first_miss(tasks, processors, rank, spread, ticks))
}

#[test]
fn dhalls_effect_is_seen() {
    let tasks = [Task::implicit(1, 10), Task::implicit(1, 10), Task::implicit(11, 11)];
    assert_eq!(first_miss(&tasks, 2, Rank::Edf, 0, 100), Some(11));
    assert_eq!(first_miss(&tasks, 3, Rank::Edf, 0, 100), None);
}
