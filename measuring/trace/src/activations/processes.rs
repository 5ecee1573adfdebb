//! Rules that the end of a section follows its beginning in whatever thread of a process: each process has its own account.
//!
//! Processors write their records side by side, so that two of different threads may come in the wrong order. They are taken in by
//! their instants, a moment later.

use super::account::Limits;
use super::follows::{Followed, Follows};
use super::places::Reached;
use super::record::PlaceReached;
use super::rules::Tally;
use super::thread::{follow_rules, hold_followed};
use std::collections::BTreeMap;

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

/// What the processes reached.
#[derive(Debug, Default)]
pub(super) struct Processes {
    accounts: BTreeMap<(u32, usize), (Follows, Tally)>,
    /// What was reached, until its order is certain; true where records were lost before it.
    waiting: Vec<(PlaceReached, bool)>,
}

impl Processes {
    /// A thread reached a place.
    pub(super) fn reached(&mut self, at: PlaceReached, was_lost: bool, limits: &Limits) {
        let section = match limits.places.reached(at.place) {
            Some(Reached::Begin(number) | Reached::End(number)) => number,
            _ => return,
        };
        if follow_rules(limits, section, true).next().is_some() {
            self.waiting.push((at, was_lost));
        }
    }

    /// Takes in what was reached until then.
    pub(super) fn take_in(&mut self, until_ns: u64, limits: &Limits) {
        self.waiting.sort_by_key(|(at, _)| at.at_ns);
        let settled = self.waiting.partition_point(|(at, _)| at.at_ns <= until_ns);
        let settled: Vec<(PlaceReached, bool)> = self.waiting.drain(..settled).collect();
        for (at, was_lost) in settled {
            let (number, is_begin) = match limits.places.reached(at.place) {
                Some(Reached::Begin(number)) => (number, true),
                Some(Reached::End(number)) => (number, false),
                _ => continue,
            };
            for (place, rule, limit_ns) in follow_rules(limits, number, true) {
                let (follows, tally) = self.accounts.entry((at.process_id, place)).or_default();
                if was_lost {
                    follows.lost();
                }
                let each = |one: Followed| hold_followed(tally, rule, limits.began_ns, one);
                match is_begin {
                    true => follows.begin(at.at_ns, limit_ns, each),
                    false => follows.end(at.at_ns, limit_ns, each),
                }
            }
        }
    }

    /// Nothing more comes.
    pub(super) fn finish(&mut self, now_ns: u64, limits: &Limits) {
        self.take_in(u64::MAX, limits);
        for section in 0..limits.places.sections.len() {
            for (place, rule, limit_ns) in follow_rules(limits, section, true) {
                let of_rule = self.accounts.iter_mut().filter(|((_, of), _)| *of == place);
                for (_, (follows, tally)) in of_rule {
                    follows.passed(now_ns, limit_ns, |one| hold_followed(tally, rule, limits.began_ns, one));
                }
            }
        }
    }

    /// How each process kept each rule.
    pub(super) fn seen(&self) -> Vec<SeenProcess> {
        let seen = |(&(process_id, rule), (follows, tally)): (&(u32, usize), &(Follows, Tally))| SeenProcess {
            process_id,
            rule,
            tally: tally.clone(),
            unseen: follows.unseen,
        };
        self.accounts.iter().map(seen).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::places::Places;
    use super::super::rules::{About, ActivationRule, Condition};
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
            processes.reached(at, false, &limits);
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
}
