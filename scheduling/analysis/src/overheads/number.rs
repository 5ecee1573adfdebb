//! Two ways to calculate with the same formula: between bounds, fast, and without rounding, for what bounds cannot decide.

use super::amounts::Amount;
use crate::exact::{Interval, Rational};
use crate::{Task, Ticks};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// What the accounting's formulas need; `None` where this way of calculating cannot go on.
pub(super) trait Number: Clone {
    /// A whole number.
    fn whole(value: u64) -> Self;
    /// An amount that was looked up.
    fn amount(amount: &Amount) -> Self;
    /// Sum of 1/T.
    fn arrival_rate(tasks: &[Task]) -> Self;
    /// The sum; both are at most 2^62, as amounts, times and products are.
    fn plus(self, other: Self) -> Self;
    /// The product.
    fn times(self, other: Self) -> Option<Self>;
    /// The quotient by something positive.
    fn over(self, divisor: Self) -> Option<Self>;
    /// One less this, if that is positive.
    fn rest_of_one(self) -> Option<Self>;
    /// The smallest whole number not below.
    fn round_up(self) -> Option<Ticks>;
}

impl Number for Interval {
    fn whole(value: u64) -> Self {
        Self::whole(value)
    }
    fn amount(amount: &Amount) -> Self {
        amount.bounds
    }
    fn arrival_rate(tasks: &[Task]) -> Self {
        tasks.iter().fold(Self::ZERO, |sum, task| sum + Self::of(1, task.period))
    }
    fn plus(self, other: Self) -> Self {
        self + other
    }
    fn times(self, other: Self) -> Option<Self> {
        self.checked_mul(other).filter(|product| product.compare(Ratio::whole(1 << 62)) == Some(Ordering::Less))
    }
    fn over(self, divisor: Self) -> Option<Self> {
        self.times(divisor.reciprocal()?)
    }
    fn rest_of_one(self) -> Option<Self> {
        self.complement()
    }
    fn round_up(self) -> Option<Ticks> {
        self.ceil()
    }
}

impl Number for Rational {
    fn whole(value: u64) -> Self {
        Self::from(value)
    }
    fn amount(amount: &Amount) -> Self {
        Self::from(amount.exact)
    }
    fn arrival_rate(tasks: &[Task]) -> Self {
        Self::sum(tasks.iter().map(|task| (1, task.period)))
    }
    fn plus(self, other: Self) -> Self {
        self + other
    }
    fn times(self, other: Self) -> Option<Self> {
        Some(self * other)
    }
    fn over(self, divisor: Self) -> Option<Self> {
        Some(self / divisor)
    }
    fn rest_of_one(self) -> Option<Self> {
        let rest = Self::from(1) - self;
        rest.is_positive().then_some(rest)
    }
    fn round_up(self) -> Option<Ticks> {
        Some(Self::ceil(&self).unwrap_or(Ticks::MAX))
    }
}
