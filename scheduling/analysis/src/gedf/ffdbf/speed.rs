//! The speeds sigma that no window has excluded yet.

use super::simplest::simplest_between;
use crate::Task;
use crate::gedf::descent::{Capacity, Rate};
use prazo_core::ratio::Ratio;

/// One whole in units of the grid on which wide ranges are halved.
const ONE: u64 = 1 << 32;

/// Denominators up to here are computed with.
const DENOMINATOR_MAX: u128 = 1 << 48;

/// Bounds of a range with denominators up to here, so that a multiple of 2^32 still fits.
const BOUND_MAX: u128 = 1 << 90;

/// A speed in (0, 1] whose denominator is at most 2^48.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Speed {
    pub numerator: u64,
    pub denominator: u64,
}

impl Speed {
    /// The density of a task with C <= D <= T.
    pub(super) fn of_density(task: &Task) -> Self {
        Self { numerator: task.cost, denominator: task.deadline }
    }

    /// `ratio`, if it is such a speed.
    fn of(ratio: Ratio) -> Option<Self> {
        let allowed = ratio <= Ratio::ONE && ratio.denominator() <= DENOMINATOR_MAX;
        allowed.then(|| Self { numerator: ratio.numerator() as u64, denominator: ratio.denominator() as u64 })
    }

    /// The same as a fraction in lowest terms.
    pub(super) fn ratio(self) -> Ratio {
        Ratio::new(self.numerator.into(), self.denominator.into()).unwrap_or(Ratio::ZERO)
    }

    /// m - (m-1) sigma, scaled by sigma's denominator.
    pub(super) fn capacity(self, processors: u32) -> Capacity {
        let others = u128::from(processors.saturating_sub(1));
        let (over, under) = (u128::from(self.numerator), u128::from(self.denominator));
        Capacity { per_tick: under + others * (under - over), scale: under }
    }
}

/// By how much the demand of one window exceeds the capacity at one speed, and how that changes along the speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Excess {
    /// Ticks, scaled by the speed's denominator.
    pub work: u128,
    /// Its slope towards slower speeds, in ticks.
    pub slope_below: i128,
    /// Its slope towards faster ones; not less, because the excess is convex.
    pub slope_above: i128,
}

/// All speeds from `slowest` to `fastest`; none if they have crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Speeds {
    slowest: Ratio,
    fastest: Ratio,
}

impl Speeds {
    /// From `slowest` up to where m - (m-1) sigma falls to U, or to 1.
    pub(super) fn from_slowest(slowest: Speed, tasks: &[Task], processors: u32) -> Self {
        let sustained = match processors {
            0 | 1 => Ratio::ONE,
            processors => fastest_sustained(tasks, processors),
        };
        Self { slowest: slowest.ratio(), fastest: sustained.min(Ratio::ONE) }
    }

    /// One to try: in the middle where the grid has several, then the simplest; `None` where none is left, or none that can
    /// be computed with.
    pub(super) fn candidate(self) -> Option<Speed> {
        let first = (self.slowest.numerator() * u128::from(ONE)).div_ceil(self.slowest.denominator());
        let last = self.fastest.numerator() * u128::from(ONE) / self.fastest.denominator();
        if last >= first + 4 {
            return Some(Speed { numerator: ((first + last) / 2) as u64, denominator: ONE });
        }
        simplest_between(self.slowest, self.fastest).and_then(Speed::of)
    }

    /// What is left when a window has an `excess` at the speed `tried`; `None` for nothing, or for bounds that leave 128 bits.
    ///
    /// Being convex, the excess lies above both its tangents there. Where they rise, it stays positive at all faster speeds,
    /// and at slower ones as far as the tangent does; where they fall, the other way round; otherwise everywhere.
    pub(super) fn without(self, tried: Speed, excess: Excess) -> Option<Self> {
        if excess.slope_below > 0 {
            let root = tried.ratio().checked_sub(distance(tried, excess.work, excess.slope_below)?)?;
            (root.denominator() <= BOUND_MAX).then_some(Self { fastest: self.fastest.min(root), ..self })
        } else if excess.slope_above < 0 {
            let root = tried.ratio().checked_add(distance(tried, excess.work, excess.slope_above)?)?;
            let reachable = root.denominator() <= BOUND_MAX && root <= Ratio::ONE;
            reachable.then_some(Self { slowest: self.slowest.max(root), ..self })
        } else {
            None
        }
    }
}

/// work / slope in units of the speed, for work that is scaled by the denominator of `tried`.
fn distance(tried: Speed, work: u128, slope: i128) -> Option<Ratio> {
    Ratio::new(work, slope.unsigned_abs().checked_mul(tried.denominator.into())?)
}

/// (m - U) / (m - 1) for m >= 2: exactly where U fits into 128 bits, else rounded down.
fn fastest_sustained(tasks: &[Task], processors: u32) -> Ratio {
    let whole = Ratio::whole(processors.into());
    let utilization = tasks.iter().try_fold(Ratio::ZERO, |sum, task| {
        let sum = sum.checked_add(Ratio::new(task.cost.into(), task.period.into())?)?;
        (sum.denominator() <= DENOMINATOR_MAX).then_some(sum)
    });
    let exactly =
        utilization.and_then(|used| whole.checked_sub(used)?.checked_div(Ratio::whole((processors - 1).into())));
    exactly.or_else(|| Ratio::new(Rate::left_by(tasks, whole).share(processors - 1), ONE.into())).unwrap_or(Ratio::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(over: u128, under: u128) -> Ratio {
        Ratio::new(over, under).unwrap()
    }

    #[test]
    fn tangents_exclude_what_they_prove() {
        let all = Speeds { slowest: ratio(1, 10), fastest: Ratio::ONE };
        let half = Speed { numerator: 1, denominator: 2 };
        let excess = |work, slope_below, slope_above| Excess { work, slope_below, slope_above };
        // An excess of 1/2 that rises by 2 a unit of speed is gone 1/4 below.
        assert_eq!(all.without(half, excess(1, 2, 3)), Some(Speeds { fastest: ratio(1, 4), ..all }));
        assert_eq!(all.without(half, excess(1, -3, -2)), Some(Speeds { slowest: ratio(3, 4), ..all }));
        assert_eq!(all.without(half, excess(1, -3, 3)), None);
        assert_eq!(all.without(half, excess(9, 2, 3)), None);
    }

    #[test]
    fn a_single_speed_that_is_left_is_found() {
        let only = Speeds { slowest: ratio(2, 3), fastest: ratio(2, 3) };
        assert_eq!(only.candidate(), Some(Speed { numerator: 2, denominator: 3 }));
        assert_eq!(Speeds { slowest: ratio(2, 3), fastest: ratio(3, 5) }.candidate(), None);
    }

    #[test]
    fn the_fastest_speed_sustains_the_utilization() {
        let tasks = [Task::implicit(1, 3), Task::implicit(1, 2), Task::implicit(1, 6)];
        assert_eq!(fastest_sustained(&tasks, 3), Ratio::ONE);
        assert_eq!(fastest_sustained(&tasks, 2), Ratio::ONE);
        assert_eq!(fastest_sustained(&tasks, 5), Ratio::ONE);
        assert_eq!(fastest_sustained(&[tasks, tasks].concat(), 3), ratio(1, 2));
    }
}
