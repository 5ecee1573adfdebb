//! Who goes before whom: an order of tasks, most urgent first.

mod audsley;
mod deadline_monotonic;
mod rate_monotonic;

pub use audsley::{Assigned, audsley};
pub use deadline_monotonic::deadline_monotonic;
pub use rate_monotonic::rate_monotonic;

use prazo_core::task::Task;

/// A permutation of a set's task indices, most urgent first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PriorityOrder(Vec<usize>);

impl PriorityOrder {
    /// The first of `count` tasks the most urgent, the last the least.
    pub fn as_given(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// By one rank for each task, 0 the most urgent; ties by index.
    pub fn by_rank(ranks: &[u32]) -> Self {
        Self::by_key(ranks.len(), |index| ranks[index])
    }

    /// By ascending `key` of the index; ties by index.
    pub(crate) fn by_key<K: Ord>(count: usize, key: impl FnMut(usize) -> K) -> Self {
        let mut order = Self::as_given(count);
        order.0.sort_by_key(key_of_index(key));
        order
    }

    /// Task indices, most urgent first.
    pub fn indices(&self) -> &[usize] {
        &self.0
    }

    /// The tasks in this order; the order must be of exactly these tasks.
    pub fn arrange(&self, tasks: &[Task]) -> Vec<Task> {
        assert_eq!(self.0.len(), tasks.len(), "a priority order belongs to one task set");
        self.0.iter().map(|index| tasks[*index]).collect()
    }
}

fn key_of_index<K>(mut key: impl FnMut(usize) -> K) -> impl FnMut(&usize) -> K {
    move |index| key(*index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_lower_index() {
        assert_eq!(PriorityOrder::by_rank(&[2, 0, 2, 1]).indices(), [1, 3, 0, 2]);
        let tasks = [Task::new(1, 9, 4), Task::new(1, 5, 5), Task::new(1, 9, 3)];
        assert_eq!(rate_monotonic(&tasks).indices(), [1, 0, 2]);
        assert_eq!(deadline_monotonic(&tasks).indices(), [2, 0, 1]);
    }
}
