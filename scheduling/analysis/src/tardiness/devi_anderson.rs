//! A tardiness bound for global EDF with D = T: no job of task i is later than x + C_i.
//!
//! x = (sum of the L largest C - smallest C) / (m - sum of the L-1 largest u), L = ceil(U) - 1.
//!
//! Devi and Anderson, RTSS 2005; Real-Time Systems 38, 2008. The theorem is about real time, so the bound holds for
//! arrivals at any real instant. x is rounded up; L and the quotient are exact, even where U is a whole number.
//!
//! Where jobs are not preempted, well-known tools add m-L-1 of the largest costs to the numerator. That x is computed too, as a
//! figure to compare with, but x + C_i is no bound then: {(10,20), (10,20), (1,2)} on two processors has x = 5, and the third task
//! is 8 late when the long jobs start one tick before its own. No schedule we tried exceeds x plus the largest of all C.

use super::{NoBound, check_bounded};
use crate::exact::compare_sum;
use crate::{DeadlineKind, Task, TaskSet, Ticks};
use prazo_core::ratio::Ratio;
use std::cmp::{Ordering, Reverse};

/// May a running job be put aside for a more urgent one?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preemption {
    /// At any instant.
    Full,
    /// Never: a job that runs ends first.
    None,
}

/// x: with full preemption no job is later than x plus the cost of its task; without, see above.
pub fn devi_anderson(tasks: TaskSet<'_>, processors: u32, preemption: Preemption) -> Result<Ticks, NoBound> {
    if tasks.deadlines() != DeadlineKind::Implicit {
        return Err(NoBound::DeadlinesNotImplicit);
    }
    check_bounded(tasks, processors)?;
    let busy = tasks.utilization_ceil() as usize - 1;
    let numerator = pending_cost(tasks, busy, processors as usize, preemption);
    let numerator = Ticks::try_from(numerator).map_err(|_| NoBound::TooLong)?;
    Ok(quotient(numerator, processors, &largest_utilizations(tasks, busy.saturating_sub(1))))
}

/// The L largest costs less the smallest, and without preemption the m-L-1 largest again; at least nothing.
fn pending_cost(tasks: TaskSet<'_>, busy: usize, processors: usize, preemption: Preemption) -> u128 {
    let mut costs: Vec<Ticks> = tasks.iter().map(|task| task.cost).collect();
    costs.sort_unstable_by_key(|cost| Reverse(*cost));
    let largest = |count: usize| costs.iter().take(count).map(|cost| u128::from(*cost)).sum::<u128>();
    let blocking = match preemption {
        Preemption::Full => 0,
        Preemption::None => largest((processors - busy).saturating_sub(1)),
    };
    (largest(busy) + blocking).saturating_sub(costs[costs.len() - 1].into())
}

fn largest_utilizations(tasks: TaskSet<'_>, count: usize) -> Vec<(Ticks, Ticks)> {
    let utilization = |task: &Task| (task.cost, task.period);
    let mut terms: Vec<(Ticks, Ticks)> = tasks.iter().map(utilization).collect();
    terms.sort_unstable_by(|a, b| (u128::from(b.0) * u128::from(a.1)).cmp(&(u128::from(a.0) * u128::from(b.1))));
    terms.truncate(count);
    terms
}

/// The smallest whole x with x (m - sum of `terms`) >= `numerator`; at most m-2 terms, none above one.
fn quotient(numerator: Ticks, processors: u32, terms: &[(Ticks, Ticks)]) -> Ticks {
    // x is enough if the sum is at most m - numerator / x, and surely from numerator on, since m - sum >= 1.
    let is_enough = |x: Ticks| {
        let Some(share) = Ratio::new(numerator.into(), x.into()) else { return numerator == 0 };
        let spare = Ratio::whole(processors.into()).checked_sub(share);
        spare.is_some_and(|bound| compare_sum(terms.iter().copied(), bound) != Ordering::Greater)
    };
    let (mut low, mut high) = (0, numerator);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_enough(middle) { high = middle } else { low = middle + 1 }
    }
    low
}
