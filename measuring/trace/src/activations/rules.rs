//! Rules about activations, held against each one as it ends; pure.
//!
//! A rule is one condition. Each thread has a tally of each rule: how many activations it was held against, how many broke it, and
//! the first of those with what was seen.

use super::activation::Activation;
use super::body::Body;
use super::calls;
use super::record::Off;
use prazo_core::text::{counted, grouped};

/// Breaches of one rule by one thread that are kept.
const KEPT: usize = 10;

/// What an activation must be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It runs at most this many nanoseconds after it was due.
    Latency(u64),
    /// It waits again at most this many nanoseconds after it was due.
    Response(u64),
    /// It computes for at most this many nanoseconds, interrupts included.
    Execution(u64),
    /// It takes no page fault, whether that reads a file or not.
    NoPageFault,
    /// It takes no page fault that reads a file or swap.
    NoMajorPageFault,
    /// It continues on the processor that it left.
    NoMigration,
    /// It never loses its processor while it can run.
    NoPreemption,
    /// It blocks in these system calls only; none of them means that it never blocks.
    BlocksOnlyIn(Vec<String>),
}

/// A condition, and from when on it applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivationRule {
    /// The condition.
    pub condition: Condition,
    /// Activations that were released earlier are not held against it: nanoseconds after the watch began.
    pub after_ns: u64,
}

/// An activation that broke a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Its number among the served, from 0.
    pub number: u64,
    /// When it was due, on the wait's own clock; when it was released, on CLOCK_MONOTONIC, where nothing is due.
    pub at_ns: i64,
    /// What was seen, as in "was blocked for 120 µs in read".
    pub seen: String,
}

/// One rule against one thread's activations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Activations that it was held against.
    pub checked: u64,
    /// Those that broke it.
    pub broken: u64,
    /// The first of those, at most ten.
    pub first: Vec<Breach>,
}

/// Holds an activation that has ended against all rules; `tallies` is as long as `rules`. `began_ns` is when the watch began.
pub(super) fn hold(
    rules: &[ActivationRule],
    tallies: &mut [Tally],
    began_ns: u64,
    activation: &Activation,
    body: &Body,
    offs: &[&Off],
) {
    for (rule, tally) in rules.iter().zip(tallies) {
        if activation.released_ns < began_ns + rule.after_ns {
            continue;
        }
        let Some(breach) = broken_by(&rule.condition, activation, body, offs) else { continue };
        tally.checked += 1;
        if let Some(seen) = breach {
            tally.broken += 1;
            if tally.first.len() < KEPT {
                let at_ns = activation.due_own_ns.unwrap_or(activation.released_ns as i64);
                tally.first.push(Breach { number: activation.number, at_ns, seen });
            }
        }
    }
}

/// Holds an activation that has not ended against what it may still break: it has already responded too late, or not yet at all.
pub(super) fn hold_unfinished(rules: &[ActivationRule], tallies: &mut [Tally], began_ns: u64, activation: &Activation) {
    let is_late = |rule: &&ActivationRule| matches!(rule.condition, Condition::Response(limit) if activation.response_ns() > limit);
    for (rule, tally) in rules.iter().zip(tallies) {
        if is_late(&rule) {
            hold(std::slice::from_ref(rule), std::slice::from_mut(tally), began_ns, activation, &Body::default(), &[]);
        }
    }
}

/// `None` where the condition says nothing about this activation, `Some(None)` where it holds, else what broke it.
fn broken_by(condition: &Condition, activation: &Activation, body: &Body, offs: &[&Off]) -> Option<Option<String>> {
    let us = |ns: u64| grouped(ns / 1_000);
    let beyond = |what: &str, ns: u64, limit: u64| (ns > limit).then(|| format!("{what} {} µs", us(ns)));
    let some = |count: u64, what: &str| (count > 0).then(|| format!("took {}", counted(count, what)));
    let times = |what: &str, count: u64| (count > 0).then(|| format!("{what} {}", counted(count, "time")));
    let faults = activation.faults;
    Some(match condition {
        Condition::Latency(limit) => {
            activation.due_own_ns?;
            beyond("ran after", activation.latency_ns(), *limit)
        }
        Condition::Response(limit) => {
            activation.due_own_ns?;
            beyond("waited again after", activation.response_ns(), *limit)
        }
        Condition::Execution(limit) => beyond("computed for", body.own_ns, *limit),
        Condition::NoPageFault => some(u64::from(faults.minor) + u64::from(faults.major), "page fault"),
        Condition::NoMajorPageFault => some(faults.major.into(), "major page fault"),
        Condition::NoMigration => times("migrated", body.migrations),
        Condition::NoPreemption => times("was preempted", body.preemptions),
        Condition::BlocksOnlyIn(allowed) => offs.iter().find_map(|off| blocked_elsewhere(off, activation, allowed)),
    })
}

/// Where a thread was blocked within its activation, unless that is allowed.
fn blocked_elsewhere(off: &Off, activation: &Activation, allowed: &[String]) -> Option<String> {
    let is_within = off.off_ns >= activation.released_ns && off.off_ns < activation.end_ns;
    if off.state == 0 || !is_within {
        return None;
    }
    let call = off.call.map_or_else(|| "no system call, as at a page fault".to_owned(), calls::name);
    if allowed.contains(&call) {
        return None;
    }
    let blocked_ns = off.waking_ns.clamp(off.off_ns, off.on_ns) - off.off_ns;
    Some(format!("was blocked for {} µs in {call}", grouped(blocked_ns / 1_000)))
}

/// True for the name of a system call that is known here.
pub fn is_system_call(name: &str) -> bool {
    calls::names().any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::super::record::Faults;
    use super::*;

    fn held(condition: Condition, activation: Activation, body: Body, offs: &[&Off]) -> Tally {
        let mut tallies = [Tally::default()];
        hold(&[ActivationRule { condition, after_ns: 500 }], &mut tallies, 1_000, &activation, &body, offs);
        let [tally] = tallies;
        tally
    }

    fn activation() -> Activation {
        Activation {
            due_own_ns: Some(1_600),
            from_ns: 1_600,
            released_ns: 1_700,
            end_ns: 2_600,
            ..Activation::default()
        }
    }

    fn outcome(condition: Condition, activation: Activation, body: Body, offs: &[&Off]) -> (u64, u64) {
        let tally = held(condition, activation, body, offs);
        assert_eq!(tally.first.len() as u64, tally.broken);
        (tally.checked, tally.broken)
    }

    #[test]
    fn a_limit_is_broken_only_beyond_it_and_takes_a_due_instant() {
        let response = |limit| outcome(Condition::Response(limit), activation(), Body::default(), &[]);
        assert_eq!([response(1_000), response(999)], [(1, 0), (1, 1)]);
        let latency = |limit| outcome(Condition::Latency(limit), activation(), Body::default(), &[]);
        assert_eq!([latency(100), latency(99)], [(1, 0), (1, 1)]);
        let execution =
            |limit| outcome(Condition::Execution(limit), activation(), Body { own_ns: 70, ..Body::default() }, &[]);
        assert_eq!([execution(70), execution(69)], [(1, 0), (1, 1)]);
        let relative = Activation { due_own_ns: None, ..activation() };
        assert_eq!(outcome(Condition::Response(1), relative, Body::default(), &[]), (0, 0));
        assert_eq!(outcome(Condition::NoMigration, relative, Body::default(), &[]), (1, 0));
    }

    #[test]
    fn what_has_not_ended_breaks_a_response_that_has_passed_and_nothing_else() {
        let rule = |condition| ActivationRule { condition, after_ns: 0 };
        let rules = [rule(Condition::Response(999)), rule(Condition::Response(1_000)), rule(Condition::Execution(0))];
        let mut tallies = [Tally::default(), Tally::default(), Tally::default()];
        hold_unfinished(&rules, &mut tallies, 0, &activation());
        assert_eq!(tallies.map(|tally| (tally.checked, tally.broken)), [(1, 1), (0, 0), (0, 0)]);
    }

    #[test]
    fn start_up_is_left_out() {
        let early = Activation { released_ns: 1_499, ..activation() };
        assert_eq!(outcome(Condition::Response(0), early, Body::default(), &[]), (0, 0));
        let first = Activation { released_ns: 1_500, ..activation() };
        assert_eq!(outcome(Condition::Response(0), first, Body::default(), &[]), (1, 1));
    }

    #[test]
    fn faults_migrations_and_preemptions_are_counted_each_for_itself() {
        let faulted = Activation { faults: Faults { minor: 2, major: 0, took_ns: 9 }, ..activation() };
        assert_eq!(outcome(Condition::NoPageFault, faulted, Body::default(), &[]), (1, 1));
        assert_eq!(outcome(Condition::NoMajorPageFault, faulted, Body::default(), &[]), (1, 0));
        assert_eq!(held(Condition::NoPageFault, faulted, Body::default(), &[]).first[0].seen, "took 2 page faults");
        let moved = Body { migrations: 1, ..Body::default() };
        assert_eq!(held(Condition::NoMigration, activation(), moved, &[]).first[0].seen, "migrated 1 time");
        assert_eq!(outcome(Condition::NoPreemption, activation(), moved, &[]), (1, 0));
    }

    #[test]
    fn a_block_within_the_activation_is_named_and_the_own_wait_is_none() {
        let call = |number: libc::c_long| Some(number as u32);
        let wait = Off {
            off_ns: 1_500,
            waking_ns: 1_690,
            on_ns: 1_695,
            state: 1,
            call: call(libc::SYS_read),
            ..Off::default()
        };
        let block = Off { off_ns: 1_800, waking_ns: 1_802, on_ns: 1_803, ..wait.clone() };
        let next = Off { off_ns: 2_600, waking_ns: 2_700, on_ns: 2_701, ..wait.clone() };
        let only = |allowed: &[&str], offs: &[&Off]| {
            let allowed = allowed.iter().map(|&name| name.to_owned()).collect();
            outcome(Condition::BlocksOnlyIn(allowed), activation(), Body::default(), offs)
        };
        assert_eq!(only(&["futex"], &[&wait, &next]), (1, 0));
        assert_eq!(only(&["futex"], &[&wait, &block]), (1, 1));
        assert_eq!(only(&["futex", "read"], &[&wait, &block]), (1, 0));
        let preempted = Off { state: 0, ..block };
        assert_eq!(only(&[], &[&preempted]), (1, 0));
    }

    #[test]
    fn names_of_system_calls_are_known() {
        assert!(is_system_call("clock_nanosleep") && is_system_call("futex") && !is_system_call("no_such_call"));
    }
}
