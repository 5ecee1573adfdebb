//! Rules about activations, held against each one as it ends; pure.
//!
//! A rule is one condition. Each thread has a tally of each rule: how many activations it was held against, how many broke it, and
//! the first of those with what was seen.

use super::activation::Activation;
use super::body::Body;
use super::calls;
use super::record::Off;
use prazo_core::text::{counted, grouped};
use std::collections::BTreeMap;

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
    /// It makes these system calls only.
    CallsOnly(Vec<String>),
    /// It makes none of these system calls.
    CallsNone(Vec<String>),
    /// It reaches none of these other places, by their numbers and names.
    ReachesNone(Vec<(usize, String)>),
    /// Each time that the section begins, its end is reached at most this many nanoseconds later.
    Follows {
        /// The limit.
        limit_ns: u64,
        /// In whatever thread of the process; else in the same.
        any_thread: bool,
    },
}

impl Condition {
    /// It takes every system call of a thread to know.
    pub(super) fn is_about_calls(&self) -> bool {
        matches!(self, Self::CallsOnly(_) | Self::CallsNone(_))
    }
}

/// What a rule is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum About {
    /// Activations: from one wait to the next.
    #[default]
    Activations,
    /// This section, each time that it is passed.
    Section(usize),
}

/// A condition, and from when on it applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivationRule {
    /// What it is about.
    pub about: About,
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
    /// Activations that it could not be held against, because a place was not looked at yet.
    pub unseen: u64,
    /// The first that broke it, at most ten.
    pub first: Vec<Breach>,
}

impl Tally {
    /// One more that it was held against; what broke it, where it did.
    pub(super) fn hold(&mut self, number: u64, at_ns: i64, breach: Option<String>) {
        self.checked += 1;
        let Some(seen) = breach else { return };
        self.broken += 1;
        if self.first.len() < KEPT {
            self.first.push(Breach { number, at_ns, seen });
        }
    }

    /// Whether this one broke it is not known after all.
    pub(super) fn take_back(&mut self, number: u64) {
        self.checked -= 1;
        self.broken -= 1;
        self.first.retain(|breach| breach.number != number);
    }
}

/// What a thread did within an activation.
#[derive(Clone, Copy)]
pub(super) struct Deeds<'a> {
    pub body: &'a Body,
    /// Its stretches off a processor.
    pub offs: &'a [&'a Off],
    /// The system calls that it made, with the first instant of each; 0 where that is not known. Only where a rule asks.
    pub calls: &'a BTreeMap<u32, u64>,
    /// The other places that it reached, and how often.
    pub reached: &'a BTreeMap<usize, u64>,
    /// Since when each other place is looked at in its process.
    pub looked_at: &'a BTreeMap<usize, u64>,
}

impl Deeds<'_> {
    /// Nothing.
    pub(super) const NOTHING: Self = Self {
        body: &Body { own_ns: 0, preempted_ns: 0, preemptions: 0, blocked_ns: 0, migrations: 0 },
        offs: &[],
        calls: &BTreeMap::new(),
        reached: &BTreeMap::new(),
        looked_at: &BTreeMap::new(),
    };

    /// True where all that a condition asks for was looked at during an activation.
    fn are_seen(&self, condition: &Condition, activation: &Activation) -> bool {
        let Condition::ReachesNone(places) = condition else { return true };
        let since = |place: &usize| self.looked_at.get(place).is_some_and(|since| *since <= activation.released_ns);
        places.iter().all(|(place, _)| since(place))
    }
}

/// The rules, and what they are held against.
#[derive(Clone, Copy)]
pub(super) struct Held<'a> {
    pub rules: &'a [ActivationRule],
    /// What is held against them.
    pub about: About,
    /// When the watch began.
    pub began_ns: u64,
}

impl Held<'_> {
    /// Holds an activation that has ended against all rules; there is a tally for each rule.
    pub(super) fn hold(self, tallies: &mut [Tally], activation: &Activation, deeds: Deeds<'_>) {
        for (rule, tally) in self.rules.iter().zip(tallies).filter(|(rule, _)| rule.about == self.about) {
            if activation.released_ns < self.began_ns + rule.after_ns {
                continue;
            }
            match broken_by(rule, activation, deeds) {
                Some(None) if !deeds.are_seen(&rule.condition, activation) => tally.unseen += 1,
                Some(breach) => {
                    let at_ns = activation.due_own_ns.unwrap_or(activation.released_ns as i64);
                    tally.hold(activation.number, at_ns, breach);
                }
                None => {}
            }
        }
    }

    /// Holds one that has not ended against what it may still break: it has already responded too late, or not yet at all.
    pub(super) fn hold_unfinished(self, tallies: &mut [Tally], activation: &Activation) {
        let is_late = |rule: &&ActivationRule| matches!(rule.condition, Condition::Response(limit) if activation.response_ns() > limit);
        for (rule, tally) in self.rules.iter().zip(tallies).filter(|(rule, _)| is_late(rule)) {
            Self { rules: std::slice::from_ref(rule), ..self }.hold(
                std::slice::from_mut(tally),
                activation,
                Deeds::NOTHING,
            );
        }
    }
}

/// `None` where the condition says nothing about this activation, `Some(None)` where it holds, else what broke it.
fn broken_by(rule: &ActivationRule, activation: &Activation, deeds: Deeds<'_>) -> Option<Option<String>> {
    let Deeds { body, offs, calls, reached, .. } = deeds;
    let us = |ns: u64| grouped(ns / 1_000);
    let beyond = |what: &str, ns: u64, limit: u64| (ns > limit).then(|| format!("{what} {} µs", us(ns)));
    let some = |count: u64, what: &str| (count > 0).then(|| format!("took {}", counted(count, what)));
    let times = |what: &str, count: u64| (count > 0).then(|| format!("{what} {}", counted(count, "time")));
    let faults = activation.faults;
    let responded = if rule.about == About::Activations { "waited again after" } else { "took" };
    Some(match &rule.condition {
        Condition::Latency(limit) => {
            activation.due_own_ns?;
            beyond("ran after", activation.latency_ns(), *limit)
        }
        Condition::Response(limit) => {
            activation.due_own_ns?;
            beyond(responded, activation.response_ns(), *limit)
        }
        Condition::Execution(limit) => beyond("computed for", body.own_ns, *limit),
        Condition::NoPageFault => some(u64::from(faults.minor) + u64::from(faults.major), "page fault"),
        Condition::NoMajorPageFault => some(faults.major.into(), "major page fault"),
        Condition::NoMigration => times("migrated", body.migrations),
        Condition::NoPreemption => times("was preempted", body.preemptions),
        Condition::BlocksOnlyIn(allowed) => offs.iter().find_map(|off| blocked_elsewhere(off, activation, allowed)),
        Condition::CallsOnly(allowed) => called(calls, activation, |name| !allowed.contains(name)),
        Condition::CallsNone(forbidden) => called(calls, activation, |name| forbidden.contains(name)),
        Condition::ReachesNone(places) => places.iter().find_map(|(place, name)| {
            let count = reached.get(place)?;
            Some(format!("reached {name} {}", counted(*count, "time")))
        }),
        // Its beginnings are held against it, not its passes.
        Condition::Follows { .. } => return None,
    })
}

/// The system calls within an activation that break a rule.
fn called(calls: &BTreeMap<u32, u64>, activation: &Activation, is_wrong: impl Fn(&String) -> bool) -> Option<String> {
    let within = calls.iter().filter(|(_, first_ns)| **first_ns < activation.end_ns);
    let wrong: Vec<String> = within.map(|(call, _)| calls::name(*call)).filter(is_wrong).collect();
    (!wrong.is_empty()).then(|| format!("called {}", wrong.join(", ")))
}

/// Where a thread was blocked within its activation, unless that is allowed.
fn blocked_elsewhere(off: &Off, activation: &Activation, allowed: &[String]) -> Option<String> {
    let is_within = off.off_ns >= activation.released_ns && off.off_ns < activation.end_ns;
    if off.state == 0 || !is_within {
        return None;
    }
    let call =
        off.call.map_or_else(|| "code outside of any system call, for example at a page fault".to_owned(), calls::name);
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
        held_against(condition, &activation, Deeds { body: &body, offs, ..Deeds::NOTHING })
    }

    fn held_against(condition: Condition, activation: &Activation, deeds: Deeds<'_>) -> Tally {
        let mut tallies = [Tally::default()];
        let rules = [ActivationRule { about: About::Activations, condition, after_ns: 500 }];
        Held { rules: &rules, about: About::Activations, began_ns: 1_000 }.hold(&mut tallies, activation, deeds);
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
        let rule = |condition| ActivationRule { about: About::Activations, condition, after_ns: 0 };
        let rules = [rule(Condition::Response(999)), rule(Condition::Response(1_000)), rule(Condition::Execution(0))];
        let mut tallies = [Tally::default(), Tally::default(), Tally::default()];
        let held = Held { rules: &rules, about: About::Activations, began_ns: 0 };
        held.hold_unfinished(&mut tallies, &activation());
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
        let block = Off { off_ns: 1_800, waking_ns: 1_802, on_ns: 1_803, ..wait };
        let next = Off { off_ns: 2_600, waking_ns: 2_700, on_ns: 2_701, ..wait };
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
    fn system_calls_and_places_within_the_activation_are_named_and_its_end_is_none_of_them() {
        let (write, mmap, read) = (libc::SYS_write as u32, libc::SYS_mmap as u32, libc::SYS_read as u32);
        // The wait that ends the activation begins with a read.
        let calls = BTreeMap::from([(write, 0), (mmap, 1_800), (read, 2_600)]);
        let reached = BTreeMap::from([(1, 3)]);
        let looked_at = BTreeMap::from([(0, 1_700), (1, 1_700), (2, 1_701)]);
        let deeds = Deeds { calls: &calls, reached: &reached, looked_at: &looked_at, ..Deeds::NOTHING };
        let seen = |condition| held_against(condition, &activation(), deeds).first.pop().map(|breach| breach.seen);
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(seen(Condition::CallsOnly(names(&["write"]))).as_deref(), Some("called mmap"));
        assert_eq!(seen(Condition::CallsOnly(names(&["write", "mmap"]))), None);
        assert_eq!(seen(Condition::CallsNone(names(&["mmap", "brk"]))).as_deref(), Some("called mmap"));
        let places = |all: &[(usize, &str)]| all.iter().map(|(place, name)| (*place, (*name).to_owned())).collect();
        let broken = seen(Condition::ReachesNone(places(&[(0, "free"), (1, "malloc")])));
        assert_eq!(broken.as_deref(), Some("reached malloc 3 times"));
        assert_eq!(seen(Condition::ReachesNone(places(&[(0, "free")]))), None);
        // A place that was not looked at from the release on may have been reached.
        let counts = |all| {
            let tally = held_against(Condition::ReachesNone(places(all)), &activation(), deeds);
            (tally.checked, tally.broken, tally.unseen)
        };
        assert_eq!(counts(&[(0, "free")]), (1, 0, 0));
        assert_eq!([counts(&[(0, "free"), (2, "late")]), counts(&[(3, "never")])], [(0, 0, 1); 2]);
        assert_eq!(counts(&[(1, "malloc"), (2, "late")]), (1, 1, 0));
    }

    #[test]
    fn a_rule_about_a_section_is_not_about_activations() {
        let rule = |about| ActivationRule { about, condition: Condition::Response(1), after_ns: 0 };
        let rules = [rule(About::Activations), rule(About::Section(0)), rule(About::Section(1))];
        let mut tallies = [Tally::default(), Tally::default(), Tally::default()];
        let deeds = Deeds::NOTHING;
        Held { rules: &rules, about: About::Section(0), began_ns: 0 }.hold(&mut tallies, &activation(), deeds);
        assert_eq!(tallies.each_ref().map(|tally| tally.checked), [0, 1, 0]);
        assert_eq!(tallies[1].first[0].seen, "took 1 µs");
    }

    #[test]
    fn names_of_system_calls_are_known() {
        assert!(is_system_call("clock_nanosleep") && is_system_call("futex") && !is_system_call("no_such_call"));
    }
}
