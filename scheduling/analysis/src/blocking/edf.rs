//! Processor demand under EDF with blocking, bursts and parts that are not preempted.
//!
//! With U <= 1, all deadlines are met if and only if for every t > 0 for which something is due,
//!
//! ```text
//! max(dbf(t), max over j of (B_j(t) + dbf(t) - dbf_j(t))) <= t        dbf_i(t) = N_i(t + J - D) C
//! ```
//!
//! over the j with D_j > t, B_j(t) as in `terms`, as long as somebody else is due. A task that blocks has nothing else due in the
//! interval, for its later jobs are due later; without jitter dbf_j(t) is 0 anyway.
//!
//! If a deadline t_d is missed, let t_0 be the last instant before it at which no job due by t_d was pending that had been
//! released before. From t_0 on the processor serves those jobs, but for one part that a job due later had begun; that job
//! arrived before t_0, so its D exceeds t_d - t_0. And if the inequality fails for t, such a job begins its part just before all
//! others arrive together, and not all that is due within t can be done. So B counts whole: t and both sides are whole ticks,
//! and a violation by one tick survives any small enough delay. Jeffay, Stanat, Martel, RTSS 1991 (for whole ticks, where it is
//! C - 1); George, Rivierre, Spuri, INRIA 2966, 1996; Baruah, ECRTS 2005 (parts), RTSS 2006 (SRP).
//!
//! How far t must go: to the least L > 0 with L = max B + sum N_i(L) C_i, since dbf(L + x) <= L - max B + dbf(x). Or, where
//! that never comes, to a hyperperiod beyond the longest deadline. From one relative deadline to the next, the left side only
//! grows with t, so QPA goes down there as it does without blocking (Zhang, Burns, IEEE TC 58(9), 2009).
//!
//! With a supply, whose least in an interval of t is sbf(t) (see [`service`](super::service)), and without blocking, all
//! deadlines are met if and only if dbf(t) <= sbf(t) for every t > 0 (Shin, Lee, RTSS 2003). From t_0 on all that is
//! served goes to the same jobs, sbf(t_d - t_0) at least; and if the inequality fails for t, all arrive together as a supply
//! begins that serves no more than sbf. The least L > 0 with sum N_i(L) C_i <= sbf(L) is far enough, since dbf(L + x) <= sbf(L) +
//! dbf(x) and sbf(L) + sbf(x) <= sbf(L + x). Or a hyperperiod of tasks and supply beyond the longest deadline and the supply's
//! period: from there on both sides grow by as much in each, or dbf by less. Arrivals by a curve have to settle before that. With
//! bounded delay that holds beyond the delay with the hyperperiod of the tasks alone: sbf grows by its rate in any interval. QPA goes from t
//! down to where sbf reaches dbf(t).
//!
//! With self-suspension of at most S a job, and without blocking, all deadlines are met if they are where each job executes for
//! C + S: from t_0 on, whenever none of those jobs runs, all that are pending are suspended, and any one of them is charged
//! for it (Chen and others 2019, section 4.1). And some deadline is missed if for some t
//!
//! ```text
//! dbf(t) + max over j with D_j - J_j <= t of S_j > t
//! ```
//!
//! All arrive together, but that task so much later that a job of it is due at t. This job suspends itself whenever no other job due
//! by t runs, until S_j is spent: then some of the work due by t is left at t. What lies between both is unknown.
//!
//! Resources need relative deadlines as ceilings, and those say who may preempt whom only without release jitter: with both,
//! nothing is said. Nor is anything known here of PCP and PIP under EDF.

use super::arrivals::Arrivals;
use super::system::{System, utilization_margin};
use super::terms;
use crate::budget::Spent;
use crate::{Budget, Finding, Margin, Quantity, Task, Ticks, Verdict};
use prazo_core::behaviour::Locking;
use std::cmp::Ordering;

/// What findings call this test.
pub const NAME: &str = "demand with blocking";
/// What they call it where the tasks have only a supply.
pub const SUPPLIED: &str = "demand in a supply";
/// What they call it where tasks suspend themselves.
pub const SUSPENDED: &str = "demand with suspension";

const ONLY_SRP: &str = "under EDF this test supports critical sections with locking = \"srp\" only";
const JITTER: &str = "under SRP this test does not cover release jitter";

/// What the tasks of `system` can be shown.
pub fn test(system: &System<'_>, budget: &mut Budget) -> Finding {
    let name = name(system);
    if let Some(why) = system.uncovered() {
        return Finding::not_applicable(name, why);
    }
    if system.has_sections() && system.locking != Locking::Srp {
        return Finding::not_applicable(name, ONLY_SRP);
    }
    if system.has_sections() && system.tasks.iter().any(|task| task.jitter > 0) {
        return Finding::not_applicable(name, JITTER);
    }
    let before = budget.spent();
    let decided = if system.suspends() { suspended(system, budget) } else { decide(system, budget) };
    let mut finding = decided.unwrap_or_else(|Spent| Finding::budget_spent(name, 0));
    finding.work = budget.spent() - before;
    finding
}

fn name(system: &System<'_>) -> &'static str {
    match system.supply {
        _ if system.suspends() => SUSPENDED,
        Some(_) => SUPPLIED,
        None => NAME,
    }
}

/// Proven where all suspensions count as execution, disproven where one of them is too much beside the others' execution.
fn suspended(system: &System<'_>, budget: &mut Budget) -> Result<Finding, Spent> {
    let counted = decide(&system.counted(), budget)?;
    if counted.is_proven() {
        return Ok(Finding { test: SUSPENDED, ..counted });
    }
    let necessary = decide(system, budget)?;
    let is_decided = necessary.verdict == Verdict::Disproven;
    Ok(if is_decided { necessary } else { Finding::does_not_hold(SUSPENDED, None, counted.margin, 0) })
}

fn decide(system: &System<'_>, budget: &mut Budget) -> Result<Finding, Spent> {
    let name = name(system);
    if system.utilization_with_supply() == Ordering::Greater {
        return Ok(Finding::overdemand(name, None, Some(utilization_margin(system)), 0));
    }
    let farthest = horizon(system, budget)?;
    let mut fullest: Option<Interval> = None;
    let mut next = Some(farthest);
    while let Some(length) = next {
        budget.spend(3 * system.tasks.len() as u64)?;
        let Some(found) = Interval::of(system, length) else { break };
        let share = |of: &Interval, other: &Interval| of.done.saturating_mul(other.length);
        if fullest.is_none_or(|fullest| share(&found, &fullest) > share(&fullest, &found)) {
            fullest = Some(found);
        }
        if found.done > found.length {
            let least = found.without_slack(system);
            let margin = Some(least.margin(system));
            return Ok(Finding::overdemand(name, Some(least.length as Ticks), margin, 0));
        }
        next = found.next();
    }
    Ok(Finding::proven(name, None, fullest.map(|found| found.margin(system)), 0))
}

/// An interval in which something is due, with all that may have to be done within it.
#[derive(Clone, Copy, Debug)]
struct Interval {
    length: u128,
    demand: u128,
    /// How long it takes at most until so much has been served; without a supply, the demand.
    done: u128,
    /// From this length on, demand only grows up to here.
    from: u128,
}

impl Interval {
    /// The one that speaks for the longest intervals up to `length`; none where nothing is due.
    fn of(system: &System<'_>, length: u128) -> Option<Self> {
        let from = step(system, length);
        // Demand changes where something is due, and blocking where a step begins: between both, the shorter is the worse.
        let length = last_due(system, length)?.max(from);
        let demand = demand(system, length);
        Some(Self { length, demand, done: system.service().latest(demand), from })
    }

    /// The longest interval that this one does not speak for, if there is any.
    fn next(&self) -> Option<u128> {
        // No interval that serves this demand, from the step's beginning on, can fail: theirs is no more than this demand.
        self.done.max(self.from).min(self.length).checked_sub(1)
    }

    /// A shorter interval that fails too: a disproof that is easier to follow.
    fn without_slack(self, system: &System<'_>) -> Self {
        let shorter = |now: &Self| Interval::of(system, now.length.checked_sub(1)?);
        let fails = |found: &Self| found.done > found.length;
        std::iter::successors(Some(self), |now| shorter(now).filter(fails)).take(64).last().unwrap_or(self)
    }

    fn margin(&self, system: &System<'_>) -> Margin {
        let (demand, served) = (self.demand as f64, system.service().least(self.length) as f64);
        Margin { demand, capacity: served, of: Quantity::Work { window: self.length as Ticks } }
    }
}

/// The longest relative deadline up to `length`, or 0.
pub(crate) fn step(system: &System<'_>, length: u128) -> u128 {
    system.tasks.iter().map(|task| u128::from(task.deadline)).filter(|deadline| *deadline <= length).max().unwrap_or(0)
}

/// The longest interval up to `length` in which one job more is due than in any shorter one.
fn last_due(system: &System<'_>, length: u128) -> Option<u128> {
    let of = |(index, task): (usize, &Task)| system.arrivals(index).last_due(length, task.deadline);
    system.tasks.iter().enumerate().filter_map(of).max()
}

/// What may have to be done within an interval of `length`, with the longest suspension of a job that is due in it; 0 where
/// nothing is due.
pub fn demand(system: &System<'_>, length: u128) -> u128 {
    let due = |index: usize| {
        let task = &system.tasks[index];
        system.arrivals(index).due_within(length, task.deadline) * u128::from(task.cost)
    };
    let all: u128 = (0..system.tasks.len()).map(due).sum();
    let blocked = |blocker: usize| {
        let (part, others) = (terms::within(system, blocker, length), all - due(blocker));
        if part > 0 && others > 0 { others + u128::from(part) } else { 0 }
    };
    let suspensions =
        (0..system.tasks.len()).filter(|&index| due(index) > 0).map(|index| system.of_tasks[index].suspension);
    (0..system.tasks.len()).map(blocked).max().unwrap_or(0).max(all) + u128::from(suspensions.max().unwrap_or(0))
}

/// An interval beyond which none fails, if no shorter one does.
pub(crate) fn horizon(system: &System<'_>, budget: &mut Budget) -> Result<u128, Spent> {
    let last_step = step(system, u128::MAX);
    let supply_settled = system.supply.map_or(0, |_| system.service().settled_after());
    let settled = system.settled_after() + last_step;
    let repeated = system.repeats_after().map(|all| u128::from(all) + settled.max(supply_settled));
    let (all, blocked) = (system.all_arrivals(), u128::from(terms::longest(system)));
    let mut length = 1;
    loop {
        budget.spend(system.tasks.len() as u64)?;
        let work = |(task, arrivals): (&Task, &Arrivals)| arrivals.released_before(length) * u128::from(task.cost);
        let next = system.service().latest(system.tasks.iter().zip(&all).map(work).sum::<u128>() + blocked);
        if next <= length {
            return Ok(length);
        }
        if let Some(repeated) = repeated.filter(|repeated| next > *repeated) {
            return Ok(repeated);
        }
        if next > 1 << 62 {
            return Err(Spent);
        }
        length = next;
    }
}
