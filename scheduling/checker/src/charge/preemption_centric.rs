//! Preemption-centric interrupt accounting for EDF, and for fixed priorities on several processors (Brandenburg 2011,
//! chapter 3).
//!
//! With x = tck/Q + sum rel/T (the share that interrupts take) and
//!   Z = C + ld + 2 (sch + cxs) + cpd + 2 (tck + n rel + ev x),   Y = ipi (if m > 1 or dedicated) + rel (if dedicated),
//! C' = ceil(Z/(1-x) + Y), T' = T - ceil(ev), D' = D - ceil(ev). Releases count in x and Z only without a dedicated
//! processor. A claimed C' is that ceiling if Z + Y + C' x <= C' + Y x and C' - 1 fails it, so nothing need be
//! divided.

use super::{Costs, nothing, wrong};
use crate::certificate::Charged;
use crate::fraction::Fraction;
use crate::rejected::Rejected;
use prazo_core::task::{Task, Ticks};

pub(super) fn check(costs: &Costs, tasks: &[Task], charged: &Charged, processors: u32) -> Result<(), Rejected> {
    if !charged.interrupts.is_empty() {
        return Err(wrong("this accounting charges interrupts to the tasks and has no pseudo-tasks"));
    }
    let interrupts = Interrupts::of(costs, tasks, processors)?;
    for (index, (task, claim)) in tasks.iter().zip(&charged.tasks).enumerate() {
        let needs = &costs.own(task, &costs.cache[index]) + &interrupts.bursts;
        if !interrupts.make(&needs, claim.cost) || interrupts.make(&needs, claim.cost - 1) {
            return Err(wrong(format!(
                "the cost {} of the task at place {} of its bin, counted from 1",
                claim.cost,
                index + 1
            )));
        }
        let shortened = |time: Ticks, to: Ticks| is_ceiling(&costs.event_latency, time, to);
        let times = shortened(task.period, claim.period) && shortened(task.deadline, claim.deadline);
        if !times || claim.jitter != task.jitter {
            return Err(wrong(format!(
                "the period, deadline or jitter of the task at place {} of its bin, counted from 1",
                index + 1
            )));
        }
    }
    Ok(())
}

/// True if `time - to` is `latency` rounded up.
fn is_ceiling(latency: &Fraction, time: Ticks, to: Ticks) -> bool {
    let Some(taken) = time.checked_sub(to) else { return false };
    *latency <= Fraction::whole(taken) && (taken == 0 || *latency > Fraction::whole(taken - 1))
}

/// What interrupts take, for all tasks of a bin alike.
struct Interrupts {
    /// x.
    share: Fraction,
    /// 2 (tck + n rel + ev x).
    bursts: Fraction,
    /// Y.
    after: Fraction,
}

impl Interrupts {
    fn of(costs: &Costs, tasks: &[Task], processors: u32) -> Result<Self, Rejected> {
        let release = if costs.dedicated { nothing() } else { costs.release.clone() };
        if release > nothing() && tasks.iter().any(|task| task.jitter > 0) {
            return Err(Rejected::NotApplicable(
                "with release jitter, releases may be closer together than the accounting of overheads assumes".into(),
            ));
        }
        let rates: Vec<Fraction> = tasks.iter().map(|task| Fraction::new(1, task.period)).collect();
        let ticking = costs.tick_period.map_or_else(nothing, |period| &costs.tick * &Fraction::new(1, period));
        let share = &ticking + &(&release * &Fraction::sum(&rates));
        if share >= Fraction::whole(1u64) {
            return Err(wrong("interrupts alone take the whole processor"));
        }
        let releases = &release * &Fraction::whole(tasks.len() as u64);
        let burst = Fraction::sum(&[costs.tick.clone(), releases, &costs.event_latency * &share]);
        let bursts = &burst + &burst;
        Ok(Self { share, bursts, after: after(costs, processors) })
    }

    /// True if `cost` ticks hold `needs`: Z + Y + C' x <= C' + Y x.
    fn make(&self, needs: &Fraction, cost: Ticks) -> bool {
        let cost = Fraction::whole(cost);
        let demand = Fraction::sum(&[needs.clone(), self.after.clone(), &cost * &self.share]);
        demand <= &cost + &(&self.after * &self.share)
    }
}

/// Y: what happens on the way from the processor that takes the interrupt.
fn after(costs: &Costs, processors: u32) -> Fraction {
    let ipi = if processors > 1 || costs.dedicated { costs.ipi_latency.clone() } else { nothing() };
    if costs.dedicated { &ipi + &costs.release } else { ipi }
}
