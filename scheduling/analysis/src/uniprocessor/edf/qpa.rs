//! Quick processor-demand analysis: exact, and it looks at a handful of windows instead of all.
//!
//! A set is schedulable if and only if dbf(t) <= t for all t. Going down from a bound, everything between dbf(t) and t is
//! already covered by dbf(t) <= t, so the next window to look at is dbf(t) itself, or the deadline before t if the two
//! are equal. Zhang, Burns, IEEE Transactions on Computers 58(9), 2009, theorems 4 and 5; release jitter as in the parent
//! module.

use super::utilization::Utilization;
use super::without_jitter;
use crate::budget::Spent;
use crate::demand::{deadline_before, total_demand_bound};
use crate::hyperperiod::hyperperiod;
use crate::{Budget, Finding, Margin, Quantity, TaskSet};
use prazo_core::task::{Task, Ticks};
use std::cmp::Ordering;

const NAME: &str = "QPA";

/// Proven or Disproven, unless the budget ends first.
///
/// The margin is the fullest of the windows that were looked at; a disproof names the overloaded one.
pub fn test(tasks: TaskSet<'_>, budget: &mut Budget) -> Finding {
    let before = budget.spent();
    let mut finding = decide(tasks, budget).unwrap_or_else(|Spent| Finding::budget_spent(NAME, 0));
    finding.work = budget.spent() - before;
    finding
}

fn decide(tasks: TaskSet<'_>, budget: &mut Budget) -> Result<Finding, Spent> {
    budget.spend(tasks.len() as u64)?;
    let utilization = Utilization::of(&tasks);
    let ordering = utilization.compare_with_one(&tasks);
    if ordering == Ordering::Greater {
        return Ok(Finding::overdemand(NAME, None, Some(utilization.margin()), 0));
    }
    let Some(tasks) = without_jitter(tasks) else {
        return Ok(overloaded(Window { length: 0, demand: total_demand_at_release(&tasks) }));
    };
    let bound = bound(&tasks, utilization, budget)?;
    search(&tasks, bound, budget)
}

/// Work of the jobs that may be released when they are already due: a window of no length with demand.
fn total_demand_at_release(tasks: &[Task]) -> u128 {
    let due = |task: &Task| Some(task.jitter.checked_sub(task.deadline)? / task.period + 1);
    tasks.iter().filter_map(|task| Some(u128::from(due(task)?) * u128::from(task.cost))).sum()
}

/// A window and what it can be asked to do.
#[derive(Clone, Copy, Debug)]
struct Window {
    length: Ticks,
    demand: u128,
}

impl Window {
    fn margin(self) -> Margin {
        let of = Quantity::Work { window: self.length };
        Margin { demand: self.demand as f64, capacity: self.length as f64, of }
    }

    /// By demand over length, without dividing; demands here are below 2^65.
    fn is_fuller_than(self, other: Self) -> bool {
        self.demand.saturating_mul(u128::from(other.length)) > other.demand.saturating_mul(u128::from(self.length))
    }
}

fn overloaded(window: Window) -> Finding {
    Finding::overdemand(NAME, Some(window.length), Some(window.margin()), 0)
}

/// Goes down from the last deadline before `bound`; tasks without jitter.
fn search(tasks: &[Task], bound: Ticks, budget: &mut Budget) -> Result<Finding, Spent> {
    let shortest = tasks.iter().map(|task| task.deadline).min().unwrap_or(0);
    let mut length = deadline_before(tasks, bound).unwrap_or(shortest);
    let mut fullest = Window { length: 1, demand: 0 };
    loop {
        budget.spend(tasks.len() as u64)?;
        let window = Window { length, demand: total_demand_bound(tasks, length) };
        if window.is_fuller_than(fullest) {
            fullest = window;
        }
        match window.demand.cmp(&u128::from(length)) {
            Ordering::Greater => return Ok(overloaded(without_slack(tasks, window))),
            _ if window.demand <= u128::from(shortest) => break,
            Ordering::Less => length = window.demand as Ticks,
            Ordering::Equal => {
                budget.spend(tasks.len() as u64)?;
                length = deadline_before(tasks, length).unwrap_or(shortest);
            }
        }
    }
    Ok(Finding::proven(NAME, None, Some(fullest.margin()), 0))
}

/// The same demand in the shortest window that has it: the one that ends at a deadline.
fn without_slack(tasks: &[Task], window: Window) -> Window {
    Window { length: deadline_before(tasks, window.length.saturating_add(1)).unwrap_or(window.length), ..window }
}

/// A length from which on no window needs to be looked at.
///
/// The end of the busy period may be far below the slope's bound, but coming down from there costs less than finding it.
fn bound(tasks: &[Task], utilization: Utilization, budget: &mut Budget) -> Result<Ticks, Spent> {
    budget.spend(tasks.len() as u64)?;
    match slope_bound(tasks, utilization) {
        Some(bound) => Ok(bound),
        None => busy_period(tasks, hyperperiod(tasks), budget),
    }
}

/// max(max(D - T), sum of (T - D) u / (1 - U)), rounded up: where the line above the demand function meets t.
///
/// `None` if U is 1, too close to it to tell, or the bound beyond 64 bits.
fn slope_bound(tasks: &[Task], utilization: Utilization) -> Option<Ticks> {
    let mut sum = 0i128;
    let mut longest_excess = 0;
    for task in tasks {
        let (cost, period) = (u128::from(task.cost), u128::from(task.period));
        // Both rounded up; 2^16 tasks of at most 2^96/T each stay far below 2^127.
        if task.deadline <= task.period {
            sum += (u128::from(task.period - task.deadline) * cost).div_ceil(period) as i128;
        } else {
            sum -= (u128::from(task.deadline - task.period) * cost / period) as i128;
            longest_excess = longest_excess.max(task.deadline - task.period);
        }
    }
    let spare = Some(utilization.spare()).filter(|spare| *spare > 0)?;
    let meets = u128::try_from(sum.max(0)).ok()?.checked_mul(utilization.one())?.div_ceil(spare);
    // Windows as long as the excess itself must still be looked at.
    Some(u64::try_from(meets).ok()?.max(longest_excess).saturating_add(1))
}

/// The end of the synchronous busy period, or `limit` if that comes first; no window beyond can be the first to overflow.
fn busy_period(tasks: &[Task], limit: Option<Ticks>, budget: &mut Budget) -> Result<Ticks, Spent> {
    let limit = limit.unwrap_or(Ticks::MAX);
    let mut length: u128 = tasks.iter().map(|task| u128::from(task.cost)).sum();
    loop {
        let now = match Ticks::try_from(length) {
            Ok(now) if now < limit => now,
            _ if limit < Ticks::MAX => return Ok(limit),
            _ => return Err(Spent),
        };
        budget.spend(tasks.len() as u64)?;
        length = tasks.iter().map(|task| u128::from(now.div_ceil(task.period)) * u128::from(task.cost)).sum();
        if length == u128::from(now) {
            return Ok(now);
        }
    }
}
