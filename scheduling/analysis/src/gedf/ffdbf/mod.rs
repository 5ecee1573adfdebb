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
//! Holds for arrivals at any real instant: t and sigma are real in the theorem. The next paragraph says why looking at whole
//! ticks is enough.
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

mod forced;
mod simplest;
mod speed;

use super::condition::{Decision, Reach, ask, compare_utilization, densest, utilization};
use super::descent::{Deadlines, DescentResult, Horizon, Rate, Search, WindowDemand, Windows};
use super::test::Test;
use crate::budget::Spent;
use crate::{Budget, Finding, TaskSet};
use forced::Forced;
use prazo_core::ratio::Ratio;
use speed::{Speed, Speeds};
use std::cmp::Ordering;

/// FF-DBF for D <= T.
pub fn test(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Finding {
    find(tasks, processors, budget).0
}

/// A speed at which every window holds, for whoever wants to check a proof again.
pub fn speed(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Option<Ratio> {
    find(tasks, processors, budget).1
}

fn find(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> (Finding, Option<Ratio>) {
    let mut speed = None;
    let finding = ask(Test::FfDbf, Reach::Constrained, tasks, processors, budget, |tasks, processors, budget| {
        // The slowest speed leaves the largest capacity; where U outgrows that, no speed can hold.
        let slowest = Speed::of_density(&tasks[densest(&tasks)]);
        let largest = slowest.capacity(processors).ratio();
        let sustained = utilization(&tasks, largest);
        if compare_utilization(&tasks, largest) == Ordering::Greater {
            return Ok(Decision::outgrown(sustained));
        }
        let (outcome, last) = try_speeds(tasks, slowest, processors, budget)?;
        speed = matches!(outcome, DescentResult::Holds(_)).then(|| last.ratio());
        Ok(outcome.decision(last.capacity(processors), sustained))
    });
    (finding, speed)
}

/// Tries speeds until one holds or none is left, and tells the last one.
fn try_speeds(
    tasks: TaskSet<'_>,
    slowest: Speed,
    processors: u32,
    budget: &mut Budget,
) -> Result<(DescentResult, Speed), Spent> {
    let (deadlines, forced) = (Deadlines::of(&tasks), Forced::of(tasks.tasks(), processors));
    let (mut speed, mut speeds) = (slowest, Speeds::from_slowest(slowest, &tasks, processors));
    loop {
        let outcome = try_speed(&deadlines, &forced, speed, budget)?;
        let DescentResult::Fails(window) = outcome else { return Ok((outcome, speed)) };
        let excess = forced.excess(window, speed);
        let next = speeds.without(speed, excess).and_then(|left| Some((left, left.candidate()?)));
        match next {
            Some((left, candidate)) => (speeds, speed) = (left, candidate),
            None => return Ok((outcome, speed)),
        }
    }
}

/// All windows at one speed.
fn try_speed(
    deadlines: &Deadlines,
    forced: &Forced<'_>,
    speed: Speed,
    budget: &mut Budget,
) -> Result<DescentResult, Spent> {
    let capacity = speed.capacity(forced.processors);
    let rate = Rate::left_by(forced.tasks, capacity.ratio());
    let horizon = Horizon::of(forced.tasks, rate, 0).within_hyperperiod(forced.tasks);
    let search = Search { windows: Windows::Deadlines, deadlines, horizon, capacity };
    search.run(budget, |point, budget| {
        budget.spend(forced.tasks.len() as u64)?;
        Ok(WindowDemand { work: forced.work(point.window, speed), task: None })
    })
}
