//! U <= n (2^(1/n) - 1): the oldest bound for rate-monotonic priorities, 0.828 for two tasks and 0.693 for many.
//!
//! Liu, Layland, JACM 20(1), 1973, theorem 5; for D >= T, without jitter. The bound is irrational for n > 1, so the
//! condition is decided in the form (1 + U/n)^n <= 2, rounded both ways. The two sides are never equal, and more digits
//! always decide.

use super::not_rate_monotonic;
use crate::uniprocessor::priority::PriorityOrder;
use crate::{Budget, Finding, Margin, Quantity, TaskSet};
use num_bigint::BigUint;
use prazo_core::task::Task;

const NAME: &str = "Liu-Layland";

/// Proven if U <= n (2^(1/n) - 1); the margin shows U against that bound.
pub fn test(tasks: TaskSet<'_>, order: &PriorityOrder, budget: &mut Budget) -> Finding {
    if let Some(why) = not_rate_monotonic(tasks, order) {
        return Finding::not_applicable(NAME, why);
    }
    let before = budget.spent();
    let holds = holds(&tasks, budget);
    let (work, margin) = (budget.spent() - before, Some(margin(&tasks)));
    match holds {
        None => Finding::budget_spent(NAME, work),
        Some(true) => Finding::proven(NAME, None, margin, work),
        Some(false) => Finding::does_not_hold(NAME, None, margin, work),
    }
}

/// (1 + U/n)^n <= 2, with as many binary digits as it takes; `None` if the budget ends first.
fn holds(tasks: &[Task], budget: &mut Budget) -> Option<bool> {
    if let [alone] = tasks {
        return Some(alone.cost <= alone.period);
    }
    let mut digits = 64;
    loop {
        budget.spend(tasks.len() as u64 * digits / 64).ok()?;
        match holds_by(tasks, digits) {
            None => digits *= 2,
            decided => return decided,
        }
    }
}

/// The same with `digits` binary digits behind the point; `None` if they do not decide.
fn holds_by(tasks: &[Task], digits: u64) -> Option<bool> {
    let (down, up) = (Fixed { digits, up: false }, Fixed { digits, up: true });
    let two = BigUint::from(2u8) << digits;
    // U > 1 is above the bound for every n > 1; leaving here keeps the powers below e.
    if down.base(tasks) * tasks.len() > (BigUint::from(tasks.len() + 1) << digits) {
        Some(false)
    } else if up.power(up.base(tasks), tasks.len()) <= two {
        Some(true)
    } else if down.power(down.base(tasks), tasks.len()) > two {
        Some(false)
    } else {
        None
    }
}

/// Arithmetic in units of 2^-digits that always rounds the same way.
struct Fixed {
    digits: u64,
    up: bool,
}

impl Fixed {
    /// 1 + U/n.
    fn base(&self, tasks: &[Task]) -> BigUint {
        let scaled = |task: &Task| self.divide(BigUint::from(task.cost) << self.digits, task.period);
        let utilization: BigUint = tasks.iter().map(scaled).sum();
        self.divide(utilization, tasks.len() as u64) + (BigUint::from(1u8) << self.digits)
    }

    /// `base^exponent` by squaring.
    fn power(&self, mut base: BigUint, mut exponent: usize) -> BigUint {
        let mut power = BigUint::from(1u8) << self.digits;
        while exponent > 0 {
            if exponent % 2 == 1 {
                power = self.multiply(&power, &base);
            }
            exponent /= 2;
            base = self.multiply(&base, &base);
        }
        power
    }

    fn multiply(&self, a: &BigUint, b: &BigUint) -> BigUint {
        let below = if self.up { (BigUint::from(1u8) << self.digits) - 1u8 } else { BigUint::ZERO };
        (a * b + below) >> self.digits
    }

    fn divide(&self, over: BigUint, under: u64) -> BigUint {
        (over + if self.up { under - 1 } else { 0 }) / under
    }
}

/// U against n (2^(1/n) - 1), to show.
fn margin(tasks: &[Task]) -> Margin {
    let count = tasks.len() as f64;
    let demand = tasks.iter().map(|task| task.cost as f64 / task.period as f64).sum();
    Margin { demand, capacity: count * (2f64.powf(1.0 / count) - 1.0), of: Quantity::Utilization }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uniprocessor::priority::rate_monotonic;

    fn is_proven(tasks: &[Task]) -> bool {
        test(TaskSet::new(tasks).unwrap(), &rate_monotonic(tasks), &mut Budget::unlimited()).is_proven()
    }

    #[test]
    fn two_tasks_at_the_bound_are_told_apart_by_a_tick_in_2_to_48() {
        // 2 (2^(1/2) - 1) = 0.828427124746190097603377...; the first task takes 0.5 of it.
        let period = 1 << 48;
        let rest = 92_444_017_289_081; // floor(0.328427124746190097603377 * 2^48)
        assert!(is_proven(&[Task::implicit(period / 2, period), Task::implicit(rest, period)]));
        assert!(!is_proven(&[Task::implicit(period / 2, period), Task::implicit(rest + 1, period)]));
    }

    #[test]
    fn one_task_may_fill_the_processor_and_many_may_not() {
        assert!(is_proven(&[Task::implicit(7, 7)]));
        assert!(is_proven(&[Task::implicit(693, 100_000); 100]));
        assert!(!is_proven(&[Task::implicit(696, 100_000); 100]));
        assert!(!is_proven(&[Task::implicit(1 << 48, 1); 1000]));
    }
}
