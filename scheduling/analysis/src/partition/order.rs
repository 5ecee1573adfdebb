//! In which order tasks are placed: keys compared exactly, ties by index.

use crate::{Task, Ticks};
use std::cmp::Ordering;

/// The order in which tasks are placed; ties by index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// As they stand.
    AsGiven,
    /// Largest C/T first.
    #[default]
    DecreasingUtilization,
    /// Largest C/min(D,T) first.
    DecreasingDensity,
    /// Shortest deadline first.
    IncreasingDeadline,
    /// Shortest period first.
    IncreasingPeriod,
}

prazo_core::words!(Order:
    AsGiven => "as-given",
    DecreasingUtilization => "decreasing-utilization",
    DecreasingDensity => "decreasing-density",
    IncreasingDeadline => "increasing-deadline",
    IncreasingPeriod => "increasing-period",
);

impl Order {
    /// Indices of `tasks` in this order.
    pub fn of(self, tasks: &[Task]) -> Vec<usize> {
        let mut indices: Vec<usize> = (0..tasks.len()).collect();
        // A stable sort leaves equal keys in the order of their indices.
        indices.sort_by(|a, b| self.compare(&tasks[*a], &tasks[*b]));
        indices
    }

    fn compare(self, a: &Task, b: &Task) -> Ordering {
        match self {
            Self::AsGiven => Ordering::Equal,
            Self::DecreasingUtilization => compare_fractions((b.cost, b.period), (a.cost, a.period)),
            Self::DecreasingDensity => compare_fractions((b.cost, b.window()), (a.cost, a.window())),
            Self::IncreasingDeadline => a.deadline.cmp(&b.deadline),
            Self::IncreasingPeriod => a.period.cmp(&b.period),
        }
    }
}

fn compare_fractions((a, over_a): (Ticks, Ticks), (b, over_b): (Ticks, Ticks)) -> Ordering {
    (u128::from(a) * u128::from(over_b)).cmp(&(u128::from(b) * u128::from(over_a)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_sorts_its_own_way_and_ties_keep_their_order() {
        let tasks = [Task::new(1, 4, 3), Task::new(2, 8, 2), Task::new(3, 9, 9), Task::new(1, 3, 9)];
        assert_eq!(Order::AsGiven.of(&tasks), [0, 1, 2, 3]);
        assert_eq!(Order::DecreasingUtilization.of(&tasks), [2, 3, 0, 1]);
        assert_eq!(Order::DecreasingDensity.of(&tasks), [1, 0, 2, 3]);
        assert_eq!(Order::IncreasingDeadline.of(&tasks), [1, 0, 2, 3]);
        assert_eq!(Order::IncreasingPeriod.of(&tasks), [3, 0, 1, 2]);
    }

    #[test]
    fn utilizations_that_floats_cannot_tell_apart_are_ordered() {
        let long = 1 << 48;
        let tasks = [Task::implicit(long - 3, long - 2), Task::implicit(long - 2, long - 1)];
        assert_eq!(Order::DecreasingUtilization.of(&tasks), [1, 0]);
    }
}
