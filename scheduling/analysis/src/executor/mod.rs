//! ROS 2 executors: how long callbacks and chains of callbacks take, on threads that run one callback after the other.
//!
//! A job of a callback arrives when its timer is due or its message is there, and runs to its end without being preempted by other callbacks
//! of its executor. The executor's thread has a whole processor or a supply. Each callback has a densest pattern of arrivals; one that
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
use prazo_core::behaviour::{Burst, Supply};
use prazo_core::ratio::Ratio;
use prazo_core::verdict::Verdict;
use prazo_scenario::executors::{Activator, CallbackChain, ExecutorSet};
use response::{Pending, Thread};
use std::cmp::Ordering;
use std::collections::VecDeque;

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
    let followers = followers(set);
    let mut found = at_first(set, &members, &patterns, &followers);
    let mut jitters: Vec<Ticks> = set.callbacks.iter().map(|callback| own_jitter(&callback.activation)).collect();
    loop {
        // Each pass looks at all callbacks: on their threads, for those without a bound, for their jitters.
        if budget.spend(3 * count as u64).is_err() {
            return found.into_iter().map(|one| one.and(Err(NoBound::BudgetSpent))).collect();
        }
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
        spread(set, &members, &followers, &mut found);
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
        order: set.executors[executor].order,
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
fn at_first(
    set: &ExecutorSet,
    members: &[Vec<usize>],
    patterns: &[Burst],
    followers: &[Vec<usize>],
) -> Vec<Result<Response, NoBound>> {
    let mut found = vec![Ok(Response { bound: 0, jitter: 0 }); set.callbacks.len()];
    for (executor, (named, members)) in set.executors.iter().zip(members).enumerate() {
        let work = |&index: &usize| {
            let Burst { jobs, within, .. } = patterns[index];
            // A product above 2^64 saturates; divided by at most 2^48 it still exceeds every rate.
            (set.callbacks[index].cost.saturating_mul(jobs), within)
        };
        let rate = named.supply.map_or(Ratio::ONE, Supply::rate);
        let is_late = |&index: &usize| {
            let activation = &set.callbacks[index].activation;
            matches!(activation, Activator::Callback { .. }) || own_jitter(activation) > 0
        };
        let has_gaps = named.supply.is_some_and(|supply| !supply.is_whole());
        let is_short = match compare_sum(members.iter().map(work), rate) {
            Ordering::Greater => true,
            // All of its time is needed, so what a gap of the supply or a jitter delays is never made up for.
            Ordering::Equal => has_gaps || members.iter().any(is_late),
            Ordering::Less => false,
        };
        if is_short {
            members.iter().for_each(|&index| found[index] = Err(NoBound::Overloaded(executor)));
        }
    }
    spread(set, members, followers, &mut found);
    found
}

/// The callbacks that each callback activates.
fn followers(set: &ExecutorSet) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new(); set.callbacks.len()];
    for (index, callback) in set.callbacks.iter().enumerate() {
        if let Activator::Callback { by, .. } = callback.activation {
            all[by].push(index);
        }
    }
    all
}

/// No bound for those that one without a bound activates, and none for all on the executor of one without.
///
/// Each callback and each executor is looked at once.
fn spread(
    set: &ExecutorSet,
    members: &[Vec<usize>],
    followers: &[Vec<usize>],
    found: &mut [Result<Response, NoBound>],
) {
    let mut open: VecDeque<usize> = (0..found.len()).filter(|&index| found[index].is_err()).collect();
    let mut is_done = vec![false; members.len()];
    while let Some(index) = open.pop_front() {
        let Err(why) = found[index] else { continue };
        let executor = set.callbacks[index].executor;
        let sharing: &[usize] = if is_done[executor] { &[] } else { &members[executor] };
        is_done[executor] = true;
        let sharing = sharing.iter().map(|&other| (other, why));
        let activated = followers[index].iter().map(|&other| (other, NoBound::Activated(index)));
        for (other, why) in sharing.chain(activated) {
            if found[other].is_ok() {
                found[other] = Err(why);
                open.push_back(other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_scenario::executors::{ExecutorKind, NamedCallback, NamedExecutor, SubscriptionOrder};

    /// All pairs again and again, until none changes.
    fn without_a_bound(set: &ExecutorSet, first: &[bool]) -> Vec<bool> {
        let mut all = first.to_vec();
        let count = all.len();
        for _ in 0..count {
            for (index, other) in (0..count).flat_map(|index| (0..count).map(move |other| (index, other))) {
                let shares = set.callbacks[index].executor == set.callbacks[other].executor;
                let by = &set.callbacks[other].activation;
                let is_activated = matches!(by, Activator::Callback { by, .. } if *by == index);
                all[other] |= all[index] && (shares || is_activated);
            }
        }
        all
    }

    #[test]
    fn those_without_a_bound_are_those_that_all_pairs_show() {
        let mut random = fastrand::Rng::with_seed(33);
        for _ in 0..300 {
            let (executors, count) = (random.usize(1..=6), random.usize(1..=12));
            let executor = |index| NamedExecutor {
                name: format!("e{index}"),
                kind: ExecutorKind::Events,
                order: SubscriptionOrder::Any,
                supply: None,
                supply_words: None,
            };
            let mut set = ExecutorSet { executors: (0..executors).map(executor).collect(), ..ExecutorSet::default() };
            for index in 0..count {
                let activation = match index.checked_sub(1) {
                    Some(last) if random.bool() => {
                        Activator::Callback { topic: String::new(), by: random.usize(0..=last), delay: 0 }
                    }
                    _ => Activator::Timer { period: 9 },
                };
                let executor = random.usize(0..executors);
                set.callbacks.push(NamedCallback {
                    name: String::new(),
                    executor,
                    cost: 1,
                    activation,
                    publishes: vec![],
                });
            }
            let members: Vec<Vec<usize>> = (0..executors)
                .map(|executor| (0..count).filter(|&index| set.callbacks[index].executor == executor).collect())
                .collect();
            let first: Vec<bool> = (0..count).map(|_| random.u8(0..6) == 0).collect();
            let unknown = |is_unknown: &bool| match is_unknown {
                true => Err(NoBound::TooLong),
                false => Ok(Response { bound: 1, jitter: 0 }),
            };
            let mut found: Vec<_> = first.iter().map(unknown).collect();
            spread(&set, &members, &followers(&set), &mut found);
            let found: Vec<bool> = found.iter().map(Result::is_err).collect();
            assert_eq!(found, without_a_bound(&set, &first), "{set:?} {first:?}");
        }
    }
}
