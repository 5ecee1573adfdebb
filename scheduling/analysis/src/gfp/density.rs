//! delta_sum <= m/2 (1 - delta_max) + delta_max, for deadline-monotonic priorities; with D = T a bound on the utilization
//! under rate-monotonic ones.
//!
//! Bertogna, Cirinei, Lipari, OPODIS 2005 (LNCS 3974), density bound; delta = C/min(D,T), without jitter. It wins where
//! the largest task is light, and stands beside RM-US, which needs another order.
//!
//! Holds for arrivals at any real instant: the proof compares rates of work and knows no tick.

use super::System;
use crate::exact::compare_sum;
use crate::{Budget, Finding, Margin, Quantity};
use prazo_core::ratio::Ratio;
use prazo_core::task::Task;

const NAME: &str = super::Test::Density.name();

/// Proven if the sum of C/min(D,T) is at most m/2 (1 - delta_max) + delta_max and the order is deadline-monotonic.
pub(super) fn test(System { tasks, order, processors, .. }: System<'_>, budget: &mut Budget) -> Finding {
    if !order.indices().is_sorted_by_key(|index| tasks[*index].window()) {
        return Finding::not_applicable(
            NAME,
            "this bound needs priorities in the order of min(D, T), the shortest first",
        );
    }
    let work = tasks.len() as u64;
    if budget.spend(work).is_err() {
        return Finding::budget_spent(NAME, work);
    }
    let (densest, at) = densest(&tasks);
    let bound = bound(at, processors);
    let demand = tasks.iter().map(|task| task.cost as f64 / task.window() as f64).sum();
    let margin = Some(Margin { demand, capacity: bound.map_or(0.0, Ratio::to_f64), of: Quantity::Density });
    match bound {
        Some(bound) if compare_sum(tasks.iter().map(|task| (task.cost, task.window())), bound).is_le() => {
            Finding::proven(NAME, Some(densest), margin, work)
        }
        _ => Finding::does_not_hold(NAME, Some(densest), margin, work),
    }
}

/// The task with the largest density; the first of equals.
fn densest(tasks: &[Task]) -> (usize, &Task) {
    let density_exceeds =
        |a: &Task, b: &Task| u128::from(a.cost) * u128::from(b.window()) > u128::from(b.cost) * u128::from(a.window());
    let mut densest = 0;
    for (index, task) in tasks.iter().enumerate() {
        if density_exceeds(task, &tasks[densest]) {
            densest = index;
        }
    }
    (densest, &tasks[densest])
}

/// (m (D - C) + 2 C) / (2 D) of the densest task, D no longer than T; `None` if its C is above that.
fn bound(densest: &Task, processors: u32) -> Option<Ratio> {
    let (cost, deadline) = (u128::from(densest.cost), u128::from(densest.window()));
    Ratio::new(u128::from(processors) * deadline.checked_sub(cost)? + 2 * cost, 2 * deadline)
}
