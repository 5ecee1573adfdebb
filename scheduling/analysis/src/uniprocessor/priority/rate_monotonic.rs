//! Shorter period first: the best fixed order where D = T (Liu, Layland, JACM 20(1), 1973).

use super::PriorityOrder;
use prazo_core::task::Task;

/// By period, ties by index.
pub fn rate_monotonic(tasks: &[Task]) -> PriorityOrder {
    PriorityOrder::by_key(tasks.len(), |index| tasks[index].period)
}
