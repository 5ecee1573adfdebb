//! Rules that the end of a section follows its beginning in whatever thread of a process: each process has its own account.
//!
//! Processors write their records side by side, so that two of different threads may come in the wrong order. They are taken in by
//! their instants, a moment later. That records of a thread were lost is known only with its next one: what was taken for broken
//! meanwhile is taken back, because the lost record may have been the end.

use super::account::Limits;
use super::follows::{Followed, Follows};
use super::places::Reached;
use super::record::PlaceReached;
use super::rules::{ActivationRule, Tally};
use super::thread::{follow_rules, hold_followed};
use std::collections::{BTreeMap, VecDeque};

/// How one process kept one rule about any of its threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenProcess {
    /// The process.
    pub process_id: u32,
    /// The rule, by its place.
    pub rule: usize,
    /// How it was kept.
    pub tally: Tally,
    /// Beginnings of which it is not known whether the end followed.
    pub unseen: u64,
}

/// One process and one rule.
#[derive(Debug, Default)]
struct Kept {
    follows: Follows,
    tally: Tally,
    /// Beginnings that were not followed in time, oldest first: a loss may still explain them.
    overdue: VecDeque<Followed>,
    /// Beginnings that a lost record may have followed.
    taken_back: u64,
}

/// So many breaches, the latest of each process and rule, can be taken back.
const OVERDUE: usize = 65_536;

impl Kept {
    fn hold(
        tally: &mut Tally,
        overdue: &mut VecDeque<Followed>,
        one: Followed,
        rule: &ActivationRule,
        limits: &Limits,
    ) {
        let broken = tally.broken;
        hold_followed(tally, rule, limits.began_ns, one);
        if tally.broken > broken {
            if overdue.len() == OVERDUE {
                overdue.pop_front();
            }
            overdue.push_back(one);
        }
    }

    /// Records were lost between two instants: what had to be followed then may have been.
    fn lost(&mut self, (since_ns, at_ns): (u64, u64), limit_ns: u64) {
        self.follows.lost();
        let Self { tally, overdue, taken_back, .. } = self;
        overdue.retain(|one| {
            let may_be_followed = one.at_ns < at_ns && one.at_ns.saturating_add(limit_ns) > since_ns;
            if may_be_followed {
                tally.take_back(one.number);
                *taken_back += 1;
            }
            !may_be_followed
        });
    }
}

/// What the processes reached.
#[derive(Debug, Default)]
pub(super) struct Processes {
    accounts: BTreeMap<(u32, usize), Kept>,
    /// What was reached, until its order is certain; where records were lost before it, since when.
    waiting: Vec<(PlaceReached, Option<u64>)>,
}

impl Processes {
    /// A thread reached a place; `lost_since_ns` is when it reached the one before, where records were lost in between.
    pub(super) fn reached(&mut self, at: PlaceReached, lost_since_ns: Option<u64>, limits: &Limits) {
        let has_rule = |section| follow_rules(limits, section, true).next().is_some();
        let is_held = match limits.places.reached(at.place) {
            Some(Reached::Begin(number) | Reached::End(number)) => has_rule(number),
            _ => false,
        };
        if is_held || lost_since_ns.is_some() {
            self.waiting.push((at, lost_since_ns));
        }
    }

    /// Takes in what was reached until then.
    pub(super) fn take_in(&mut self, until_ns: u64, limits: &Limits) {
        self.waiting.sort_by_key(|(at, _)| at.at_ns);
        let settled = self.waiting.partition_point(|(at, _)| at.at_ns <= until_ns);
        let settled: Vec<(PlaceReached, Option<u64>)> = self.waiting.drain(..settled).collect();
        for (at, lost_since_ns) in settled {
            if let Some(since_ns) = lost_since_ns {
                self.lost(at.process_id, (since_ns, at.at_ns), limits);
            }
            let (number, is_begin) = match limits.places.reached(at.place) {
                Some(Reached::Begin(number)) => (number, true),
                Some(Reached::End(number)) => (number, false),
                _ => continue,
            };
            for (place, rule, limit_ns) in follow_rules(limits, number, true) {
                let Kept { follows, tally, overdue, .. } = self.accounts.entry((at.process_id, place)).or_default();
                let each = |one: Followed| Kept::hold(tally, overdue, one, rule, limits);
                match is_begin {
                    true => follows.begin(at.at_ns, limit_ns, each),
                    false => follows.end(at.at_ns, limit_ns, each),
                }
            }
        }
    }

    /// What was lost may have been of any section.
    fn lost(&mut self, process_id: u32, span: (u64, u64), limits: &Limits) {
        for section in 0..limits.places.sections.len() {
            for (place, _, limit_ns) in follow_rules(limits, section, true) {
                self.accounts.entry((process_id, place)).or_default().lost(span, limit_ns);
            }
        }
    }

    /// Nothing more comes.
    pub(super) fn finish(&mut self, now_ns: u64, limits: &Limits) {
        self.take_in(u64::MAX, limits);
        for section in 0..limits.places.sections.len() {
            for (place, rule, limit_ns) in follow_rules(limits, section, true) {
                let of_rule = self.accounts.iter_mut().filter(|((_, of), _)| *of == place);
                for (_, Kept { follows, tally, overdue, .. }) in of_rule {
                    follows.passed(now_ns, limit_ns, |one| Kept::hold(tally, overdue, one, rule, limits));
                }
            }
        }
    }

    /// How each process kept each rule.
    pub(super) fn seen(&self) -> Vec<SeenProcess> {
        let seen = |(&(process_id, rule), kept): (&(u32, usize), &Kept)| SeenProcess {
            process_id,
            rule,
            tally: kept.tally.clone(),
            unseen: kept.follows.unseen + kept.taken_back,
        };
        self.accounts.iter().map(seen).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::places::Places;
    use super::super::rules::{About, Condition};
    use super::*;

    #[test]
    fn an_end_in_another_thread_follows_although_its_record_came_first() {
        let condition = Condition::Follows { limit_ns: 100, any_thread: true };
        let limits = Limits {
            rules: vec![ActivationRule { about: About::Section(0), condition, after_ns: 0 }],
            places: Places { sections: vec!["a..b".parse().unwrap()], others: Vec::new() },
            ..Limits::default()
        };
        let mut processes = Processes::default();
        let mut reached = |process_id, thread_id, place, at_ns| {
            let at = PlaceReached { process_id, thread_id, place, at_ns, ..PlaceReached::default() };
            processes.reached(at, None, &limits);
        };
        // Process 7 keeps the rule at 1,000 and breaks it at 2,000; 8 has no end at all.
        for (process, thread, place, at) in
            [(7, 72, 1, 1_090), (7, 71, 0, 1_000), (7, 71, 0, 2_000), (7, 72, 1, 2_101), (8, 81, 0, 1_000)]
        {
            reached(process, thread, place, at);
        }
        processes.take_in(1_500, &limits);
        assert_eq!(processes.seen()[0].tally.checked, 1);
        processes.finish(3_000, &limits);
        let seen: Vec<_> =
            processes.seen().iter().map(|one| (one.process_id, one.tally.checked, one.tally.broken)).collect();
        assert_eq!(seen, [(7, 2, 1), (8, 1, 1)]);
    }

    #[test]
    fn a_breach_that_a_lost_record_may_explain_is_taken_back() {
        const MS: u64 = 1_000_000;
        let condition = Condition::Follows { limit_ns: 2 * MS, any_thread: true };
        let limits = Limits {
            rules: vec![ActivationRule { about: About::Section(0), condition, after_ns: 0 }],
            places: Places { sections: vec!["a..b".parse().unwrap(), "c..d".parse().unwrap()], others: Vec::new() },
            ..Limits::default()
        };
        let mut processes = Processes::default();
        let mut reached = |thread_id, place, at_ms, lost_since_ns| {
            let at = PlaceReached { process_id: 7, thread_id, place, at_ns: at_ms * MS, ..PlaceReached::default() };
            processes.reached(at, lost_since_ns, &limits);
            processes.take_in(at_ms * MS, &limits);
            let seen = &processes.seen()[0];
            (seen.tally.broken, seen.unseen)
        };
        // Thread 71 begins; the end in thread 72, 1 ms later, is lost, and what is lost is known only at 16.
        assert_eq!(reached(72, 1, 5, None), (0, 0));
        assert_eq!(reached(71, 0, 10, None), (0, 0));
        assert_eq!(reached(71, 0, 15, None), (1, 0));
        let (broken, unseen) = reached(72, 1, 16, Some(5 * MS));
        assert_eq!((broken, unseen >= 1), (0, true));
        // What is broken behind the loss stays broken.
        reached(71, 0, 20, None);
        assert_eq!(reached(72, 1, 25, None).0, 1);
        // The record behind the loss may be of another section.
        assert_eq!(reached(72, 2, 26, Some(20 * MS)).0, 0);
        let seen = &processes.seen()[0];
        assert_eq!((seen.tally.checked, seen.tally.first.len()), (0, 0));
    }
}
