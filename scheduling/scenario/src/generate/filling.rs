//! How much utilization a set has given away: tasks are taken until the cap is reached, and never beyond it.
//!
//! Amounts are whole numbers of 2^-64, each task's rounded up and the cap's down. So the exact sum of C/T is at most
//! the cap, whatever the denominators, and no gcd is computed. What is lost stays below one 2^-64 a task: where the cap
//! could be met exactly, the last task is one microsecond short.

use prazo_core::ratio::Ratio;
use prazo_core::task::Ticks;

/// A cap on total utilization, and what is used of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filling {
    cap: u128,
    used: u128,
}

impl Filling {
    /// Nothing used of `cap`, which counts as 2^32 where it is above.
    pub(super) fn new(cap: Ratio) -> Self {
        Self { cap: fixed_point_down(cap), used: 0 }
    }

    /// The largest cost that still fits with this period, at most the period itself.
    pub(super) fn cost_left(&self, period: Ticks) -> Ticks {
        cost_within(self.cap - self.used, period)
    }

    /// The largest cost that does not lift the total above `planned`, nor above the cap; `planned` is any float.
    ///
    /// Costs planned along a running total make up for each other's rounding, so that the set comes as near to its
    /// utilization as one task can.
    pub(super) fn cost_up_to(&self, planned: f64, period: Ticks) -> Ticks {
        let planned = (planned * 2f64.powi(64)) as u128;
        cost_within(planned.min(self.cap).saturating_sub(self.used), period)
    }

    /// Takes a task whose cost was at most [`Self::cost_left`].
    pub(super) fn take(&mut self, cost: Ticks, period: Ticks) {
        self.used += (u128::from(cost) << 64).div_ceil(u128::from(period));
        debug_assert!(self.used <= self.cap, "a task was taken that did not fit");
    }
}

/// floor(amount * period), at most `period`.
fn cost_within(amount: u128, period: Ticks) -> Ticks {
    if amount >= 1 << 64 {
        return period;
    }
    ((amount * u128::from(period)) >> 64) as Ticks
}

/// Whole units of 2^-64 in `ratio`, rounded down: one binary digit after the other, so that nothing can overflow.
fn fixed_point_down(ratio: Ratio) -> u128 {
    let under = ratio.denominator();
    let (mut amount, mut rest) = (ratio.floor().min(1 << 32), ratio.numerator() % under);
    for _ in 0..64 {
        let carries = rest >= under - rest;
        rest = if carries { rest - (under - rest) } else { rest * 2 };
        amount = amount * 2 + u128::from(carries);
    }
    amount
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(text: &str) -> Ratio {
        text.parse().unwrap()
    }

    #[test]
    fn the_last_task_fills_what_can_be_filled() {
        let mut filling = Filling::new(ratio("1/2"));
        assert_eq!(filling.cost_left(1_024), 512);
        filling.take(400, 1_024);
        assert_eq!(filling.cost_left(1_024), 112);
        assert_eq!(filling.cost_left(9), 0);
    }

    #[test]
    fn rounding_costs_the_last_task_at_most_a_microsecond() {
        let mut filling = Filling::new(ratio("1"));
        (0..2).for_each(|_| filling.take(1_000, 3_000));
        assert_eq!(filling.cost_left(3_000), 999);
    }

    #[test]
    fn a_plan_never_lifts_the_total_above_the_cap() {
        let filling = Filling::new(ratio("1/2"));
        assert_eq!(filling.cost_up_to(0.25, 1_000), 250);
        assert_eq!(filling.cost_up_to(0.75, 1_000), 500);
        assert_eq!(filling.cost_up_to(f64::INFINITY, 1_000), 500);
        assert_eq!(filling.cost_up_to(-1.0, 1_000), 0);
    }

    #[test]
    fn a_cap_is_rounded_down_whatever_its_denominator() {
        assert_eq!(fixed_point_down(ratio("3/2")), 3 << 63);
        assert_eq!(fixed_point_down(ratio("1/3")), (1 << 64) / 3);
        let nearly_one = Ratio::new(u128::MAX - 1, u128::MAX).unwrap();
        assert_eq!(fixed_point_down(nearly_one), (1 << 64) - 1);
        assert_eq!(Filling::new(ratio("8")).cost_left(77), 77);
    }
}
