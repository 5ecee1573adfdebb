//! FF-DBF: at some speed, even the work that must be forced forward into a window fits beside one busy task.
//!
//! Baruah, Bonifaci, Marchetti-Spaccamela, Stiller, "Improved multiprocessor global schedulability analysis", ECRTS 2009
//! and Real-Time Systems 46, 2010: tasks with D <= T are schedulable by global EDF on m processors if there is a speed
//! sigma >= delta = max C/D such that for all t
//!
//! ```text
//!   sum of ff_i(t, sigma)  <=  (m - (m-1) sigma) t
//!   ff_i = q C + { C                    if r >= D               with q = floor(t/T), r = t mod T
//!                { max(0, C - (D-r) sigma)  otherwise
//! ```
//!
//! # One speed, all windows
//!
//! Along t each ff_i alternates between level pieces and ramps of slope sigma; a ramp ends, so that the demand bends
//! downwards against the capacity, only at t = kT + D. The difference of demand and capacity peaks there and nowhere else.
//! ff does not fall along t, so [`descent`](super::descent) decides all those windows.
//!
//! # One window, all speeds
//!
//! Along sigma each ff_i is a maximum of falling lines, hence convex, and the capacity is a line: the speeds that one window
//! admits form an interval. So a window that fails at sigma tells on which side of sigma every admissible speed lies, and its
//! tangent how far away at least. The search keeps the range of speeds not yet excluded, with exact fractions for ends. It tries
//! delta, then middles, and where the range has become narrower than 2^-30 the simplest fraction in it, so that a single speed
//! that is left (2/3, say) is found too. It ends when a speed holds, none is left, or the ends need more than 128 bits.
//!
//! With D = T, ff_i(t, sigma) <= u_i t, so delta holds if any speed does: then FF-DBF says what GFB says.

mod demand;
mod simplest;
mod speed;

use super::descent::{Deadlines, Horizon, Outcome, Rate, search};
use super::scope;
use crate::budget::Spent;
use crate::{Budget, Finding, Margin, Task, TaskSet};
use demand::Forced;
use prazo_core::ratio::Ratio;
use speed::{Speed, Speeds};
use std::cmp::Ordering;

const NAME: &str = "FF-DBF";

/// Proven if some speed holds at every window; Unknown otherwise, for D > T and jitter.
pub fn test(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Finding {
    if let Some(finding) = without_search(tasks, processors) {
        return finding;
    }
    let before = budget.spent();
    let outcome = decide(tasks, processors, budget).map(|(outcome, _)| outcome);
    Outcome::finding(outcome, NAME, sustained(&tasks, processors).1, budget.spent() - before)
}

/// A speed at which every window holds, for whoever wants to check the proof again.
pub fn speed(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Option<Ratio> {
    match without_search(tasks, processors) {
        Some(_) => None,
        None => match decide(tasks, processors, budget) {
            Ok((Outcome::Holds(_), speed)) => Some(speed),
            Ok((Outcome::Fails(_), _)) | Err(Spent) => None,
        },
    }
}

/// Sets that FF-DBF does not speak of, or whose demand outgrows the capacity even at the slowest speed.
fn without_search(tasks: TaskSet<'_>, processors: u32) -> Option<Finding> {
    scope::outside(NAME, scope::Deadlines::Constrained, tasks, processors).or_else(|| {
        let (capacity, margin) = sustained(&tasks, processors);
        let outgrown = scope::compare_utilization(&tasks, capacity) == Ordering::Greater;
        outgrown.then(|| Finding::does_not_hold(NAME, None, Some(margin), 0))
    })
}

/// The capacity at the slowest speed, which is the largest, alone and beside U; for C <= D <= T.
fn sustained(tasks: &[Task], processors: u32) -> (Ratio, Margin) {
    let capacity = Speed::of_density(scope::largest_density(tasks)).capacity(processors).ratio();
    (capacity, scope::utilization_margin(tasks, capacity.to_f64()))
}

/// Tries speeds until one holds or none is left, and tells the last one.
fn decide(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Result<(Outcome, Ratio), Spent> {
    let slowest = scope::largest_density(&tasks);
    let (mut speed, mut speeds) = (Speed::of_density(slowest), Speeds::from_slowest(slowest, &tasks, processors));
    let forced = Forced::of(tasks.tasks(), processors);
    let mut search = Search { tasks, deadlines: Deadlines::of(&tasks), forced, budget };
    loop {
        let outcome = search.all_windows(speed)?;
        let Outcome::Fails(sides) = outcome else { return Ok((outcome, speed.ratio())) };
        let excess = search.forced.excess(sides.window, speed, search.budget)?;
        let next = speeds.without(speed, excess).and_then(|left| Some((left, left.candidate()?)));
        match next {
            Some((left, candidate)) => (speeds, speed) = (left, candidate),
            None => return Ok((outcome, speed.ratio())),
        }
    }
}

/// What all speeds share.
struct Search<'a, 'b> {
    tasks: TaskSet<'a>,
    deadlines: Deadlines,
    forced: Forced<'a>,
    budget: &'b mut Budget,
}

impl Search<'_, '_> {
    fn all_windows(&mut self, speed: Speed) -> Result<Outcome, Spent> {
        let capacity = speed.capacity(self.forced.processors());
        let rate = Rate::left_by(&self.tasks, capacity.ratio());
        let horizon = Horizon::of(&self.tasks, rate, 0).within_hyperperiod(&self.tasks);
        search(&self.deadlines, horizon, self.budget, |point, budget| {
            Ok(capacity.judge(point.window, self.forced.work(point.window, speed, budget)?))
        })
    }
}
