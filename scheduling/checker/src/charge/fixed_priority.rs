//! Overheads under fixed priorities on one processor: interrupts are the most urgent tasks (Brandenburg 2011, chapter
//! 3).
//!
//! The tick becomes a pseudo-task (tck, Q, J = ev), each release another (rel, T, J = ev + the task's own jitter)
//! unless a processor of its own takes them. A task costs C + ld + 2 (sch + cxs) + cpd and is released up to ev + rel
//! later (and ipi, if dedicated). A claim may be larger: more work and more jitter include all that less would allow.

use super::{Costs, nothing, wrong};
use crate::certificate::Charged;
use crate::fraction::Fraction;
use crate::rejected::Rejected;
use prazo_core::task::Task;

pub(super) fn check(costs: &Costs, tasks: &[Task], charged: &Charged) -> Result<(), Rejected> {
    check_interrupts(costs, tasks, &charged.interrupts)?;
    let ipi = if costs.dedicated { costs.ipi_latency.clone() } else { nothing() };
    let later = Fraction::sum(&[costs.event_latency.clone(), costs.release.clone(), ipi]);
    for (index, (task, claim)) in tasks.iter().zip(&charged.tasks).enumerate() {
        let least =
            Least { cost: costs.own(task, &costs.cache[index]), jitter: &later + &Fraction::whole(task.jitter) };
        if !least.is_within(claim) || claim.period != task.period || claim.deadline != task.deadline {
            return Err(wrong(format!(
                "the cost, period, deadline or jitter of the task at place {} of its bin, counted from 1",
                index + 1
            )));
        }
    }
    Ok(())
}

/// One pseudo-task for the tick, if it costs anything, then one for each release.
fn check_interrupts(costs: &Costs, tasks: &[Task], claims: &[Task]) -> Result<(), Rejected> {
    let tick = costs.tick_period.filter(|_| costs.tick > nothing());
    let ticks = tick.map(|period| (costs.tick.clone(), period, 0));
    let taken_here = !costs.dedicated && costs.release > nothing();
    let releases = tasks.iter().filter(|_| taken_here).map(|task| (costs.release.clone(), task.period, task.jitter));
    let expected: Vec<_> = ticks.into_iter().chain(releases).collect();
    let holds = |((cost, period, jitter), claim): (&(Fraction, u64, u64), &Task)| {
        let least = Least { cost: cost.clone(), jitter: &costs.event_latency + &Fraction::whole(*jitter) };
        least.is_within(claim) && claim.period == *period
    };
    if expected.len() == claims.len() && expected.iter().zip(claims).all(holds) {
        return Ok(());
    }
    Err(wrong("the pseudo-tasks of the interrupts"))
}

/// What a task must at least be charged.
struct Least {
    cost: Fraction,
    jitter: Fraction,
}

impl Least {
    fn is_within(&self, claim: &Task) -> bool {
        self.cost <= Fraction::whole(claim.cost) && self.jitter <= Fraction::whole(claim.jitter)
    }
}
