//! After how long a synchronous periodic arrival sequence repeats.

use crate::{TaskSet, Ticks};

/// The longest stretch a simulated clock runs: with deadlines up to 2^48 beyond it, instants stay within 63 bits.
pub const HORIZON_MAX: Ticks = 1 << 62;

/// Least common multiple of the periods; `None` from 2^62 on.
pub fn hyperperiod(tasks: TaskSet<'_>) -> Option<Ticks> {
    tasks.iter().try_fold(1, |multiple: Ticks, task| {
        let longer = multiple.checked_mul(task.period / gcd(multiple, task.period))?;
        (longer < HORIZON_MAX).then_some(longer)
    })
}

const fn gcd(mut a: Ticks, mut b: Ticks) -> Ticks {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TICKS_MAX, Task};

    #[test]
    fn the_hyperperiod_is_the_least_common_multiple() {
        let tasks = [Task::implicit(1, 4), Task::new(1, 6, 5)];
        assert_eq!(hyperperiod(TaskSet::new(&tasks).unwrap()), Some(12));
    }

    #[test]
    fn periods_without_a_common_multiple_in_reach_have_none() {
        let tasks = [Task::implicit(1, TICKS_MAX), Task::implicit(1, TICKS_MAX - 1)];
        assert_eq!(hyperperiod(TaskSet::new(&tasks).unwrap()), None);
    }
}
