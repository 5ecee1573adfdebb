//! BAR (Baruah, RTSS 2007, condition 8): for every k and every A >= 0, with L = A + D_k,
//! sum of I1_i + the m-1 largest (I2_i - I1_i) <= m (L - C_k).
//!
//! I1_i = min(dbf_i(L), L - C_k + 1), I1_k = min(dbf_k(L) - C_k, A); I2 the same with dbf'_i(L) = floor(L/T_i) C_i +
//! min(C_i, L mod T_i). The left side is the largest of sums that never fall, one for each choice of m-1 tasks, so it
//! never falls either and points cover stretches. All whole A are covered, not only those where some dbf steps, as the
//! paper proposes: between two steps I1 can still grow through its cap. What lies between whole A follows. Let z = L - C_k, and
//! let k tasks exceed z. The condition leaves m z at least k above the sum of min(I, z) at the left end of a stretch, and by then k
//! < m; I2 and the caps are straight lines on it and I1 is level, so that sum stays at most m z, and no task comes to exceed z. A job
//! that misses needs min(I, z + e) to sum to m (z + e) for small e > 0, which is more.
//!
//! Beyond the highest point P: I1_i <= dbf_i(L) <= (L + T_i - D_i) u_i and I2_i - I1_i <= C_i, so the left side is at
//! most a line of slope U above the m-1 largest costs; if that is at most m (L - C_k) at P, and U <= m, it stays so.

use super::Queue;
use crate::certificate::PointsOfTask;
use crate::coverage::{DemandPoint, show_covered};
use crate::demand::{demand_bound, demand_line, utilization};
use crate::fraction::Fraction;
use crate::rejected::{Rejected, consistent, show};
use prazo_core::ratio::Ratio;
use prazo_core::task::{Task, Ticks};

pub(super) fn check(queue: &Queue<'_>, points: &[PointsOfTask]) -> Result<(), Rejected> {
    queue.applies_to_constrained_deadlines()?;
    let named = points.iter().map(|of| &of.task);
    consistent(named.eq(queue.names), || "BAR needs points for each task of the bin, in order".into())?;
    show(utilization(queue.tasks) <= Fraction::whole(queue.m()), || {
        "the utilization is above m, the number of processors".into()
    })?;
    for (k, of) in points.iter().enumerate() {
        show_bounded_beyond(queue, k, of.points.first().map_or(0, |point| point.at))?;
        show_covered(&of.points, |extent| Ok(look(queue, k, extent)))?;
    }
    Ok(())
}

/// sum (L + T_i - D_i) u_i + the m-1 largest C + m C_k <= m L at L = A + D_k.
fn show_bounded_beyond(queue: &Queue<'_>, k: usize, extent: Ticks) -> Result<(), Rejected> {
    let task = &queue.tasks[k];
    let length = extent + task.deadline;
    let costs = queue.tasks.iter().map(|task| task.cost.into()).collect();
    let carried = sum_of_largest(costs, queue) + queue.m() * u128::from(task.cost);
    let line = demand_line(queue.tasks, length).map(|line| &line + &Fraction::whole(carried));
    let holds = line.is_some_and(|line| line <= Fraction::whole(queue.m() * u128::from(length)));
    show(holds, || format!("the demand of task {} beyond A = {extent} is not bounded", queue.names[k]))
}

/// The left side for task `k` at A = `extent`, and the least A' with that much on the right: m (A' + D_k - C_k).
fn look(queue: &Queue<'_>, k: usize, extent: Ticks) -> DemandPoint {
    let window = Window { k, extent, length: extent + queue.tasks[k].deadline, cost: queue.tasks[k].cost };
    let without = |(i, task): (usize, &Task)| window.capped(i, demand_bound(task, window.length));
    let with = |(i, task): (usize, &Task)| window.capped(i, carried_in(task, window.length));
    let plain: u128 = queue.tasks.iter().enumerate().map(without).sum();
    let more = queue.tasks.iter().enumerate().map(|task| with(task).saturating_sub(without(task))).collect();
    let demand = plain + sum_of_largest(more, queue);
    let laxity = u128::from(queue.tasks[k].deadline - window.cost);
    let served_from = demand.div_ceil(queue.m()).saturating_sub(laxity);
    DemandPoint { demand: Ratio::new(demand, 1).unwrap_or_default(), served_from }
}

/// The stretch from A before the arrival of k's job to its deadline.
struct Window {
    k: usize,
    extent: Ticks,
    length: Ticks,
    cost: Ticks,
}

impl Window {
    /// What of `work` of task `i` can delay the job of k.
    fn capped(&self, i: usize, work: u128) -> u128 {
        if i == self.k {
            return work.saturating_sub(self.cost.into()).min(self.extent.into());
        }
        work.min(u128::from(self.length - self.cost) + 1)
    }
}

/// dbf'_i(L): with a job carried in.
fn carried_in(task: &Task, length: Ticks) -> u128 {
    let (jobs, rest) = (length / task.period, length % task.period);
    u128::from(jobs) * u128::from(task.cost) + u128::from(rest.min(task.cost))
}

/// The sum of the m-1 largest.
fn sum_of_largest(mut values: Vec<u128>, queue: &Queue<'_>) -> u128 {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.iter().take(queue.processors as usize - 1).sum()
}
