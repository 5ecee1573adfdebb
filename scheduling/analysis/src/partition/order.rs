//! In which order tasks are placed: keys compared exactly, ties by index.

use crate::exact::Fraction;
use crate::set::TASKS_MAX;
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

/// Bits that hold the index of a task.
const INDEX_BITS: u32 = 16;

impl Order {
    /// Indices of `tasks` in this order.
    pub fn of(self, tasks: &[Task]) -> Vec<usize> {
        match self {
            Self::AsGiven => (0..tasks.len()).collect(),
            Self::DecreasingUtilization => decreasing(tasks, |task| (task.cost, task.period)),
            Self::DecreasingDensity => decreasing(tasks, |task| (task.cost, task.window())),
            Self::IncreasingDeadline => increasing(tasks, |task| task.deadline),
            Self::IncreasingPeriod => increasing(tasks, |task| task.period),
        }
    }
}

fn increasing(tasks: &[Task], key: impl Fn(&Task) -> Ticks) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..tasks.len()).collect();
    // A stable sort leaves equal keys in the order of their indices.
    indices.sort_by_key(|index| key(&tasks[*index]));
    indices
}

/// Largest fraction first. Quotients in units of 2^-shift, without their last bits, are compared first: the smaller of two is of the
/// smaller fraction, since rounding down keeps the order. Only where two are equal are the fractions themselves compared.
fn decreasing(tasks: &[Task], fraction: impl Fn(&Task) -> Fraction) -> Vec<usize> {
    const { assert!(TASKS_MAX <= 1 << INDEX_BITS) };
    let shift = tasks.iter().fold(1, |all, task| all | fraction(task).0).leading_zeros().min(63);
    let key = |(index, task): (usize, &Task)| {
        let (over, under) = fraction(task);
        // Turned round, and above the index: one comparison of whole numbers sorts by both.
        !((over << shift) / under) >> INDEX_BITS << INDEX_BITS | index as u64
    };
    let mut keys: Vec<u64> = tasks.iter().enumerate().map(key).collect();
    keys.sort_unstable();
    let are_unlike = keys.windows(2).all(|pair| (pair[0] ^ pair[1]) >> INDEX_BITS != 0);
    let mut indices: Vec<usize> = keys.into_iter().map(|key| key as usize & ((1 << INDEX_BITS) - 1)).collect();
    if !are_unlike {
        indices.sort_unstable_by(|one, other| {
            compare_fractions(fraction(&tasks[*other]), fraction(&tasks[*one])).then(one.cmp(other))
        });
    }
    indices
}

fn compare_fractions((a, over_a): Fraction, (b, over_b): Fraction) -> Ordering {
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

    #[test]
    fn quotients_sort_as_fractions_do() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..2_000 {
            let longest = [4, 1_000, 1 << 48][random.usize(0..3)];
            let mut time = || random.u64(1..=longest);
            let tasks: Vec<Task> = (0..12).map(|_| Task::new(time(), time(), time())).collect();
            let mut by_fractions: Vec<usize> = (0..tasks.len()).collect();
            by_fractions.sort_by(|a, b| {
                let of = |index: usize| (tasks[index].cost, tasks[index].period);
                compare_fractions(of(*b), of(*a))
            });
            assert_eq!(Order::DecreasingUtilization.of(&tasks), by_fractions, "{tasks:?}");
        }
    }
}
