//! How much work a window can hold: demand bound functions, and the straight lines above them.
//!
//! Times are at most 2^48 and points at most 2^62, tasks at most 2^12: every sum here stays below 2^123.

use crate::fraction::Fraction;
use crate::rejected::{Rejected, show};
use prazo_core::task::{Task, Ticks};

/// dbf_i(t) with jitter: the most work of jobs released and due within a window of `t` ticks.
///
/// (floor((t + J - D)/T) + 1) C, and 0 while t + J < D (Baruah, Mok, Rosier, RTSS 1990; jitter as Spuri 1996).
pub(crate) fn demand_bound(task: &Task, t: Ticks) -> u128 {
    match (t + task.jitter).checked_sub(task.deadline) {
        Some(rest) => (u128::from(rest / task.period) + 1) * u128::from(task.cost),
        None => 0,
    }
}

/// Sum of the demand bound functions.
pub(crate) fn total_demand_bound(tasks: &[Task], t: Ticks) -> u128 {
    tasks.iter().map(|task| demand_bound(task, t)).sum()
}

/// Sum of C/T.
pub(crate) fn utilization(tasks: &[Task]) -> Fraction {
    let terms: Vec<Fraction> = tasks.iter().map(|task| Fraction::new(task.cost.into(), task.period)).collect();
    Fraction::sum(&terms)
}

/// Sum of (t + T + J - D) C/T, a line above every demand bound function for t + T + J >= D; `None` below that.
pub(crate) fn demand_line(tasks: &[Task], t: Ticks) -> Option<Fraction> {
    let term = |task: &Task| {
        let length = (t + task.period + task.jitter).checked_sub(task.deadline)?;
        Some(Fraction::new(u128::from(length) * u128::from(task.cost), task.period))
    };
    tasks.iter().map(term).collect::<Option<Vec<Fraction>>>().map(|terms| Fraction::sum(&terms))
}

/// Shows that demand stays below `speed * t` for every t beyond `highest`, given that it does so up to there.
///
/// With U <= `speed` there are two ways. The demand line, of slope U, is no higher than `speed * t` at `highest`, so it
/// stays there. Or a whole hyperperiod H is among the instants up to `highest` from which on all demands are periodic:
/// demand at t + H is demand at t plus U H.
pub(crate) fn show_served_beyond(tasks: &[Task], highest: Ticks, speed: &Fraction) -> Result<(), Rejected> {
    show(utilization(tasks) <= *speed, || "the utilization exceeds the long-run capacity".into())?;
    let below = |line| line <= speed * &Fraction::whole(highest);
    let holds = demand_line(tasks, highest).is_some_and(below) || has_hyperperiod_before(tasks, highest);
    show(holds, || format!("the demand beyond the highest point, instant {highest}, is not bounded"))
}

/// True if a common multiple of all periods fits between the latest D - T - J and `highest`, both included.
fn has_hyperperiod_before(tasks: &[Task], highest: Ticks) -> bool {
    let start = tasks.iter().map(|task| task.deadline.saturating_sub(task.period + task.jitter)).max();
    let Some(instants) = (highest + 1).checked_sub(start.unwrap_or(0)) else { return false };
    let extend = |multiple: u128, task: &Task| {
        let period = u128::from(task.period);
        // Both factors stay below 2^64: the product fits.
        let longer = multiple / greatest_common_divisor(multiple, period) * period;
        Some(longer).filter(|&longer| longer <= instants.into())
    };
    tasks.iter().try_fold(1, extend).is_some()
}

fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_brings_the_first_deadline_nearer() {
        let task = Task { jitter: 3, ..Task::new(2, 10, 7) };
        let demands: Vec<u128> = [0, 3, 4, 13, 14].into_iter().map(|t| demand_bound(&task, t)).collect();
        assert_eq!(demands, [0, 0, 2, 2, 4]);
    }

    #[test]
    fn the_line_lies_above_the_steps() {
        let tasks = [Task::new(2, 5, 3), Task { jitter: 4, ..Task::new(3, 7, 20) }];
        for t in 9..200 {
            let steps = Fraction::whole(total_demand_bound(&tasks, t));
            assert!(steps <= demand_line(&tasks, t).unwrap(), "{t}");
        }
    }

    #[test]
    fn points_that_end_too_early_are_no_proof() {
        let speed = Fraction::whole(1u64);
        let overloaded = [Task::new(3, 4, 4), Task::new(2, 4, 4)];
        assert!(show_served_beyond(&overloaded, 1_000, &speed).is_err(), "demand grows faster than the capacity");
        // At utilization 1 the line stays above the capacity for good: a whole hyperperiod of 12 has to be among the instants.
        let full = [Task::new(2, 4, 3), Task::new(3, 6, 6)];
        assert!(show_served_beyond(&full, 10, &speed).is_err());
        assert!(show_served_beyond(&full, 11, &speed).is_ok());
        // Below it, the line comes down to the capacity at 4.
        let light = [Task::new(1, 2, 1), Task::new(1, 8, 8)];
        assert!(show_served_beyond(&light, 1, &speed).is_err());
        assert!(show_served_beyond(&light, 4, &speed).is_ok());
    }
}
