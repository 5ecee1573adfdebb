//! How far a demand has to be looked at: beyond, the capacity has overtaken it for good.
//!
//! With D <= T or not, dbf_i(t) <= u_i t + u_i max(0, T_i - D_i). So a demand of at most sum dbf_i(t) + extra exceeds a
//! capacity of B t only where (B - U) t < extra + sum u_i max(0, T_i - D_i). If B = U that says nothing, but then
//! demand and capacity grow alike from one hyperperiod to the next and one of them shows everything.

use crate::hyperperiod::hyperperiod;
use crate::{Task, Ticks};
use prazo_core::ratio::Ratio;

/// The longest window that is computed with: a jump, a deadline and a division still fit above it.
const WINDOW_MAX: Ticks = 1 << 62;

/// A number in units of 2^-64, rounded down: what capacity grows by in a tick, less what demand grows by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::gedf) struct Rate(u128);

impl Rate {
    /// At most `capacity` - U of `tasks`; nothing if that is not known to be positive. `capacity` is below 2^63 with a
    /// denominator of at most 2^64.
    pub(crate) fn left_by(tasks: &[Task], capacity: Ratio) -> Self {
        let used: u128 = tasks.iter().map(|task| (u128::from(task.cost) << 64).div_ceil(u128::from(task.period))).sum();
        Self(scaled_floor(capacity).saturating_sub(used))
    }

    /// An equal share for each of `parts`, in units of 2^-32, rounded down.
    pub(crate) fn share(self, parts: u32) -> u128 {
        (self.0 / u128::from(parts)) >> 32
    }
}

/// `ratio`, whose denominator is at most 2^64, in units of 2^-64, rounded down.
fn scaled_floor(ratio: Ratio) -> u128 {
    let (whole, rest) = (ratio.floor(), ratio.numerator() % ratio.denominator());
    (whole << 64) + (rest << 64) / ratio.denominator()
}

/// The last window that can violate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gedf) struct Horizon {
    last: Ticks,
    complete: bool,
}

impl Horizon {
    /// The last window at which sum dbf_i(t) + `extra` can exceed a capacity that grows by `rate` faster than demand.
    pub(crate) fn of(tasks: &[Task], rate: Rate, extra: u128) -> Self {
        let early: u128 = tasks.iter().map(early_work).sum();
        match quotient(early + extra, rate) {
            Some(last) if last <= u128::from(WINDOW_MAX) => Self { last: last as Ticks, complete: true },
            _ => Self { last: WINDOW_MAX, complete: false },
        }
    }

    /// Not beyond one hyperperiod, where demand and capacity then repeat: for a demand of sum dbf_i, or of forced-forward
    /// demand, against a capacity of at least U t.
    pub(crate) fn within_hyperperiod(self, tasks: &[Task]) -> Self {
        if self.complete {
            return self;
        }
        let late = tasks.iter().map(|task| task.deadline.saturating_sub(task.period)).max().unwrap_or(0);
        match hyperperiod(tasks).and_then(|h| h.checked_add(late)).filter(|last| *last <= WINDOW_MAX) {
            Some(last) => Self { last, complete: true },
            None => self,
        }
    }

    /// Its length.
    pub(crate) fn last(self) -> Ticks {
        self.last
    }

    /// False if the true horizon lies beyond what can be computed with.
    pub(crate) fn is_complete(self) -> bool {
        self.complete
    }
}

/// u max(0, T - D), rounded up.
fn early_work(task: &Task) -> u128 {
    (u128::from(task.cost) * u128::from(task.period.saturating_sub(task.deadline))).div_ceil(u128::from(task.period))
}

/// `work / rate`, rounded down; `None` if that is beyond any window.
fn quotient(work: u128, rate: Rate) -> Option<u128> {
    match (work, rate.0) {
        (0, _) => Some(0),
        (_, 0) => None,
        (work, rate) => work.checked_mul(1 << 64).map(|scaled| scaled / rate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_horizon_is_where_capacity_overtakes_demand() {
        let tasks = [Task::new(2, 8, 4), Task::new(4, 8, 8)];
        // B - U = 1/4, early work 2 * 4 / 8 = 1.
        let rate = Rate::left_by(&tasks, Ratio::ONE);
        assert_eq!(Horizon::of(&tasks, rate, 0), Horizon { last: 4, complete: true });
        assert_eq!(Horizon::of(&tasks, rate, 3), Horizon { last: 16, complete: true });
    }

    #[test]
    fn without_a_rate_only_the_hyperperiod_bounds_the_search() {
        let tasks = [Task::new(2, 4, 3), Task::new(3, 6, 14)];
        let horizon = Horizon::of(&tasks, Rate::left_by(&tasks, Ratio::ONE), 0);
        assert!(!horizon.is_complete());
        assert_eq!(horizon.within_hyperperiod(&tasks), Horizon { last: 12 + 8, complete: true });
    }

    #[test]
    fn implicit_deadlines_need_no_search_at_all() {
        let tasks = [Task::implicit(1, 2), Task::implicit(1, 2)];
        assert_eq!(Horizon::of(&tasks, Rate::left_by(&tasks, Ratio::ONE), 0), Horizon { last: 0, complete: true });
    }
}
