//! FF-DBF (Baruah, Bonifaci, Marchetti-Spaccamela, Stiller, ECRTS 2009; Real-Time Systems 46, 2010): for one speed
//! sigma of at least the largest density, sum of ff_i(t, sigma) <= (m - (m-1) sigma) t for all t.
//!
//! With q = floor(t/T), r = t mod T: ff = q C + (C if r >= D; C - (D - r) sigma if D - C/sigma <= r < D; else 0). The
//! sum minus the right side is made of straight lines that bend down only at t = kT + D, so its maxima lie at whole
//! instants. ff never falls, and lies below the same line as dbf: it is convex up to r = D, where both are C.

use super::Queue;
use crate::certificate::Point;
use crate::coverage::{DemandPoint, show_covered};
use crate::demand::show_served_beyond;
use crate::rejected::{Rejected, applies, overflow, show};
use prazo_core::ratio::Ratio;
use prazo_core::task::{Task, Ticks};

pub(super) fn check(queue: &Queue<'_>, sigma: Ratio, points: &[Point]) -> Result<(), Rejected> {
    queue.applies_to_constrained_deadlines()?;
    applies(
        sigma.numerator() <= sigma.denominator() && sigma.denominator() <= 1 << 48,
        "the speed sigma exceeds 1, or its denominator exceeds 2^48",
    )?;
    let dense =
        |task: &Task| u128::from(task.cost) * sigma.denominator() > sigma.numerator() * u128::from(task.deadline);
    show(!queue.tasks.iter().any(dense), || "the speed sigma is below the largest density".into())?;
    let left = queue.m() * sigma.denominator() - (queue.m() - 1) * sigma.numerator();
    let speed = Ratio::new(left, sigma.denominator()).ok_or_else(overflow)?;
    show_served_beyond(queue.tasks, points.first().map_or(0, |point| point.at), &speed.into())?;
    show_covered(points, |t| {
        let terms = queue.tasks.iter().map(|task| forced_forward(task, t, sigma));
        let scaled = terms.sum::<Option<u128>>().ok_or_else(overflow)?;
        let demand = Ratio::new(scaled, sigma.denominator()).ok_or_else(overflow)?;
        Ok(DemandPoint { demand, served_from: scaled.div_ceil(left) })
    })
}

/// ff_i(t, sigma) times sigma's denominator.
fn forced_forward(task: &Task, t: Ticks, sigma: Ratio) -> Option<u128> {
    let (jobs, rest) = (u128::from(t / task.period), t % task.period);
    let cost = u128::from(task.cost) * sigma.denominator();
    let missing = u128::from(task.deadline.saturating_sub(rest)) * sigma.numerator();
    jobs.checked_mul(cost)?.checked_add(cost.saturating_sub(missing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time_model::TimeModel;

    /// Whether sigma and these points, of (instant, demand), show that the tasks fit.
    fn checked(processors: u32, tasks: &[Task], sigma: [u128; 2], points: &[(Ticks, u64)]) -> Result<(), Rejected> {
        let names: Vec<usize> = (0..tasks.len()).collect();
        let points: Vec<Point> =
            points.iter().map(|&(at, demand)| Point { at, demand: Ratio::whole(demand) }).collect();
        let time = TimeModel::Continuous;
        let queue = Queue {
            processors,
            tasks,
            names: &names,
            interrupts: &[],
            order: None,
            behaviours: None,
            phases: &[],
            time,
        };
        check(&queue, Ratio::new(sigma[0], sigma[1]).unwrap(), &points)
    }

    /// Half a processor. From sigma 1/2 on, nothing is forced forward to 0, and demand stays below its line.
    const HALF: Task = Task::implicit(1, 2);

    #[test]
    fn sigma_is_at_most_one() {
        // Without laxity, one is the only sigma.
        let tight = [Task::new(1, 2, 1)];
        assert_eq!(checked(1, &tight, [1, 1], &[(1, 1), (0, 0)]), Ok(()));
        let above = checked(1, &tight, [3, 2], &[(1, 1), (0, 0)]);
        assert!(matches!(above, Err(Rejected::NotApplicable(_))), "{above:?}");
    }

    #[test]
    fn sigma_is_at_least_the_largest_density() {
        assert_eq!(checked(1, &[HALF], [1, 2], &[(0, 0)]), Ok(()));
        let below = Rejected::NotShown("the speed sigma is below the largest density".into());
        assert_eq!(checked(1, &[HALF], [49, 100], &[(0, 0)]), Err(below));
    }

    #[test]
    fn the_denominator_of_sigma_is_bounded() {
        let most = 1 << 48;
        assert_eq!(checked(1, &[HALF], [most - 1, most], &[(0, 0)]), Ok(()));
        let finer = checked(1, &[HALF], [most, most + 1], &[(0, 0)]);
        assert!(matches!(finer, Err(Rejected::NotApplicable(_))), "{finer:?}");
    }

    #[test]
    fn deadlines_beyond_the_period_are_not_covered() {
        let long = checked(1, &[Task::new(1, 2, 3)], [1, 2], &[(1, 0)]);
        assert!(matches!(long, Err(Rejected::NotApplicable(_))), "{long:?}");
    }

    #[test]
    fn all_processors_but_one_lose_sigma() {
        // 2 - 1/2 is three halves.
        assert_eq!(checked(2, &[HALF; 3], [1, 2], &[(0, 0)]), Ok(()));
        let more = Rejected::NotShown("the utilization exceeds the long-run capacity".into());
        assert_eq!(checked(2, &[HALF; 4], [1, 2], &[(0, 0)]), Err(more));
    }
}
