//! Shorter deadline first: the best fixed order where D <= T without jitter (Leung, Whitehead, Performance Evaluation 2,
//! 1982).

use super::PriorityOrder;
use prazo_core::task::Task;

/// By relative deadline, ties by index.
pub fn deadline_monotonic(tasks: &[Task]) -> PriorityOrder {
    PriorityOrder::by_key(tasks.len(), |index| tasks[index].deadline)
}
