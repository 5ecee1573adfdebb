//! LOAD (Baker, Baruah, Real-Time Systems 43, 2009, corollary 2): dbf(t) <= B t for all t, where with the largest
//! density delta, mu = m - (m-1) delta and B = max(mu - (ceil(mu)-1) delta, (ceil(mu)-1) - (ceil(mu)-2) delta).
//!
//! Demand steps only at whole instants and B t grows, so whole instants are the worst.

use super::Queue;
use crate::certificate::Point;
use crate::coverage::{DemandPoint, show_covered};
use crate::demand::{show_served_beyond, total_demand_bound};
use crate::rejected::{Rejected, overflow, show};
use prazo_core::ratio::Ratio;

pub(super) fn check(queue: &Queue<'_>, points: &[Point]) -> Result<(), Rejected> {
    queue.applies_globally()?;
    let speed = served(queue)?;
    let highest = points.first().map_or(0, |point| point.at);
    show_served_beyond(queue.tasks, highest, &speed.into())?;
    show_covered(points, |t| {
        let demand = total_demand_bound(queue.tasks, t);
        let scaled = demand.checked_mul(speed.denominator()).ok_or_else(overflow)?;
        let ratio = Ratio::new(demand, 1).unwrap_or_default();
        Ok(DemandPoint { demand: ratio, served_from: scaled.div_ceil(speed.numerator()) })
    })
}

/// B over the denominator q of delta = p/q; all below 2^80.
fn served(queue: &Queue<'_>) -> Result<Ratio, Rejected> {
    let (p, q) = queue.densest().map_or((0, 1), |task| (i128::from(task.cost), i128::from(task.window())));
    let m = i128::from(queue.processors);
    let mu = m * q - (m - 1) * p;
    let ceiling = (mu + q - 1).div_euclid(q);
    let best = (mu - (ceiling - 1) * p).max((ceiling - 1) * q - (ceiling - 2) * p);
    let ratio = u128::try_from(best).ok().and_then(|over| Ratio::new(over, q.unsigned_abs()));
    let positive = ratio.filter(|ratio| !ratio.is_zero());
    show(positive.is_some(), || "LOAD's bound on the load is not above 0".into())?;
    Ok(positive.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::task::Task;
    use prazo_core::time_model::TimeModel;

    fn bound(processors: u32, task: Task) -> Ratio {
        let time = TimeModel::Continuous;
        let queue = Queue {
            processors,
            tasks: &[task],
            names: &[0],
            interrupts: &[],
            order: None,
            behaviours: None,
            phases: &[],
            time,
        };
        served(&queue).unwrap()
    }

    #[test]
    fn the_bound_of_halves_and_thirds() {
        // delta 1/2, m 2: mu 3/2, ceil 2: max(3/2 - 1/2, 1 - 0) = 1. delta 1/3: mu 5/3: max(5/3 - 1/3, 1) = 4/3.
        assert_eq!(bound(2, Task::implicit(1, 2)), Ratio::ONE);
        assert_eq!(bound(2, Task::implicit(1, 3)), Ratio::new(4, 3).unwrap());
        assert_eq!(bound(1, Task::implicit(1, 3)), Ratio::ONE);
    }
}
