//! More is asked than any schedule on so many processors can give.

use crate::certificate::Point;
use crate::demand::total_demand_bound;
use crate::fraction::Fraction;
use crate::rejected::{Rejected, applies, consistent, show};
use prazo_core::ratio::Ratio;
use prazo_core::task::{Task, Ticks};

/// A job released J after its arrival cannot be done by D; or jobs come faster than one processor can serve one at a
/// time.
pub(super) fn check_impossible(task: &Task, name: usize) -> Result<(), Rejected> {
    let holds = task.cost + task.jitter > task.deadline || task.cost > task.period;
    show(holds, || format!("task {name} can meet its deadlines when it runs alone"))
}

/// The backlog grows without bound.
pub(super) fn check_utilization(tasks: &[Task], processors: u64) -> Result<(), Rejected> {
    let above = crate::demand::utilization(tasks) > Fraction::whole(processors);
    show(above, || "the utilization is not above the number of processors".into())
}

/// The demand bound functions at t exceed m t: all tasks' first jobs released together, as late as jitter allows.
pub(super) fn check_window(tasks: &[Task], processors: u64, point: Point) -> Result<(), Rejected> {
    show_above(point, processors, total_demand_bound(tasks, point.at))
}

/// The same for arrivals at 0, T, 2T, ... without jitter, with what jobs due later must have received by t.
///
/// A job due at d > t can receive at most d - t afterwards, so C - (d - t) before (Baker, Cirinei, RTSS 2006).
pub(super) fn check_forced_window(tasks: &[Task], processors: u64, point: Point) -> Result<(), Rejected> {
    let ordinary = tasks.iter().all(|task| task.cost <= task.period);
    applies(
        ordinary,
        "a task with C > T cannot meet its deadlines even alone; the certificate must state `impossible-task`",
    )?;
    show_above(point, processors, tasks.iter().map(|task| forced(task, point.at)).sum())
}

fn show_above(point: Point, processors: u64, demand: u128) -> Result<(), Rejected> {
    consistent(Ratio::new(demand, 1) == Some(point.demand), || {
        format!("the demand at instant {} is {demand}, not {} as in the certificate", point.at, point.demand)
    })?;
    let available = u128::from(processors) * u128::from(point.at);
    show(demand > available, || {
        format!("the demand of {demand} at instant {} is no more than the processors can serve", point.at)
    })
}

/// What jobs of `task` that arrive at 0, T, ... before `t` must receive before `t`.
fn forced(task: &Task, t: Ticks) -> u128 {
    let due = t.checked_sub(task.deadline).map_or(0, |rest| rest / task.period + 1);
    let whole = u128::from(due) * u128::from(task.cost);
    // Job j > `due` has received at least C - (j T + D - t); with C <= T only two of them can have received anything.
    let later = (due..due + 2).map(|job| (u128::from(job) * u128::from(task.period), u128::from(t)));
    let arrived = later.filter(|(arrival, t)| arrival < t);
    whole
        + arrived
            .map(|(arrival, t)| u128::from(task.cost).saturating_sub(arrival + u128::from(task.deadline) - t))
            .sum::<u128>()
}
