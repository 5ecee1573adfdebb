//! Downward search for a window whose demand exceeds what the processors give in it.
//!
//! Three of the tests ask the same thing: is a demand that never falls as the window grows at most a capacity that grows
//! with it, at every deadline kT + D up to some horizon? Zhang and Burns (IEEE TC 58(9) 2009) answered it for one processor
//! by going down: where the demand at t fits, it also fits at every shorter window t' whose capacity still covers the demand
//! at t, because the demand at t' is not larger. So the search jumps to the last deadline whose capacity does not:
//!
//! ```text
//!   capacity  /              t   evaluated: demand(t) fits
//!            /______ demand  t'  capacity(t') = demand(t): everything in [t', t] fits, unseen
//!           /|               next: the last deadline before t'
//!   -------t'-t---
//! ```
//!
//! Violations mostly live in short windows. So the search takes slices upwards, each four times as long as the one before,
//! and goes down within each: a set that fails is seen to fail before the long windows are looked at.

mod capacity;
mod deadlines;
mod divisor;
mod horizon;

pub(super) use capacity::Capacity;
pub(super) use deadlines::{Deadlines, Point};
pub(super) use divisor::Divisor;
pub(super) use horizon::{Horizon, Rate};

use crate::budget::Spent;
use crate::{Budget, Finding, Margin, Quantity, Ticks};

/// The two sides of a test's inequality at one window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sides {
    /// What is asked, in ticks; at most, where an upper bound was enough to decide.
    pub demand: f64,
    /// What there is, in ticks.
    pub capacity: f64,
    /// Length of the window.
    pub window: Ticks,
    /// The task whose deadline ends the window, if the test asks for each task.
    pub task: Option<usize>,
}

impl Sides {
    /// For a finding.
    pub fn margin(self) -> Margin {
        Margin { demand: self.demand, capacity: self.capacity, of: Quantity::Work { window: self.window } }
    }

    fn slack(&self) -> f64 {
        (self.capacity - self.demand) / self.capacity
    }
}

/// What a test says of one window.
pub(super) enum Judgement {
    /// Its condition fails here.
    Fails(Sides),
    /// Its condition holds at every deadline from `from` up to this one.
    HoldsFrom {
        /// The shortest such window; never above the window judged.
        from: Ticks,
        /// The sides here.
        sides: Sides,
    },
}

/// What the search found.
pub(super) enum Outcome {
    /// The condition fails at this window.
    Fails(Sides),
    /// It holds at every deadline; these sides were the tightest of those that had to be looked at.
    Holds(Option<Sides>),
}

impl Outcome {
    /// As a finding of `test`, which cost `work`; `sustained` are its sides in the long run, for where no window had to be
    /// looked at.
    pub fn finding(decided: Result<Self, Spent>, test: &'static str, sustained: Margin, work: u64) -> Finding {
        match decided {
            Err(Spent) => Finding::budget_spent(test, work),
            Ok(Self::Fails(sides)) => Finding::does_not_hold(test, sides.task, Some(sides.margin()), work),
            Ok(Self::Holds(None)) => Finding::proven(test, None, Some(sustained), work),
            Ok(Self::Holds(Some(tightest))) => Finding::proven(test, tightest.task, Some(tightest.margin()), work),
        }
    }
}

/// Judges deadlines until all up to `horizon` are known to hold or one fails. Spends one unit for each term of `deadlines`;
/// `judge` spends its own. A horizon beyond what can be computed with ends like a spent budget.
pub(super) fn search(
    deadlines: &Deadlines,
    horizon: Horizon,
    budget: &mut Budget,
    mut judge: impl FnMut(Point, &mut Budget) -> Result<Judgement, Spent>,
) -> Result<Outcome, Spent> {
    let mut tightest: Option<Sides> = None;
    let mut below = 0;
    for slice in deadlines.slices(horizon.last()) {
        let mut window = slice;
        while let Some(point) = deadlines.last_until(window, budget)?.filter(|point| point.window > below) {
            match judge(point, budget)? {
                Judgement::Fails(sides) => return Ok(Outcome::Fails(sides)),
                Judgement::HoldsFrom { from, sides } => {
                    debug_assert!(from <= point.window, "a window that holds covers itself");
                    tightest = tightest.filter(|other| other.slack() <= sides.slack()).or(Some(sides));
                    window = from.min(point.window).saturating_sub(1);
                }
            }
        }
        below = slice;
    }
    if horizon.is_complete() { Ok(Outcome::Holds(tightest)) } else { Err(Spent) }
}
