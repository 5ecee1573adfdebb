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
    consistent(queue.interrupts.is_empty(), || "it charges interrupts, which its test does not cover".into())?;
    let bounds = queue.bounds(responses)?;
    for (rank, &k) in order.iter().enumerate() {
        let (task, bound) = (&queue.tasks[k], bounds[k]);
        let urgent = order[..rank].iter().map(|&i| (&queue.tasks[i], bounds[i]));
        show((task.cost..=task.window()).contains(&bound), || format!("task {} is late", queue.names[k]))?;
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
