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
//! The load itself is never computed: whether it is above B is a question about single windows, answered exactly by going
//! down from the horizon (see [`descent`](super::descent)). Sound for D > T.

use super::descent::{Capacity, Deadlines, Horizon, Outcome, Rate, search};
use super::scope;
use crate::budget::Spent;
use crate::{Budget, Finding, Task, TaskSet};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

const NAME: &str = "LOAD";

/// Proven if load <= B; Unknown otherwise and with jitter.
pub fn test(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Finding {
    if let Some(finding) = scope::outside(NAME, scope::Deadlines::Arbitrary, tasks, processors) {
        return finding;
    }
    let bound = load_bound(scope::largest_density(&tasks), processors);
    let sustained = scope::utilization_margin(&tasks, bound.to_f64());
    if scope::compare_utilization(&tasks, bound) == Ordering::Greater {
        return Finding::does_not_hold(NAME, None, Some(sustained), 0);
    }
    let before = budget.spent();
    let outcome = decide(&tasks, bound, budget);
    Outcome::finding(outcome, NAME, sustained, budget.spent() - before)
}

/// B. For a density in (0, 1] and m >= 1, mu lies in [1, m] and both alternatives in (0, m].
fn load_bound(density: Ratio, processors: u32) -> Ratio {
    let (c, w, m) = (density.numerator() as i128, density.denominator() as i128, i128::from(processors));
    let mu = m * w - (m - 1) * c;
    let whole = (mu + w - 1) / w;
    let alternatives = [mu - (whole - 1) * c, (whole - 1) * w - (whole - 2) * c];
    let largest = alternatives.into_iter().fold(0, i128::max);
    Ratio::new(largest.unsigned_abs(), density.denominator()).unwrap_or(Ratio::ZERO)
}

/// The demand is below 2^80 and B's denominator at most 2^48, so the scaled demand fits.
fn decide(tasks: &[Task], bound: Ratio, budget: &mut Budget) -> Result<Outcome, Spent> {
    let horizon = Horizon::of(tasks, Rate::left_by(tasks, bound), 0).within_hyperperiod(tasks);
    let capacity = Capacity { per_tick: bound.numerator(), scale: bound.denominator() };
    search(&Deadlines::of(tasks), horizon, budget, |point, _| {
        Ok(capacity.judge(point.window, point.demand * capacity.scale))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(c: u128, w: u128, processors: u32) -> String {
        load_bound(Ratio::new(c, w).unwrap(), processors).to_string()
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
