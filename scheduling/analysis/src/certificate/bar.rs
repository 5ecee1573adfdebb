//! BAR's points for each task (Baruah, RTSS 2007, condition 8), descending in A from a bound to 0.

use super::NoCertificate;
use super::demand_line::DemandLine;
use super::descent::{Look, points};
use crate::demand::demand_bound;
use crate::gedf::Test;
use crate::partition::Bin;
use crate::{Task, Ticks};
use prazo_core::ratio::Ratio;

const TEST: Test = Test::Bar;

pub(super) fn evidence(tasks: &[Task], bin: &Bin) -> Result<String, NoCertificate> {
    let (line, m) = (DemandLine::of(tasks), u128::from(bin.processors));
    let carried = sum_of_largest(tasks.iter().map(|task| task.cost.into()).collect(), bin.processors);
    let mut lines = format!("test {TEST}\n");
    for (k, (task, name)) in tasks.iter().zip(&bin.tasks).enumerate() {
        let length = line.served_from(Ratio::whole(bin.processors.into()), carried + m * u128::from(task.cost));
        let highest = length.ok_or(NoCertificate::NotFoundAgain(TEST.name()))?.saturating_sub(task.deadline);
        let of_task = points(highest, |extent| look(tasks, k, bin.processors, extent));
        lines += &format!("for {name}\n{}", of_task.map_err(|stopped| stopped.because(TEST.name()))?);
    }
    Ok(lines)
}

/// The left side for task `k` at A = `extent`, and from which A on m (A + D_k - C_k) is as much.
fn look(tasks: &[Task], k: usize, processors: u32, extent: Ticks) -> Look {
    let (length, laxity) = (extent + tasks[k].deadline, tasks[k].deadline - tasks[k].cost);
    let capped = |i: usize, work: u128| match i == k {
        true => work.saturating_sub(tasks[k].cost.into()).min(extent.into()),
        false => work.min(u128::from(extent + laxity) + 1),
    };
    let (mut plain, mut more) = (0, Vec::with_capacity(tasks.len()));
    for (i, task) in tasks.iter().enumerate() {
        let without = capped(i, demand_bound(task, length));
        plain += without;
        more.push(capped(i, carried_in(task, length)).saturating_sub(without));
    }
    let demand = plain + sum_of_largest(more, processors);
    Look::whole(demand, demand.div_ceil(processors.into()).saturating_sub(laxity.into()))
}

/// dbf'_i(L) = floor(L/T_i) C_i + min(C_i, L mod T_i).
fn carried_in(task: &Task, length: Ticks) -> u128 {
    u128::from(length / task.period) * u128::from(task.cost) + u128::from((length % task.period).min(task.cost))
}

fn sum_of_largest(mut values: Vec<u128>, processors: u32) -> u128 {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.iter().take(processors as usize - 1).sum()
}
