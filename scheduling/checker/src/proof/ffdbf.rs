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
        "sigma is not a fraction below 1",
    )?;
    let dense =
        |task: &Task| u128::from(task.cost) * sigma.denominator() > sigma.numerator() * u128::from(task.deadline);
    show(!queue.tasks.iter().any(dense), || "sigma is below the largest density".into())?;
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
