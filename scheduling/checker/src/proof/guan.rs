//! Global fixed priorities (Guan, Stigge, Yi, Yu, RTSS 2009): at most m-1 more urgent tasks bring work into the window.
//!
//! For every k, the job is done after x = R_k whatever m-1 of the more urgent tasks carry work in (`Queue::is_done`). Without
//! carry-in a task does W_i = floor(x/T) C + min(C, x mod T); with it, y = max(0, x - C), it does W_i = floor(y/T) C + C +
//! min(K, max(0, y mod T - (T - R_i))). K is what a job can have left that ran just before the window: C - 1 in whole ticks, as
//! published, and C in continuous time, where it may have run for as little as one likes. Then W_i has no jumps.
//!
//! A job of k that is not done after R_k contradicts this, given the bounds of more urgent tasks; so no job is late. The worst
//! m-1 tasks are those with the largest increase of min(W_i, x - C_k + e). In whole ticks e is one. In continuous time e is as
//! small as one likes, which half a tick is here: it only puts tasks in order whose increases are otherwise the same.
//!
//! The paper has D <= T. A bound within min(D, T) shows the set with these shorter deadlines in time; the order is the
//! certificate's own and no deadline enters the inequality, so it shows the set as written, too.

use super::Queue;
use crate::certificate::Response;
use crate::rejected::{Rejected, consistent, show};
use prazo_core::task::{Task, Ticks};
use prazo_core::time_model::TimeModel;
use std::cmp::Reverse;

pub(super) fn check(queue: &Queue<'_>, order: &[usize], responses: &[Response]) -> Result<(), Rejected> {
    queue.applies_globally()?;
    consistent(queue.interrupts.is_empty(), || {
        "the certificate charges interrupts, which its test does not cover".into()
    })?;
    let bounds = queue.bounds(responses)?;
    for (rank, &k) in order.iter().enumerate() {
        let (task, bound) = (&queue.tasks[k], bounds[k]);
        let urgent = order[..rank].iter().map(|&i| (&queue.tasks[i], bounds[i]));
        show((task.cost..=task.window()).contains(&bound), || {
            format!("the response bound of task {} is below C or above min(D, T)", queue.names[k])
        })?;
        let work = worst(urgent, Window { length: bound, laxity: bound - task.cost }, queue);
        show(queue.is_done(&work, bound - task.cost), || {
            format!("task {} may be delayed beyond {bound}", queue.names[k])
        })?;
    }
    Ok(())
}

/// A stretch of `length` that leaves others `laxity`.
struct Window {
    length: Ticks,
    laxity: Ticks,
}

/// What more urgent tasks can do in the window if the worst m-1 of them carry work in.
fn worst<'t>(urgent: impl Iterator<Item = (&'t Task, Ticks)>, window: Window, queue: &Queue<'_>) -> Vec<u128> {
    let parts = match queue.time {
        TimeModel::Continuous => 2,
        TimeModel::Discrete => 1,
    };
    let counted = |work: u128| (parts * work).min(parts * u128::from(window.laxity) + 1);
    let with_and_without = |(task, bound): (&Task, Ticks)| {
        (carried_in(task, bound, window.length, queue.time), fresh(task, window.length))
    };
    let mut all: Vec<(u128, u128)> = urgent.map(with_and_without).collect();
    all.sort_by_key(|&(with, without)| Reverse(counted(with).saturating_sub(counted(without))));
    let carrying = queue.processors as usize - 1;
    all.iter()
        .enumerate()
        .map(|(rank, &(with, without))| if rank < carrying { with.max(without) } else { without })
        .collect()
}

/// Work of a task whose first job in the window is released at its start or later.
fn fresh(task: &Task, length: Ticks) -> u128 {
    u128::from(length / task.period) * u128::from(task.cost) + u128::from((length % task.period).min(task.cost))
}

/// Work of a task that was already executing when the window began.
fn carried_in(task: &Task, bound: Ticks, length: Ticks, time: TimeModel) -> u128 {
    let left = match time {
        TimeModel::Continuous => task.cost,
        TimeModel::Discrete => task.cost - 1,
    };
    let y = length.saturating_sub(task.cost);
    let before = (y % task.period).saturating_sub(task.period - bound).min(left);
    (u128::from(y / task.period) + 1) * u128::from(task.cost) + u128::from(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two processors; each task with the bound claimed for it, most urgent first.
    fn checked(time: TimeModel, claims: &[(Task, Ticks)], interrupts: &[Task]) -> Result<(), Rejected> {
        let (tasks, bounds): (Vec<Task>, Vec<Ticks>) = claims.iter().copied().unzip();
        let names: Vec<usize> = (0..tasks.len()).collect();
        let responses: Vec<Response> =
            names.iter().zip(bounds).map(|(&task, bound)| Response { task, bound }).collect();
        let queue = Queue {
            processors: 2,
            tasks: &tasks,
            names: &names,
            interrupts,
            order: None,
            behaviours: None,
            phases: &[],
            time,
        };
        check(&queue, &names, &responses)
    }

    fn late(task: usize, bound: Ticks) -> Result<(), Rejected> {
        Err(Rejected::NotShown(format!("task {task} may be delayed beyond {bound}")))
    }

    /// In a window of 8 it does 2, and with work carried in 4, or 3 in whole ticks.
    const URGENT: (Task, Ticks) = (Task::implicit(2, 10), 6);

    #[test]
    fn one_task_less_than_there_are_processors_carries_work_in() {
        let last = |time, cost| checked(time, &[URGENT, URGENT, URGENT, (Task::implicit(cost, 10), 8)], &[]);
        // 4 + 2 + 2 fill both processors for 4, so the job has 4 to itself; two carrying would do 10, none 6.
        assert_eq!(last(TimeModel::Continuous, 4), Ok(()));
        assert_eq!(last(TimeModel::Continuous, 5), late(3, 8));
        // 3 + 2 + 2 leave one of two processors free in the fourth tick; two carrying would do 8.
        assert_eq!(last(TimeModel::Discrete, 5), Ok(()));
        assert_eq!(last(TimeModel::Discrete, 6), late(3, 8));
    }

    #[test]
    fn work_just_above_what_the_job_can_wait_decides_who_carries_it_in() {
        // The job can wait 2. The first task does 3 either way. The second does 2, and more with what it carries in, so it is the worse one.
        let claims = [(Task::implicit(3, 10), 3), URGENT, (Task::implicit(6, 10), 8)];
        for time in [TimeModel::Continuous, TimeModel::Discrete] {
            assert_eq!(checked(time, &claims, &[]), late(2, 8), "{time:?}");
        }
    }

    #[test]
    fn a_bound_is_at_least_the_cost_and_at_most_the_window() {
        let claim = |bound| checked(TimeModel::Continuous, &[(Task::implicit(4, 8), bound)], &[]);
        assert_eq!([claim(4), claim(8)], [Ok(()), Ok(())]);
        let refused: Result<(), Rejected> =
            Err(Rejected::NotShown("the response bound of task 0 is below C or above min(D, T)".into()));
        assert_eq!([claim(3), claim(9)], [refused.clone(), refused]);
    }

    #[test]
    fn interrupts_and_jitter_are_not_covered() {
        let interrupted = checked(TimeModel::Continuous, &[URGENT], &[Task::implicit(1, 10)]);
        assert!(matches!(interrupted, Err(Rejected::Inconsistent(_))), "{interrupted:?}");
        let (task, bound) = URGENT;
        let delayed = checked(TimeModel::Continuous, &[(Task { jitter: 1, ..task }, bound)], &[]);
        assert!(matches!(delayed, Err(Rejected::NotApplicable(_))), "{delayed:?}");
    }
}
