//! Who took a thread's time, over all its activations: counts and sums by name, with bounded memory; pure.

use super::culprit::{Accounting, CauseKind, Culprit, TakenKey};
use super::rounded::kept;
use prazo_run::watched::{MissCauses, MissesBy, TakenBy, TimeTaken};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Names that are told apart; what comes later is counted with the others.
const NAMES: usize = 256;
/// Responses of late activations that are kept apart, for the causes to be counted again with another deadline.
const RESPONSES: usize = 8_192;
/// Names that are shown.
const SHOWN: usize = 10;

/// Who took the time of one thread's activations, and who made them late.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    preempted: Table,
    blocked: Table,
    /// Activations for which the processors' events were read.
    pub with_events: u64,
    culprits: BTreeSet<(CauseKind, String)>,
    /// By the response, as histograms keep it.
    late: BTreeMap<(i64, CauseKind, Who), u64>,
    /// The longest ones, where there are too many of those: they are late with any deadline that is likely.
    longest: BTreeMap<(CauseKind, Who), u64>,
    /// The shortest of the longest.
    longest_from_ns: Option<i64>,
}

/// Who made an activation late.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    /// Nobody is known.
    Unknown,
    Named(String),
    /// One for whose name there is no room.
    Other,
}

/// A count and a sum for each name.
#[derive(Clone, Debug, Default)]
struct Table {
    by: BTreeMap<TakenKey, Sum>,
    others: Sum,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    count: u64,
    ns: u64,
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.ns += other.ns;
    }
}

impl Taken {
    /// Takes in where the time of one activation went.
    pub(super) fn account(&mut self, found: &Accounting, with_events: bool) {
        self.with_events += u64::from(with_events);
        self.preempted.add(&found.preempted);
        self.blocked.add(&found.blocked);
    }

    /// Counts one that missed its deadline after this response.
    pub(super) fn missed(&mut self, by: &Culprit, response_ns: u64) {
        // A program that is its own culprit is named when somebody asks: many are named after they were started.
        let who = if by.cause == CauseKind::Program { Some(String::new()) } else { by.who.clone() };
        let who = who.map_or(Who::Unknown, |who| self.named(by.cause, who));
        *self.late.entry((kept(response_ns), by.cause, who)).or_default() += 1;
        while self.late.len() > RESPONSES {
            let Some(((response_ns, cause, who), count)) = self.late.pop_last() else { break };
            *self.longest.entry((cause, who)).or_default() += count;
            self.longest_from_ns = Some(self.longest_from_ns.map_or(response_ns, |from_ns| from_ns.min(response_ns)));
        }
    }

    fn named(&mut self, cause: CauseKind, who: String) -> Who {
        let key = (cause, who);
        if self.culprits.len() >= NAMES && !self.culprits.contains(&key) {
            return Who::Other;
        }
        let who = Who::Named(key.1.clone());
        self.culprits.insert(key);
        who
    }

    /// The causes of `missed` activations of the thread `name`. With `recounted_ns` those are the activations behind this deadline
    /// alone; a late one may have been found with another, before the period was known better. Whatever has no cause is unknown.
    pub(super) fn causes(&self, missed: u64, recounted_ns: Option<u64>, name: &str) -> MissCauses {
        let is_behind = |response_ns: i64| recounted_ns.is_none_or(|deadline| response_ns > kept(deadline));
        let mut by_key: BTreeMap<(CauseKind, &Who), u64> = BTreeMap::new();
        let late = self.late.iter().filter(|((response_ns, ..), _)| is_behind(*response_ns));
        let late = late.map(|((_, cause, who), count)| ((*cause, who), count));
        let longest = self.longest.iter().filter(|_| self.longest_from_ns.is_some_and(is_behind));
        let longest = longest.map(|((cause, who), count)| ((*cause, who), count));
        late.chain(longest).for_each(|(key, count)| *by_key.entry(key).or_default() += count);
        let explained: u64 = by_key.values().sum();
        let mut by_cause: BTreeMap<String, u64> = BTreeMap::new();
        let (mut by_who, mut others, mut named) = (Vec::new(), 0, 0);
        for ((cause, who), count) in by_key {
            *by_cause.entry(cause.name().to_owned()).or_default() += count;
            named += if *who == Who::Unknown { 0 } else { count };
            match who {
                Who::Unknown => {}
                Who::Other => others += count,
                Who::Named(who) => {
                    let who = if cause == CauseKind::Program { name.to_owned() } else { who.clone() };
                    by_who.push(MissesBy { cause: cause.name().into(), who, count });
                }
            }
        }
        if missed > explained {
            *by_cause.entry(CauseKind::Unknown.name().into()).or_default() += missed - explained;
        }
        by_who.sort_by_key(|one| Reverse(one.count));
        let beyond: u64 = by_who.drain(by_who.len().min(SHOWN)..).map(|one| one.count).sum();
        MissCauses { by_cause, by_who, others: others + beyond, unnamed: missed.max(explained).saturating_sub(named) }
    }

    /// What ran while the thread could have run, and what interrupted it.
    pub(super) fn preempted_by(&self) -> TimeTaken {
        self.preempted.shown()
    }

    /// What the thread was blocked in.
    pub(super) fn blocked_in(&self) -> TimeTaken {
        self.blocked.shown()
    }
}

impl Table {
    fn add(&mut self, found: &BTreeMap<TakenKey, u64>) {
        for (key, ns) in found {
            let has_room = self.by.len() < NAMES || self.by.contains_key(key);
            let sum = if has_room { self.by.entry(key.clone()).or_default() } else { &mut self.others };
            sum.add(Sum { count: 1, ns: *ns });
        }
    }

    fn shown(&self) -> TimeTaken {
        let mut all: Vec<(&TakenKey, &Sum)> = self.by.iter().collect();
        all.sort_by_key(|(_, sum)| Reverse(sum.ns));
        let mut others = self.others;
        all.drain(all.len().min(SHOWN)..).for_each(|(_, sum)| others.add(*sum));
        let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let by = |(key, sum): (&TakenKey, &Sum)| TakenBy {
            cause: key.cause.name().into(),
            wait: some(&key.wait),
            who: some(&key.who),
            count: sum.count,
            total_ns: sum.ns,
        };
        TimeTaken { by: all.into_iter().map(by).collect(), others: others.count, others_ns: others.ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn culprit(cause: CauseKind, who: Option<&str>) -> Culprit {
        Culprit { cause, who: who.map(str::to_owned), sentence: String::new() }
    }

    #[test]
    fn every_missed_activation_is_counted_by_cause_and_by_name() {
        let mut taken = Taken::default();
        for _ in 0..3 {
            taken.missed(&culprit(CauseKind::Program, Some("sh")), 1_000);
            taken.missed(&culprit(CauseKind::Unknown, None), 1_000);
        }
        for number in 0..2 * NAMES {
            taken.missed(&culprit(CauseKind::Thread, Some(&format!("t{number}"))), 1_000);
        }
        let missed = 2 * NAMES as u64 + 8;
        let found = taken.causes(missed, None, "ctl");
        assert_eq!(found.by_cause.values().sum::<u64>(), missed);
        assert_eq!(
            (found.by_cause["unknown"], found.by_cause["program"]),
            (5, 3),
            "two were late before that was known"
        );
        assert_eq!((found.by_who[0].who.as_str(), found.by_who[0].count), ("ctl", 3));
        let named: u64 = found.by_who.iter().map(|one| one.count).sum();
        assert_eq!((found.by_who.len(), named + found.others + found.unnamed, found.unnamed), (SHOWN, missed, 5));
        assert!(taken.culprits.len() <= NAMES, "memory is bounded");
    }

    #[test]
    fn causes_are_those_of_the_activations_that_missed_the_last_deadline() {
        let mut taken = Taken::default();
        // Late against 1,000 ns, which was taken for the period until 1,010 ns was found.
        for response_ns in [1_001, 1_005, 1_010, 1_011, 5_000] {
            taken.missed(&culprit(CauseKind::Thread, Some("hog")), response_ns);
        }
        let found = taken.causes(2, Some(1_010), "ctl");
        assert_eq!((found.by_cause["thread"], found.by_who[0].count, found.unnamed), (2, 2, 0));
        assert_eq!(taken.causes(5, None, "ctl").by_cause["thread"], 5);
        // Memory is bounded, and the longest are still counted.
        let many = 2 * RESPONSES as u64;
        (0..many).for_each(|number| taken.missed(&culprit(CauseKind::Stall, None), 6_000 + number));
        assert!(taken.late.len() <= RESPONSES);
        let found = taken.causes(many + 2, Some(1_010), "ctl");
        assert_eq!((found.by_cause["stall"], found.by_cause.values().sum::<u64>()), (many, many + 2));
        // With so long a deadline it is not known which of the longest missed it.
        let found = taken.causes(10, Some(6_000 + many - 11), "ctl");
        assert_eq!((found.by_cause["unknown"], found.by_cause.len(), found.unnamed), (10, 1, 10));
    }

    #[test]
    fn those_who_took_most_are_shown_and_the_rest_is_summed() {
        let mut taken = Taken::default();
        for number in 0..3 * NAMES as u64 {
            let who = format!("t{number}");
            let key = TakenKey { cause: CauseKind::Thread, wait: String::new(), who };
            let mut found = Accounting::default();
            found.preempted.insert(key, number + 1);
            taken.account(&found, number % 2 == 0);
        }
        let found = taken.preempted_by();
        let all: u64 = found.by.iter().map(|one| one.total_ns).sum::<u64>() + found.others_ns;
        let expected: u64 = (1..=3 * NAMES as u64).sum();
        assert_eq!((found.by.len(), found.by[0].total_ns, all), (SHOWN, NAMES as u64, expected));
        assert_eq!(found.others + SHOWN as u64, 3 * NAMES as u64);
        assert_eq!((taken.with_events, taken.blocked_in()), (3 * NAMES as u64 / 2, TimeTaken::default()));
    }
}
