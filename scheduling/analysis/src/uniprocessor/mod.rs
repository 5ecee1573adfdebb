//! One processor: does earliest deadline first, or a fixed order of tasks, serve every deadline, and how long can a job
//! take?
//!
//! Here the theory is exact. What a bin of a partitioned system needs is one of [`edf::test`] and [`fixed_priority::test`];
//! the others are cheaper and weaker, or answer a finer question.

pub mod edf;
pub mod fixed_priority;
pub mod priority;

use prazo_core::task::Task;

/// The least common multiple of the periods, after which synchronous arrivals repeat; `None` beyond 64 bits.
pub(crate) fn hyperperiod(tasks: &[Task]) -> Option<u64> {
    tasks.iter().try_fold(1u64, |multiple, task| (multiple / gcd(multiple, task.period)).checked_mul(task.period))
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyperperiods_that_do_not_fit_are_not_invented() {
        assert_eq!(hyperperiod(&[Task::implicit(1, 4), Task::implicit(1, 6)]), Some(12));
        let long = (1 << 47) - 1;
        assert_eq!(hyperperiod(&[Task::implicit(1, long), Task::implicit(1, long - 1)]), None);
    }
}
