//! LOAD: the largest demand per unit of time is at most what m processors can promise beside one dense task.
//!
//! Baker and Baruah, "An analysis of global EDF schedulability for arbitrary-deadline sporadic task systems", Real-Time
//! Systems 43, 2009, corollary 2 (earlier: Baruah and Baker, ECRTS 2008). With delta = max C/min(D,T) and
//! mu = m - (m-1) delta, a set is schedulable by global EDF if
//!
//! ```text
//!   load = sup over t > 0 of (sum of dbf_i(t)) / t  <=  B
//!   B = max( mu - (ceil(mu)-1) delta,  (ceil(mu)-1) - (ceil(mu)-2) delta )
//! ```
//!
//! Holds for arrivals at any real instant: t is real in the theorem, demand steps at whole ticks only, and at those B t is
//! compared.
//!
//! The load itself is never computed: whether it is above B is a question about single windows, answered exactly by going
//! down from the horizon (see [`descent`](super::descent)). Sound for D > T.

use super::condition::{Decision, Reach, ask, compare_utilization, densest, utilization};
use super::descent::{Capacity, Deadlines, Horizon, Rate, Search, WindowDemand, Windows};
use super::test::Test;
use crate::budget::Spent;
use crate::{Budget, Finding, Task, TaskSet};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// LOAD for any D.
pub fn test(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Finding {
    ask(Test::Load, Reach::Arbitrary, tasks, processors, budget, decide)
}

/// The demand is below 2^80 and B's denominator at most 2^48, so the scaled demand fits.
fn decide(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Result<Decision, Spent> {
    let bound = load_bound(&tasks[densest(&tasks)], processors);
    let sustained = utilization(&tasks, bound);
    if compare_utilization(&tasks, bound) == Ordering::Greater {
        return Ok(Decision::outgrown(sustained));
    }
    let horizon = Horizon::of(&tasks, Rate::left_by(&tasks, bound), 0).within_hyperperiod(&tasks);
    let capacity = Capacity { per_tick: bound.numerator(), scale: bound.denominator() };
    let search = Search { windows: Windows::Deadlines, deadlines: &Deadlines::of(&tasks), horizon, capacity };
    let outcome =
        search.run(budget, |point, _| Ok(WindowDemand { work: point.demand * capacity.scale, task: None }))?;
    Ok(outcome.decision(capacity, sustained))
}

/// B. For a density c/w in (0, 1] and m >= 1, mu lies in [1, m] and the larger alternative in (0, m].
fn load_bound(densest: &Task, processors: u32) -> Ratio {
    let (c, w, m) = (i128::from(densest.cost), i128::from(densest.window()), i128::from(processors));
    let mu = m * w - (m - 1) * c;
    let whole = (mu + w - 1) / w;
    let alternatives = [mu - (whole - 1) * c, (whole - 1) * w - (whole - 2) * c];
    let largest = alternatives.into_iter().fold(0, i128::max);
    Ratio::new(largest.unsigned_abs(), w.unsigned_abs()).expect("a window is at least one tick")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(c: u64, w: u64, processors: u32) -> String {
        load_bound(&Task::implicit(c, w), processors).to_string()
    }

    #[test]
    fn the_bound_is_that_of_corollary_2() {
        // mu = 4 - 3/2 = 5/2: max(5/2 - 2/2, 2 - 1/2) = 3/2.
        assert_eq!(bound(1, 2, 4), "3/2");
        // mu = 8 - 7/10 = 73/10: max(73/10 - 7/10, 7 - 6/10) = 66/10, which is where the reference's curve falls.
        assert_eq!(bound(1, 10, 8), "33/5");
        assert_eq!(bound(1, 1, 4), "1");
        assert_eq!(bound(3, 10, 1), "1");
    }
}
