//! From where on a straight line above the demand stays below the capacity: the highest point of a certificate.

use crate::{Task, Ticks};
use num_bigint::{BigInt, Sign};
use prazo_core::ratio::Ratio;

/// Latest instant that a certificate may name.
pub const INSTANT_MAX: Ticks = 1 << 62;

/// sum (t + T + J - D) C/T = U t + K over one denominator.
pub struct Line {
    slope: BigInt,
    offset: BigInt,
    under: BigInt,
    /// Before this instant the line is not above every demand.
    from: Ticks,
}

impl Line {
    /// The line of `tasks`.
    pub fn of(tasks: &[Task]) -> Self {
        let from = tasks.iter().map(|task| task.deadline.saturating_sub(task.period + task.jitter)).max();
        let none = Self { slope: 0.into(), offset: 0.into(), under: 1.into(), from: from.unwrap_or(0) };
        tasks.iter().fold(none, Self::with)
    }

    fn with(self, task: &Task) -> Self {
        let ahead = i128::from(task.period) + i128::from(task.jitter) - i128::from(task.deadline);
        let cost = &self.under * task.cost;
        Self {
            slope: self.slope * task.period + &cost,
            offset: self.offset * task.period + cost * ahead,
            under: self.under * task.period,
            from: self.from,
        }
    }

    /// The least t from which on `U t + K + carried <= speed t`; `None` if there is none before 2^62.
    pub fn served_from(&self, speed: Ratio, carried: u128) -> Option<Ticks> {
        let (over, under) = (BigInt::from(speed.numerator()), BigInt::from(speed.denominator()));
        let rise = over * &self.under - &self.slope * &under;
        let need = (&self.offset + &self.under * carried) * under;
        let least = match (rise.sign(), need.sign()) {
            (Sign::Minus, _) | (Sign::NoSign, Sign::Plus) => return None,
            (_, Sign::Minus | Sign::NoSign) => 0,
            // Both are positive: rounded up.
            (Sign::Plus, Sign::Plus) => Ticks::try_from((need + &rise - 1) / rise).ok()?,
        };
        Some(least.max(self.from)).filter(|&instant| instant <= INSTANT_MAX)
    }
}
