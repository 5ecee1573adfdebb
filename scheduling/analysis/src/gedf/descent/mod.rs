//! Downward search for a window whose demand exceeds what the processors give in it.
//!
//! Three of the tests ask the same thing: is a demand that never falls as the window grows at most a capacity that grows
//! with it, at every deadline kT + D (or in every window) up to some horizon? Zhang and Burns (IEEE TC 58(9) 2009) answered it for one processor
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
mod horizon;

pub(super) use capacity::{Capacity, WindowDemand};
pub(super) use deadlines::{Deadlines, Point};
pub(super) use horizon::{Horizon, Rate};

use crate::budget::Spent;
use crate::gedf::condition::Decision;
use crate::{Budget, Margin, Ticks};

/// One window and what it has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub length: Ticks,
    pub demand: WindowDemand,
}

/// What the search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DescentResult {
    /// This window does not hold what is asked.
    Fails(Window),
    /// Every window does; of those that had to be looked at this one has the fewest ticks to spare.
    Holds(Option<Window>),
}

impl DescentResult {
    /// As a test's decision; `sustained` are its sides in the long run, for where no window had to be looked at.
    pub(super) fn decision(self, capacity: Capacity, sustained: Margin) -> Decision {
        let (holds, window) = match self {
            Self::Fails(window) => (false, Some(window)),
            Self::Holds(tightest) => (true, tightest),
        };
        let margin = window.map_or(sustained, |window| capacity.margin(window.demand, window.length));
        Decision { holds, task: window.and_then(|window| window.demand.task), margin: Some(margin) }
    }
}

/// Which windows are to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Windows {
    /// Those that end with a deadline, where what is asked steps and is flat or slower than the capacity between.
    Deadlines,
    /// Those of any whole length.
    All,
}

/// What is searched: windows, how far, and what they can hold.
pub(super) struct Search<'a> {
    pub windows: Windows,
    pub deadlines: &'a Deadlines,
    pub horizon: Horizon,
    pub capacity: Capacity,
}

impl Search<'_> {
    /// Looks at windows until all up to the horizon are known to hold what `ask` says of them, or one does not.
    ///
    /// Spends one unit for each term of a demand bound function; `ask` spends its own. A horizon beyond what can be computed
    /// with ends like a spent budget.
    pub(super) fn run(
        &self,
        budget: &mut Budget,
        mut ask: impl FnMut(Point, &mut Budget) -> Result<WindowDemand, Spent>,
    ) -> Result<DescentResult, Spent> {
        let mut tightest = Tightest::default();
        let mut below = 0;
        for slice in self.deadlines.slices(self.horizon.last()) {
            let mut next = slice;
            while let Some(point) = self.last_until(next, budget)?.filter(|point| point.window > below) {
                let window = Window { length: point.window, demand: ask(point, budget)? };
                let shortest = self.capacity.window_for(window.demand.work);
                if shortest > u128::from(point.window) {
                    return Ok(DescentResult::Fails(window));
                }
                tightest.see(point.window - shortest as Ticks, window);
                next = (shortest as Ticks).saturating_sub(1);
            }
            below = slice;
        }
        if self.horizon.is_complete() { Ok(DescentResult::Holds(tightest.window)) } else { Err(Spent) }
    }
}

impl Search<'_> {
    /// The longest window that is to hold, of those up to `length`.
    fn last_until(&self, length: Ticks, budget: &mut Budget) -> Result<Option<Point>, Spent> {
        match self.windows {
            Windows::Deadlines => self.deadlines.last_until(length, budget),
            Windows::All => self.deadlines.at(length, budget),
        }
    }
}

/// The window with the fewest ticks to spare, the first among equals.
#[derive(Default)]
struct Tightest {
    spare: Ticks,
    window: Option<Window>,
}

impl Tightest {
    #[inline]
    fn see(&mut self, spare: Ticks, window: Window) {
        if self.window.is_none() || spare < self.spare {
            *self = Self { spare, window: Some(window) };
        }
    }
}
