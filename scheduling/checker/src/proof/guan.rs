//! Global fixed priorities (Guan, Stigge, Yi, Yu, RTSS 2009): at most m-1 more urgent tasks bring work into the window.
//!
//! For every k, with x = R_k: C_k + floor(omega/m) <= x, where omega sums min(W_i(x), x - C_k + 1) over more urgent
//! tasks, without carry-in, plus the m-1 largest increases by carry-in. Without it W_i = floor(x/T) C + min(C, x mod
//! T); with it, y = max(0, x - C): W_i = floor(y/T) C + C + min(C - 1, max(0, y mod T - (T - R_i))). Neither falls
//! with x, so any x that satisfies the inequality is an upper bound of the least solution, which is the paper's bound.
//!
//! The paper has D <= T. A bound within min(D, T) shows the set with these shorter deadlines in time; the order is the
//! certificate's own and no deadline enters the inequality, so it shows the set as written, too.

use super::Queue;
use crate::certificate::Response;
use crate::rejected::{Rejected, consistent, show};
use prazo_core::task::{Task, Ticks};

pub fn check(queue: &Queue<'_>, order: &[usize], responses: &[Response]) -> Result<(), Rejected> {
    queue.applies_globally()?;
    consistent(queue.interrupts.is_empty(), || "interrupts are charged, which this test does not know".into())?;
    let bounds = queue.bounds(responses)?;
    for (rank, &k) in order.iter().enumerate() {
        let (task, bound) = (&queue.tasks[k], bounds[k]);
        let urgent = order[..rank].iter().map(|&i| (&queue.tasks[i], bounds[i]));
        show((task.cost..=task.window()).contains(&bound), || format!("task {} is late", queue.names[k]))?;
        let total = interference(urgent, bound, bound - task.cost, queue.processors);
        let holds = u128::from(task.cost) + total / queue.m() <= bound.into();
        show(holds, || format!("task {} may be delayed beyond {bound}", queue.names[k]))?;
    }
    Ok(())
}

/// omega: what more urgent tasks can take of a window of `length` that leaves `laxity`.
fn interference<'t>(
    urgent: impl Iterator<Item = (&'t Task, Ticks)>,
    length: Ticks,
    laxity: Ticks,
    processors: u32,
) -> u128 {
    let cap = u128::from(laxity) + 1;
    let pairs = urgent.map(|(task, bound)| (fresh(task, length).min(cap), carried_in(task, bound, length).min(cap)));
    let (plain, mut more): (Vec<u128>, Vec<u128>) =
        pairs.map(|(fresh, carried)| (fresh, carried.saturating_sub(fresh))).unzip();
    more.sort_unstable_by(|a, b| b.cmp(a));
    plain.iter().sum::<u128>() + more.iter().take(processors as usize - 1).sum::<u128>()
}

/// Work of a task whose first job in the window is released at its start or later.
fn fresh(task: &Task, length: Ticks) -> u128 {
    u128::from(length / task.period) * u128::from(task.cost) + u128::from((length % task.period).min(task.cost))
}

/// Work of a task that was already executing when the window began.
fn carried_in(task: &Task, bound: Ticks, length: Ticks) -> u128 {
    let y = length.saturating_sub(task.cost);
    let before = (y % task.period).saturating_sub(task.period - bound).min(task.cost - 1);
    (u128::from(y / task.period) + 1) * u128::from(task.cost) + u128::from(before)
}
