//! What a test has to see before it begins: sets that it does not speak of, or whose answer needs no search.

use crate::exact::compare_sum;
use crate::{DeadlineKind, Finding, Margin, Quantity, Task, TaskSet};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// What must hold of deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deadlines {
    /// D <= T; the proof behind the test needs it.
    Constrained,
    /// Any.
    Arbitrary,
}

/// The answer of `test` where it has nothing to compute: jitter, deadlines beyond its proof, a task that cannot fit its own
/// window, more utilization than processors.
pub(super) fn outside(test: &'static str, accepts: Deadlines, tasks: TaskSet<'_>, processors: u32) -> Option<Finding> {
    if tasks.has_jitter() {
        return Some(Finding::not_applicable(test, "its proof has no release jitter; subtract the jitter from D"));
    }
    if accepts == Deadlines::Constrained && tasks.deadlines() == DeadlineKind::Arbitrary {
        return Some(Finding::not_applicable(test, "its proof needs D <= T; ask for min(D, T) and dispatch by that"));
    }
    too_long(test, tasks).or_else(|| too_much(test, tasks, processors))
}

fn too_long(test: &'static str, tasks: TaskSet<'_>) -> Option<Finding> {
    let index = tasks.iter().position(|task| task.cost > task.window())?;
    let Task { cost, .. } = tasks[index];
    let window = tasks[index].window();
    let margin = Margin { demand: cost as f64, capacity: window as f64, of: Quantity::Work { window } };
    Some(Finding::does_not_hold(test, Some(index), Some(margin), 0))
}

fn too_much(test: &'static str, tasks: TaskSet<'_>, processors: u32) -> Option<Finding> {
    let ordering = compare_utilization(&tasks, Ratio::whole(u64::from(processors)));
    let margin = utilization_margin(&tasks, f64::from(processors));
    (ordering == Ordering::Greater).then(|| Finding::does_not_hold(test, None, Some(margin), 0))
}

/// How the sum of C/T compares with `bound`, exactly.
pub(super) fn compare_utilization(tasks: &[Task], bound: Ratio) -> Ordering {
    compare_sum(tasks.iter().map(|task| (task.cost, task.period)), bound)
}

/// U beside what it must not exceed, for display.
pub(super) fn utilization_margin(tasks: &[Task], capacity: f64) -> Margin {
    let demand = tasks.iter().map(|task| task.cost as f64 / task.period as f64).sum();
    Margin { demand, capacity, of: Quantity::Utilization }
}

/// The largest C/min(D,T).
pub(super) fn largest_density(tasks: &[Task]) -> Ratio {
    let densities = tasks.iter().filter_map(|task| Ratio::new(u128::from(task.cost), u128::from(task.window())));
    densities.max().unwrap_or(Ratio::ZERO)
}
