//! prod(u_i + 1) <= 2: never weaker than Liu and Layland's bound, and as cheap.
//!
//! Bini, Buttazzo, Buttazzo, IEEE Transactions on Computers 52(7), 2003; for rate-monotonic priorities and D >= T, without
//! jitter. Equality happens (1/2 and 1/3), so that bounds rounded both ways are followed by long integers in the gap.

use super::{long_product::product, not_rate_monotonic};
use crate::uniprocessor::priority::PriorityOrder;
use crate::{Budget, Finding, Margin, Quantity, TaskSet};
use prazo_core::task::Task;

const NAME: &str = "hyperbolic";
/// 1 in units of 2^-62: twice it times a 49-bit factor fits into 128 bits.
const ONE: u128 = 1 << 62;

/// Proven if prod(u_i + 1) <= 2; the margin shows the product against 2.
pub fn test(tasks: TaskSet<'_>, order: &PriorityOrder, budget: &mut Budget) -> Finding {
    if let Some(why) = not_rate_monotonic(tasks, order) {
        return Finding::not_applicable(NAME, why);
    }
    let work = tasks.len() as u64;
    if budget.spend(work).is_err() {
        return Finding::budget_spent(NAME, work);
    }
    let (lo, hi) = bounds(&tasks);
    let margin = Some(Margin { demand: lo as f64 / ONE as f64, capacity: 2.0, of: Quantity::Utilization });
    if hi <= 2 * ONE || (lo <= 2 * ONE && holds_exactly(&tasks)) {
        Finding::proven(NAME, None, margin, work)
    } else {
        Finding::does_not_hold(NAME, None, margin, work)
    }
}

/// The product rounded down and up; given up as soon as it is certainly above 2.
fn bounds(tasks: &[Task]) -> (u128, u128) {
    let (mut lo, mut hi) = (ONE, ONE);
    for task in tasks {
        let (over, under) = (u128::from(task.cost + task.period), u128::from(task.period));
        (lo, hi) = (lo * over / under, (hi * over).div_ceil(under));
        if lo > 2 * ONE {
            break;
        }
    }
    (lo, hi)
}

/// prod(C + T) <= 2 prod(T).
fn holds_exactly(tasks: &[Task]) -> bool {
    let over: Vec<u64> = tasks.iter().map(|task| task.cost + task.period).collect();
    let under: Vec<u64> = tasks.iter().map(|task| task.period).collect();
    product(&over) <= product(&under) * 2u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uniprocessor::priority::rate_monotonic;

    fn is_proven(tasks: &[Task]) -> bool {
        test(TaskSet::new(tasks).unwrap(), &rate_monotonic(tasks), &mut Budget::unlimited()).is_proven()
    }

    #[test]
    fn a_half_and_a_third_meet_the_bound_exactly() {
        assert!(is_proven(&[Task::implicit(1, 2), Task::implicit(1, 3)]));
        let large = 1 << 45;
        assert!(is_proven(&[Task::implicit(large, 2 * large), Task::implicit(large, 3 * large)]));
        assert!(!is_proven(&[Task::implicit(large, 2 * large), Task::implicit(large + 1, 3 * large)]));
    }

    #[test]
    fn a_full_processor_with_one_task_holds_and_many_long_factors_do_not_overflow() {
        assert!(is_proven(&[Task::implicit(7, 7)]));
        assert!(!is_proven(&[Task::implicit(1 << 48, 1); 200]));
        assert!(is_proven(&vec![Task::implicit(1, 1 << 48); 60_000]));
    }
}
