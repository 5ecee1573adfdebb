//! After how long arrivals that begin together and come as often as they may repeat.

use crate::{Task, Ticks};

/// Least common multiple of the periods; `None` beyond 64 bits.
pub fn hyperperiod(tasks: &[Task]) -> Option<Ticks> {
    tasks.iter().try_fold(1, |multiple: Ticks, task| multiple.checked_mul(task.period / gcd(multiple, task.period)))
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

    #[test]
    fn hyperperiods_that_do_not_fit_are_not_invented() {
        assert_eq!(hyperperiod(&[Task::implicit(1, 4), Task::implicit(1, 6)]), Some(12));
        let long = (1 << 47) - 1;
        assert_eq!(hyperperiod(&[Task::implicit(1, long), Task::implicit(1, long - 1)]), None);
    }
}
