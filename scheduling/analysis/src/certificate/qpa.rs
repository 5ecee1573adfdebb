//! EDF on one processor: nothing but its name where utilization decides, else points of the processor demand criterion.

use super::NoCertificate;
use super::demand_line::{DemandLine, INSTANT_MAX};
use super::descent::{Look, points};
use crate::{Task, Ticks};
use prazo_core::ratio::Ratio;

/// Rounds in which the busy period is looked for before the straight line has to do.
const ROUNDS_MAX: usize = 100_000;

pub(super) fn evidence(tasks: &[Task]) -> Result<String, NoCertificate> {
    if tasks.iter().all(|task| task.deadline >= task.period + task.jitter) {
        return Ok("test utilization\n".into());
    }
    let highest = [DemandLine::of(tasks).last_instant(Ratio::ONE), busy_period(tasks)].into_iter().flatten().min();
    let highest = highest.ok_or(NoCertificate::TooLong("QPA"))?;
    let lines = points(highest, |t| {
        let demand = tasks.iter().map(|task| demand_bound(task, t)).sum();
        Look::whole(demand, demand)
    });
    lines.map(|lines| format!("test QPA\n{lines}")).map_err(|stopped| stopped.because("QPA"))
}

/// dbf_i(t) with jitter: (floor((t + J - D)/T) + 1) C, and 0 while t + J < D.
fn demand_bound(task: &Task, t: Ticks) -> u128 {
    (t + task.jitter)
        .checked_sub(task.deadline)
        .map_or(0, |rest| u128::from(rest / task.period + 1) * u128::from(task.cost))
}

/// The least L > 0 with sum ceil((L + J)/T) C <= L.
fn busy_period(tasks: &[Task]) -> Option<Ticks> {
    let mut length: Ticks = 1;
    for _ in 0..ROUNDS_MAX {
        let released = |task: &Task| u128::from((length + task.jitter).div_ceil(task.period)) * u128::from(task.cost);
        let released: u128 = tasks.iter().map(released).sum();
        if released <= length.into() {
            return Some(length);
        }
        length = Ticks::try_from(released).ok().filter(|&released| released <= INSTANT_MAX)?;
    }
    None
}
