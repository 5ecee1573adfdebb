//! How far demand must be looked at: the highest point of a certificate.
//!
//! Either a straight line above the demand stays below the capacity from there on, or all demands have gone through a
//! whole hyperperiod by then.

use crate::{Task, Ticks};
use num_bigint::{BigInt, Sign};
use prazo_core::ratio::Ratio;

/// Latest instant that a certificate may name.
pub(super) const INSTANT_MAX: Ticks = 1 << 62;

/// sum (t + T + J - D) C/T = U t + K over one denominator.
pub(super) struct DemandLine {
    slope: BigInt,
    offset: BigInt,
    under: BigInt,
    /// Before this instant the line is not above every demand, and demands are not yet periodic.
    from: Ticks,
    /// Least common multiple of the periods; `None` beyond 2^62.
    hyperperiod: Option<Ticks>,
}

impl DemandLine {
    /// The line of `tasks`.
    pub(super) fn of(tasks: &[Task]) -> Self {
        let from = tasks.iter().map(|task| task.deadline.saturating_sub(task.period + task.jitter)).max();
        let none =
            Self { slope: 0.into(), offset: 0.into(), under: 1.into(), from: from.unwrap_or(0), hyperperiod: Some(1) };
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
            hyperperiod: self.hyperperiod.and_then(|so_far| common_multiple(so_far, task.period)),
        }
    }

    /// The last instant that must be looked at where `speed t` is given; `None` if there is none before 2^62.
    pub(super) fn last_instant(&self, speed: Ratio) -> Option<Ticks> {
        let is_served = &self.slope * speed.denominator() <= speed.numerator() * &self.under;
        let hyperperiod = self.hyperperiod.filter(|_| is_served).map(|hyperperiod| self.from + hyperperiod - 1);
        let ends = [self.served_from(speed, 0), hyperperiod.filter(|&last| last <= INSTANT_MAX)];
        ends.into_iter().flatten().min()
    }

    /// The least t from which on `U t + K + carried <= speed t`; `None` if there is none before 2^62.
    pub(super) fn served_from(&self, speed: Ratio, carried: u128) -> Option<Ticks> {
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

fn common_multiple(a: Ticks, b: Ticks) -> Option<Ticks> {
    let (mut common, mut rest) = (a, b);
    while rest != 0 {
        (common, rest) = (rest, common % rest);
    }
    (a / common).checked_mul(b).filter(|&multiple| multiple <= INSTANT_MAX)
}
