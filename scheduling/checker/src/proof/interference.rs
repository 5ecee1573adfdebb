//! BCLI (Bertogna, Cirinei, Lipari, TPDS 20(4), 2009) and RTA (Bertogna, Cirinei, RTSS 2007) by response bounds R_k <=
//! D_k.
//!
//! The analyses find slacks s_k = D_k - R_k in rounds. The rounds need not be repeated: bounds only become smaller as
//! other slacks grow, so the last slacks satisfy all conditions at once, and one vector R is the whole proof. It
//! suffices because of this argument. Let `I_i` bound what task i executes while a job of k is ready, provided that jobs of
//! i end within R_i. For every k let those I_i leave the job of k done after R_k: that is `Queue::is_done`. Suppose some job
//! ends later than its bound, and take the job of k whose bound expires first, at v. Every job whose bound expires before v
//! kept it; one whose bound expires at v or later executes before v no more than the I_i assume. By R <= D <= T its own
//! predecessor is done. So the job of k is done at v after all, and no job is late.
//!
//! The papers print the form for whole ticks: floor(sum of min(I_i, R_k - C_k + 1) / m) <= R_k - C_k. The I_i have no jumps, so
//! they are the same in continuous time.

use super::Queue;
use crate::certificate::Response;
use crate::rejected::{Rejected, applies, show};
use prazo_core::task::{Task, Ticks};

/// By deadlines alone: I_i = w_i.
pub(super) fn check_bcli(queue: &Queue<'_>, responses: &[Response]) -> Result<(), Rejected> {
    check(queue, responses, |i, k| by_deadlines(i, k.task))
}

/// By deadlines and by the window: I_i = min(W_i(R_k), w_i).
pub(super) fn check_rta(queue: &Queue<'_>, responses: &[Response]) -> Result<(), Rejected> {
    check(queue, responses, |i, k| by_deadlines(i, k.task).min(in_window(i, k.response)))
}

/// A task with the bound claimed for it.
struct Bounded<'a> {
    task: &'a Task,
    response: Ticks,
}

fn check(
    queue: &Queue<'_>,
    responses: &[Response],
    interference: impl Fn(&Bounded<'_>, &Bounded<'_>) -> u128,
) -> Result<(), Rejected> {
    queue.applies_to_constrained_deadlines()?;
    let bounds = queue.bounds(responses)?;
    let tasks: Vec<Bounded<'_>> =
        queue.tasks.iter().zip(bounds).map(|(task, response)| Bounded { task, response }).collect();
    let sound = |task: &Bounded<'_>| (task.task.cost..=task.task.deadline).contains(&task.response);
    applies(tasks.iter().all(sound), "a response bound is below C or above D")?;
    for (k, bounded) in tasks.iter().enumerate() {
        let others = tasks.iter().enumerate().filter(|(i, _)| *i != k);
        let work: Vec<u128> = others.map(|(_, i)| interference(i, bounded)).collect();
        let done = queue.is_done(&work, bounded.response - bounded.task.cost);
        show(done, || format!("task {} may be delayed beyond its bound", queue.names[k]))?;
    }
    Ok(())
}

/// w_i = floor(D_k/T_i) C_i + min(C_i, max(0, D_k mod T_i - s_i)): jobs of i due no later than the job of k.
fn by_deadlines(i: &Bounded<'_>, k: &Task) -> u128 {
    let (jobs, rest) = (k.deadline / i.task.period, k.deadline % i.task.period);
    let slack = i.task.deadline - i.response;
    u128::from(jobs) * u128::from(i.task.cost) + u128::from(rest.saturating_sub(slack).min(i.task.cost))
}

/// W_i(L), x = L + R_i - C_i: floor(x/T_i) C_i + min(C_i, x mod T_i), whatever the deadlines.
fn in_window(i: &Bounded<'_>, length: Ticks) -> u128 {
    let x = length + i.response - i.task.cost;
    let (jobs, rest) = (x / i.task.period, x % i.task.period);
    u128::from(jobs) * u128::from(i.task.cost) + u128::from(rest.min(i.task.cost))
}
