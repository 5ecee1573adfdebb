//! ROS 2 executors: how long callbacks and chains of callbacks take, on threads that run one callback after the other.
//!
//! A job of a callback arrives when its timer is due or its message is there, and runs to its end without being preempted by other callbacks
//! of its executor. The executor's thread has a whole processor or a reservation. Each callback has a densest pattern of arrivals; one that
//! another activates has the pattern of that one, later by at most that one's own lateness, its response and the delay of the message.
//! These jitters are found together, from the smallest on (Tindell and Clark 1994): the first job that would exceed its bound would need
//! one before it that has.
//!
//! [`response`] bounds the response of one callback. A chain takes no longer than the sum of its responses and delays.
//!
//! ```text
//! arrivals ─► busy window ─► response of each callback ─► jitter of those that it activates ─► ... ─► chains
//! ```

pub mod response;

use crate::blocking::arrivals::Arrivals;
use crate::blocking::service::Service;
use crate::exact::compare_sum;
use crate::{Budget, TICKS_MAX, Task, Ticks};
use prazo_core::behaviour::Burst;
use prazo_core::ratio::Ratio;
use prazo_core::verdict::Verdict;
use prazo_scenario::executors::{Activator, CallbackChain, ExecutorSet};
use response::{Pending, Thread};
use std::cmp::Ordering;

/// Why there is no bound on a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBound {
    /// In the long run the callbacks of this executor need more processor time than it has, or all of it although some of it
    /// comes late.
    Overloaded(usize),
    /// The callback, or another one of its executor, is activated by this one, which has no bound.
    Activated(usize),
    /// Its bound, or a jitter, exceeds 2^48 ticks.
    TooLong,
    /// The work allowed was used up.
    BudgetSpent,
}

/// What is known of one callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// From its arrival to its end, no job takes longer.
    pub bound: Ticks,
    /// Its jobs arrive at most so much later than a pattern without jitter.
    pub jitter: Ticks,
}

/// What is known of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainBound {
    /// From the arrival of the first callback to the end of the last; or why there is no bound.
    pub at_most: Result<Ticks, NoBound>,
    /// Some job takes at least so long: all callbacks run for their cost, and all messages take their delay.
    pub at_least: Ticks,
    /// What is required.
    pub deadline: Option<Ticks>,
}

impl ChainBound {
    /// Is the deadline met? `None` where there is none.
    pub fn verdict(&self) -> Option<Verdict> {
        let deadline = self.deadline?;
        Some(match self.at_most {
            Ok(bound) if bound <= deadline => Verdict::Proven,
            _ if self.at_least > deadline => Verdict::Disproven,
            _ => Verdict::Unknown,
        })
    }
}

/// The responses of all callbacks, in order.
pub fn responses(set: &ExecutorSet, budget: &mut Budget) -> Vec<Result<Response, NoBound>> {
    let count = set.callbacks.len();
    let of = |executor: usize| (0..count).filter(move |&index| set.callbacks[index].executor == executor);
    let members: Vec<Vec<usize>> = (0..set.executors.len()).map(|executor| of(executor).collect()).collect();
    let patterns: Vec<Burst> = (0..count).map(|index| pattern(set, index)).collect();
    let mut found = at_first(set, &members, &patterns);
    let mut jitters: Vec<Ticks> = set.callbacks.iter().map(|callback| own_jitter(&callback.activation)).collect();
    loop {
        for (executor, members) in members.iter().enumerate() {
            if members.iter().any(|&index| found[index].is_err()) {
                continue;
            }
            let thread = thread(set, executor, members, &patterns, &jitters);
            for (at, &index) in members.iter().enumerate() {
                found[index] = match thread.response(at, budget) {
                    Ok(bound) => Ok(Response { bound, jitter: jitters[index] }),
                    Err(Pending::Spent) => Err(NoBound::BudgetSpent),
                    Err(Pending::TooLong) => Err(NoBound::TooLong),
                };
            }
        }
        // A callback that one without a bound activates has none, and so has none on its executor.
        spread(set, &mut found);
        let mut is_settled = true;
        for (index, callback) in set.callbacks.iter().enumerate() {
            let Activator::Callback { by, delay, .. } = callback.activation else { continue };
            let Ok(before) = found[by] else { continue };
            let sum = u128::from(jitters[by]) + u128::from(before.bound) + u128::from(delay);
            let Some(jitter) = Ticks::try_from(sum).ok().filter(|&jitter| jitter <= TICKS_MAX) else {
                is_settled &= found[index].is_err();
                found[index] = Err(NoBound::TooLong);
                continue;
            };
            is_settled &= jitters[index] >= jitter;
            jitters[index] = jitters[index].max(jitter);
        }
        if is_settled || found.iter().all(Result::is_err) {
            return found;
        }
        if budget.spend(count as u64).is_err() {
            return found.into_iter().map(|one| one.and(Err(NoBound::BudgetSpent))).collect();
        }
    }
}

/// What is known of `chain`, given the responses of all callbacks.
pub fn chain(set: &ExecutorSet, chain: &CallbackChain, responses: &[Result<Response, NoBound>]) -> ChainBound {
    let delay = |index: usize| match set.callbacks[index].activation {
        Activator::Callback { delay, .. } => delay,
        _ => 0,
    };
    let delays: u128 = chain.callbacks.iter().skip(1).map(|&index| u128::from(delay(index))).sum();
    let costs: u128 = chain.callbacks.iter().map(|&index| u128::from(set.callbacks[index].cost)).sum();
    let sum = chain.callbacks.iter().try_fold(delays, |sum, &index| Ok(sum + u128::from(responses[index]?.bound)));
    let at_most = sum.and_then(|sum| Ticks::try_from(sum).map_err(|_| NoBound::TooLong));
    ChainBound { at_most, at_least: Ticks::try_from(delays + costs).unwrap_or(Ticks::MAX), deadline: chain.deadline }
}

/// The pattern of each callback's arrivals without jitter: its own, or that of the first callback that activates it.
fn pattern(set: &ExecutorSet, index: usize) -> Burst {
    match &set.callbacks[index].activation {
        Activator::Timer { period } => Burst { jobs: 1, within: *period, distance: *period },
        Activator::External { arrivals, .. } => *arrivals,
        // No callback activates itself, so this ends.
        Activator::Callback { by, .. } => pattern(set, *by),
    }
}

/// The jitter that the file states; that of a callback which another one activates is found.
fn own_jitter(activation: &Activator) -> Ticks {
    if let Activator::External { jitter, .. } = activation { *jitter } else { 0 }
}

fn thread(set: &ExecutorSet, executor: usize, members: &[usize], patterns: &[Burst], jitters: &[Ticks]) -> Thread {
    let arrivals = |&index: &usize| {
        let burst = patterns[index];
        let task = Task { jitter: jitters[index], ..Task::implicit(set.callbacks[index].cost, burst.within) };
        Arrivals::of(&task, Some(burst))
    };
    Thread {
        kind: set.executors[executor].kind,
        service: Service::of(set.executors[executor].supply),
        costs: members.iter().map(|&index| set.callbacks[index].cost).collect(),
        arrivals: members.iter().map(arrivals).collect(),
        is_timer: members
            .iter()
            .map(|&index| matches!(set.callbacks[index].activation, Activator::Timer { .. }))
            .collect(),
    }
}

/// Before any response is known: no bound for the callbacks of overloaded executors, and for all that depend on them.
fn at_first(set: &ExecutorSet, members: &[Vec<usize>], patterns: &[Burst]) -> Vec<Result<Response, NoBound>> {
    let mut found = vec![Ok(Response { bound: 0, jitter: 0 }); set.callbacks.len()];
    for (executor, (named, members)) in set.executors.iter().zip(members).enumerate() {
        let share = |&index: &usize| {
            let Burst { jobs, within, .. } = patterns[index];
            // A product above 2^64 saturates; divided by at most 2^48 it still exceeds every capacity.
            (set.callbacks[index].cost.saturating_mul(jobs), within)
        };
        let capacity =
            named.supply.map_or(Some(Ratio::ONE), |supply| Ratio::new(supply.budget.into(), supply.period.into()));
        let capacity = capacity.unwrap_or(Ratio::ZERO);
        let is_late = |&index: &usize| {
            let activation = &set.callbacks[index].activation;
            matches!(activation, Activator::Callback { .. }) || own_jitter(activation) > 0
        };
        let has_gaps = named.supply.is_some_and(|supply| supply.budget < supply.period);
        let is_short = match compare_sum(members.iter().map(share), capacity) {
            Ordering::Greater => true,
            // All of its time is needed, so what a gap of the supply or a jitter delays is never made up for.
            Ordering::Equal => has_gaps || members.iter().any(is_late),
            Ordering::Less => false,
        };
        if is_short {
            members.iter().for_each(|&index| found[index] = Err(NoBound::Overloaded(executor)));
        }
    }
    spread(set, &mut found);
    found
}

/// No bound for those that one without a bound activates, and none for all on the executor of one without.
fn spread(set: &ExecutorSet, found: &mut [Result<Response, NoBound>]) {
    loop {
        let mut is_settled = true;
        for index in 0..found.len() {
            let Err(why) = found[index] else { continue };
            for (other, callback) in set.callbacks.iter().enumerate() {
                let is_activated = matches!(callback.activation, Activator::Callback { by, .. } if by == index);
                let shares = callback.executor == set.callbacks[index].executor;
                if found[other].is_ok() && (is_activated || shares) {
                    found[other] = Err(if shares { why } else { NoBound::Activated(index) });
                    is_settled = false;
                }
            }
        }
        if is_settled {
            return;
        }
    }
}
