//! Fixed priorities on one processor, with jitter and any deadlines (Lehoczky, RTSS 1990; Tindell, Burns, Wellings,
//! Real-Time Systems 6, 1994).
//!
//! In the worst busy period of a task all more urgent work and its own first job are released at 0, each as late as
//! its jitter allows. Job q completes at the least w with w = (q+1) C + sum ceil((w + J_h)/T_h) C_h. The right side
//! never falls with w, so any w that is at least its right side is an upper bound of that least solution. The busy
//! period ends with the first q whose w is no later than the next release, (q+1) T - J. Each job's response is w - q T
//! + J.

use super::Queue;
use crate::certificate::Completions;
use crate::rejected::{Rejected, applies, consistent, show};
use prazo_core::task::{Task, Ticks};

pub(super) fn check(queue: &Queue<'_>, order: &[usize], completions: &[Completions]) -> Result<(), Rejected> {
    queue.applies_to_one_processor()?;
    applies(order.len() == queue.tasks.len(), "the order of priorities does not name every task")?;
    let named = completions.iter().map(|of| of.task);
    consistent(named.eq(order.iter().map(|&position| queue.names[position])), || {
        "`completions` lines must be given for each task, the most urgent first".into()
    })?;
    let mut urgent = queue.interrupts.to_vec();
    for (of, &position) in completions.iter().zip(order) {
        show_in_time(&queue.tasks[position], &urgent, of)?;
        urgent.push(queue.tasks[position]);
    }
    Ok(())
}

fn show_in_time(task: &Task, urgent: &[Task], of: &Completions) -> Result<(), Rejected> {
    let mut ended = false;
    for (job, &w) in of.at.iter().enumerate() {
        consistent(!ended, || format!("the busy period of task {} ends before job {job}", of.task))?;
        let job = job as u128;
        let demand = (job + 1) * u128::from(task.cost) + work_before(urgent, w);
        show(demand <= w.into(), || format!("job {job} of task {} may be incomplete at instant {w}", of.task))?;
        let response = u128::from(w) + u128::from(task.jitter);
        let due = job * u128::from(task.period) + u128::from(task.deadline);
        show(response <= due, || format!("job {job} of task {} may complete after its deadline", of.task))?;
        ended = response <= (job + 1) * u128::from(task.period);
    }
    show(ended, || format!("the stated completions of task {} do not reach the end of its busy period", of.task))
}

/// What more urgent tasks release before `instant`.
fn work_before(urgent: &[Task], instant: Ticks) -> u128 {
    urgent.iter().map(|task| u128::from((instant + task.jitter).div_ceil(task.period)) * u128::from(task.cost)).sum()
}
