//! Response times under global fixed priorities, with at most m - 1 tasks carrying work in.
//!
//! The window of a job of task k can be stretched back to an instant at which some processor is not busy with tasks above k.
//! Of those, at most m - 1 are unfinished there; all others arrive within. With X limited to [0, x - C_k + 1]:
//!
//! ```text
//! NC_i(x) = floor(x/T_i) C_i + min(x mod T_i, C_i)
//! CI_i(x) = floor(max(x - C_i, 0)/T_i) C_i + C_i + min(max((max(x - C_i, 0) mod T_i) - (T_i - R_i), 0), C_i - 1)
//! O_k(x)  = sum of NC_i(x) + the m - 1 largest of CI_i(x) - NC_i(x), over i above k
//! R_k     = least x >= C_k with x = floor(O_k(x)/m) + C_k
//! ```
//!
//! Guan, Stigge, Yi, Yu, RTSS 2009, theorems 2 and 3, for whole ticks and any order of priorities; D <= T, or min(D, T)
//! in its place.

use super::{System, has_jitter};
use crate::budget::Spent;
use crate::{Budget, Finding, Margin, Quantity};
use prazo_core::task::{Task, Ticks};

pub(super) const NAME: &str = "Guan RTA";

/// Proven if every task has a response time within its deadline; the margin is that of the task closest to its deadline, or
/// of the one that fails.
pub fn test(system: System<'_>, budget: &mut Budget) -> Finding {
    if let Some(why) = has_jitter(system.tasks) {
        return Finding::not_applicable(NAME, why);
    }
    let before = budget.spent();
    let mut finding = decide(system, budget).unwrap_or_else(|Spent| Finding::budget_spent(NAME, 0));
    finding.work = budget.spent() - before;
    finding
}

fn decide(System { tasks, order, processors }: System<'_>, budget: &mut Budget) -> Result<Finding, Spent> {
    let mut above: Vec<Bounded> = Vec::with_capacity(tasks.len());
    let mut closest: Option<(usize, Bounded)> = None;
    for index in order.indices() {
        let response = response_time(&tasks[*index], &above, processors, budget)?;
        let bounded = Bounded { task: tasks[*index], response };
        if response > bounded.task.window() {
            return Ok(Finding::does_not_hold(NAME, Some(*index), Some(bounded.margin()), 0));
        }
        if closest.as_ref().is_none_or(|(_, other)| bounded.is_closer_than(other)) {
            closest = Some((*index, bounded));
        }
        above.push(bounded);
    }
    let (index, margin) = closest.map(|(index, bounded)| (index, bounded.margin())).unzip();
    Ok(Finding::proven(NAME, index, margin, 0))
}

/// Bounds of all response times in the order of the priorities, up to the first task without one within its deadline.
pub fn response_times(system: System<'_>, budget: &mut Budget) -> Result<Vec<Ticks>, Spent> {
    let mut above: Vec<Bounded> = Vec::with_capacity(system.tasks.len());
    for task in system.order.arrange(&system.tasks) {
        let response = response_time(&task, &above, system.processors, budget)?;
        if response > task.window() {
            break;
        }
        above.push(Bounded { task, response });
    }
    Ok(above.into_iter().map(|bounded| bounded.response).collect())
}

/// A task with a bound of its response time.
#[derive(Clone, Copy, Debug)]
struct Bounded {
    task: Task,
    response: Ticks,
}

impl Bounded {
    fn margin(&self) -> Margin {
        Margin { demand: self.response as f64, capacity: self.task.window() as f64, of: Quantity::ResponseTime }
    }

    fn is_closer_than(&self, other: &Self) -> bool {
        u128::from(self.response) * u128::from(other.task.window())
            > u128::from(other.response) * u128::from(self.task.window())
    }

    /// NC: work in a window of `x` ticks, all of jobs that arrive within.
    fn without_carry_in(&self, x: Ticks) -> u128 {
        let Task { cost, period, .. } = self.task;
        u128::from(x / period) * u128::from(cost) + u128::from((x % period).min(cost))
    }

    /// CI: the same if a job may have arrived before.
    fn with_carry_in(&self, x: Ticks) -> u128 {
        let Task { cost, period, .. } = self.task;
        let behind = x.saturating_sub(cost);
        let carried = (behind % period).saturating_sub(period - self.response).min(cost - 1);
        (u128::from(behind / period) + 1) * u128::from(cost) + u128::from(carried)
    }
}

/// The least x that serves `task` below `above`, or some x beyond its deadline.
fn response_time(task: &Task, above: &[Bounded], processors: u32, budget: &mut Budget) -> Result<Ticks, Spent> {
    let mut gains = Vec::with_capacity(above.len());
    let mut x = task.cost;
    while x <= task.window() {
        budget.spend(2 * above.len() as u64 + 1)?;
        let interference = interference(above, Window { x, limit: x - task.cost + 1, processors }, &mut gains);
        // Below m (x - C + 1), so that the quotient is at most x + 1 - C.
        let next = (interference / u128::from(processors)) as Ticks + task.cost;
        if next <= x {
            break;
        }
        x = next;
    }
    Ok(x)
}

/// A window of `x` ticks in which no task can hinder for more than `limit` of them.
struct Window {
    x: Ticks,
    limit: Ticks,
    processors: u32,
}

/// O: the work of `above` that can hinder in `window`; `gains` is only a place to work in.
fn interference(above: &[Bounded], window: Window, gains: &mut Vec<u128>) -> u128 {
    let limit = u128::from(window.limit);
    gains.clear();
    let mut sum = 0;
    for bounded in above {
        let within = bounded.without_carry_in(window.x).min(limit);
        gains.push(bounded.with_carry_in(window.x).min(limit).saturating_sub(within));
        sum += within;
    }
    let carrying = (window.processors as usize - 1).min(gains.len());
    if carrying > 0 && carrying < gains.len() {
        gains.select_nth_unstable_by(carrying - 1, |a, b| b.cmp(a));
    }
    sum + gains[..carrying].iter().sum::<u128>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work in [0, x) of a task whose job before the window arrives at `-behind` and ends as late as it may, the later
    /// ones at once.
    fn work(Bounded { task, response }: Bounded, behind: i64, x: i64) -> i64 {
        let (cost, period, response) = (task.cost as i64, task.period as i64, response as i64);
        let inside = |from: i64, to: i64| (to.min(x) - from.max(0)).max(0);
        let carried = inside(response - behind - cost, response - behind).min(cost - 1);
        let arrivals = (1..).map(|job| job * period - behind).take_while(|arrival| *arrival < x);
        carried + arrivals.map(|arrival| inside(arrival, arrival + cost)).sum::<i64>()
    }

    #[test]
    fn carried_in_work_is_the_most_that_any_arrival_brings() {
        for (cost, period, response) in [(1, 5, 1), (3, 7, 3), (3, 7, 5), (3, 7, 7), (6, 7, 7), (7, 7, 7)] {
            let bounded = Bounded { task: Task::implicit(cost, period), response };
            for x in cost..4 * period {
                let most = (1..=period as i64).map(|behind| work(bounded, behind, x as i64)).max().unwrap();
                assert_eq!(bounded.with_carry_in(x), most as u128, "{bounded:?} in {x}");
                assert_eq!(
                    bounded.without_carry_in(x),
                    work(Bounded { response: 1, ..bounded }, period as i64, x as i64) as u128
                );
            }
        }
    }
}
