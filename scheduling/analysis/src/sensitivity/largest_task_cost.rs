//! By how much the cost of one task may grow, or must shrink, while the others stay as they are.
//!
//! One cost needs no grid: the boundary is found to the tick, and the factor is the exact quotient of two costs.

use super::AskTasks;
use super::search::{Boundary, Range, largest};
use crate::{TaskSet, Ticks};
use prazo_core::ratio::Ratio;

/// The largest cost in ticks of the task with this index at which `ask` proves the set; no cost above min(D, T) is asked.
pub fn largest_task_cost(tasks: TaskSet<'_>, index: usize, ask: AskTasks<'_>) -> Boundary {
    let (mut changed, task) = (tasks.to_vec(), tasks[index]);
    let range = Range { first: 1, last: task.window(), start: task.cost.min(task.window()) };
    largest(range, &mut |cost| {
        changed[index].cost = cost;
        ask(&changed)
    })
}

/// What the cost `found` is of the cost `now`: 3/2 if it may grow by half.
pub fn factor(found: Ticks, now: Ticks) -> Option<Ratio> {
    Ratio::new(found.into(), now.into())
}
