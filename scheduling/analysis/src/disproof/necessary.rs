//! More is asked than any schedule could give: conditions that hold for every policy.
//!
//! Let all tasks be released at instant 0 and then arrive as often as they may. In [0, t) a task must be served its jobs with
//! deadlines up to t, and of the next job what does not fit behind t:
//!
//! forced_i(t) = k C + max(0, C - (k T + D - t)), where k jobs have deadlines up to t.
//!
//! If the sum exceeds m t, no schedule serves it (Baker and Cirinei, RTSS 2006; it is the demand of FF-DBF for a speed of
//! one). A task's forced work grows with slope 0 or 1 and stops growing at its deadlines, so the excess over m t is largest
//! at some deadline. Deadlines are visited backwards as by QPA (Zhang and Burns 2009): if m t' bounds what is forced until t,
//! then nothing in [t', t] is overdemanded. With release jitter the first job is released J late, which leaves D - J of its
//! window and brings the later arrivals J closer: D - J stands for D.

use super::HORIZON_MAX;
use crate::exact::compare_sum;
use crate::hyperperiod::hyperperiod;
use crate::{Budget, Finding, Margin, Quantity, Task, TaskSet, Ticks};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// What findings call these conditions.
pub const NAME: &str = "demand";

/// A proof that no schedule on `processors` processors serves `tasks`; `None` if none was found within `budget`.
pub fn overdemand(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Option<Finding> {
    let before = budget.spent();
    budget.spend(tasks.len() as u64).ok()?;
    let found = impossible_task(tasks)
        .or_else(|| overload(tasks, processors))
        .or_else(|| overdemanded_window(tasks, processors, budget))?;
    Some(Finding { work: budget.spent() - before, ..found })
}

/// A job longer than its own window, or a task with u > 1, whatever the others do.
fn impossible_task(tasks: TaskSet<'_>) -> Option<Finding> {
    let (index, task) =
        tasks.iter().enumerate().find(|(_, task)| task.cost > left_of_deadline(task).min(task.period))?;
    let (window, margin) = if task.cost > left_of_deadline(task) {
        let window = left_of_deadline(task);
        (Some(window), work(task.cost.into(), window.into(), window))
    } else {
        (None, Margin { demand: task.cost as f64 / task.period as f64, capacity: 1.0, of: Quantity::Utilization })
    };
    Some(Finding { task: Some(index), ..Finding::overdemand(NAME, window, Some(margin), 0) })
}

/// U > m: the backlog grows without bound.
pub(crate) fn overload(tasks: TaskSet<'_>, processors: u32) -> Option<Finding> {
    let utilizations = tasks.iter().map(|task| (task.cost, task.period));
    if compare_sum(utilizations.clone(), Ratio::whole(processors.into())) != Ordering::Greater {
        return None;
    }
    let demand = utilizations.map(|(cost, period)| cost as f64 / period as f64).sum();
    let margin = Margin { demand, capacity: f64::from(processors), of: Quantity::Utilization };
    Some(Finding::overdemand(NAME, None, Some(margin), 0))
}

/// A window [0, t) in which more than m t is forced. Assumes that U <= m and that each task can do its own work.
fn overdemanded_window(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Option<Finding> {
    let mut window = deadline_up_to(tasks, window_limit(tasks, processors))?;
    loop {
        budget.spend(2 * tasks.len() as u64).ok()?;
        let forced: u128 = tasks.iter().map(|task| forced(task, window)).sum();
        let capacity = u128::from(processors) * u128::from(window);
        if forced > capacity {
            return Some(Finding::overdemand(NAME, Some(window), Some(work(forced, capacity, window)), 0));
        }
        // What is forced before `reach` cannot be bounded by what is forced until `window`: the search goes on there.
        let reach = (forced.div_ceil(processors.into()) as Ticks).min(window);
        window = deadline_up_to(tasks, reach.checked_sub(1)?)?;
    }
}

/// Work that must be done in the first `t` ticks if every job is to end in time.
pub fn forced(task: &Task, t: Ticks) -> u128 {
    let left = left_of_deadline(task);
    let jobs = t.checked_sub(left).map_or(0, |behind| behind / task.period + 1);
    let next = u128::from(jobs) * u128::from(task.period) + u128::from(left);
    let behind = next - u128::from(t);
    u128::from(jobs) * u128::from(task.cost) + u128::from(task.cost).saturating_sub(behind)
}

/// D - J: what a job has left when it is released as late as it may be.
fn left_of_deadline(task: &Task) -> Ticks {
    task.deadline.saturating_sub(task.jitter)
}

/// The latest instant k T + D - J of any task up to `t`.
fn deadline_up_to(tasks: TaskSet<'_>, t: Ticks) -> Option<Ticks> {
    tasks
        .iter()
        .filter_map(|task| {
            let behind = t.checked_sub(left_of_deadline(task))?;
            Some(t - behind % task.period)
        })
        .max()
}

/// No window longer than this can be overdemanded.
///
/// forced_i(t) <= u (t + T - (D - J)) where that is positive, so m t is reached before t = sum of max(0, T - D + J) u, over
/// m - U. Numerators are rounded up and m - U down, in units of 2^-60. And what is forced repeats: behind the longest deadline,
/// one hyperperiod forces U times its length, which is at most m times.
fn window_limit(tasks: TaskSet<'_>, processors: u32) -> Ticks {
    const BITS: u32 = 60;
    let mut excess = 0u128;
    let mut utilization = 0u128;
    for task in tasks.iter() {
        let early = u128::from(task.period.saturating_sub(left_of_deadline(task)));
        excess += (early * u128::from(task.cost)).div_ceil(task.period.into());
        utilization += (u128::from(task.cost) << BITS).div_ceil(task.period.into());
    }
    let spare = (u128::from(processors) << BITS).saturating_sub(utilization);
    let limit = (excess << BITS).checked_div(spare).unwrap_or(u128::MAX);
    let deadline = tasks.iter().map(|task| task.deadline).max().unwrap_or(0);
    let repeated = hyperperiod(&tasks).filter(|multiple| *multiple < HORIZON_MAX);
    let repeated = repeated.map_or(HORIZON_MAX, |multiple| multiple + deadline);
    limit.min(repeated.into()) as Ticks
}

fn work(demand: u128, capacity: u128, window: Ticks) -> Margin {
    Margin { demand: demand as f64, capacity: capacity as f64, of: Quantity::Work { window } }
}
