//! EDF on one processor: the processor demand criterion at the points of QPA (Zhang, Burns, IEEE TC 58(9), 2009).
//!
//! dbf(t) <= t for all t >= 0 is exact (Baruah, Mok, Rosier, RTSS 1990). That nothing can go wrong beyond the highest
//! point L has one of two reasons, and the checker takes either:
//! - U <= 1, and the demand line lies below t from L on or a hyperperiod was looked at; or
//! - sum ceil((L + J)/T) C <= L: when all tasks start together the processor idles by L. Let t be the first instant
//!   with dbf(t) > t, and x <= L the instant of that first idling. If t > x, what is released before x is at most x, and
//!   what is released later fits into a window of t - x, so dbf(t) <= x + dbf(t - x) <= x + t - x: a contradiction.
//!   So t <= L.

use super::Queue;
use crate::certificate::Point;
use crate::coverage::{DemandPoint, show_covered};
use crate::demand::{show_served_beyond, total_demand_bound};
use crate::fraction::Fraction;
use crate::rejected::Rejected;
use prazo_core::ratio::Ratio;
use prazo_core::task::{Task, Ticks};

pub(super) fn check(queue: &Queue<'_>, points: &[Point]) -> Result<(), Rejected> {
    queue.applies_to_one_processor()?;
    let highest = points.first().map_or(0, |point| point.at);
    if !idles_by(queue.tasks, highest) {
        show_served_beyond(queue.tasks, highest, &Fraction::whole(1u64))?;
    }
    show_covered(points, |t| {
        let demand = total_demand_bound(queue.tasks, t);
        let ratio = Ratio::new(demand, 1).unwrap_or_default();
        Ok(DemandPoint { demand: ratio, served_from: demand })
    })
}

/// True if all work released before `instant` is done by then, however the tasks start.
fn idles_by(tasks: &[Task], instant: Ticks) -> bool {
    let jobs = |task: &Task| u128::from((instant + task.jitter).div_ceil(task.period));
    let released: u128 = tasks.iter().map(|task| jobs(task) * u128::from(task.cost)).sum();
    instant > 0 && released <= instant.into()
}
