//! From one look at a run to the next: what was granted and is so no longer, and who came to run above the followed threads.
//!
//! Pure: looks come in with their times, changes come out. Whoever looks ([`super::Follower`]) reads the machine.

use crate::rivals::{self, Rival};
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_core::time::Offset;
use prazo_sys::scheduling::{SCHED_DEADLINE, SchedAttr};
use std::collections::BTreeMap;

/// Of each kind so many changes are kept; those beyond are counted.
pub(crate) const KEPT: usize = 5;

/// Whom to follow.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The measured processors.
    pub cpus: Vec<u32>,
    /// The threads.
    pub threads: Vec<FollowedThread>,
    /// The priority from which on a foreign real-time thread is a rival.
    pub rival_priority: u32,
    /// The threads change their own affinity all the time, so that a changed one says nothing of other programs.
    pub move_themselves: bool,
}

/// One thread that is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowedThread {
    /// What it is called in a sentence: `the measuring thread on processor 1`.
    pub name: String,
    /// The kernel's number of it; 0 for one that was never set up.
    pub id: i32,
}

impl FollowedThread {
    /// The thread that measures a processor.
    pub(crate) fn measuring((cpu, id): (u32, i32)) -> Self {
        Self { name: format!("the measuring thread on processor {cpu}"), id }
    }
}

/// What one look shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    /// The followed threads, in their order; `None` for one that cannot be read, as when it has ended.
    pub threads: Vec<Option<State>>,
    /// The processors that are online; `None` where that cannot be read.
    pub online: Option<CpuSet>,
    /// Real-time threads of others that the measuring ones do not preempt; `None` where this look left them out.
    pub rivals: Option<Vec<Rival>>,
}

/// What the kernel grants one measuring thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Its policy and parameters.
    pub granted: SchedAttr,
    /// Where it may run.
    pub affinity: CpuSet,
}

/// Policy and parameters, as `sched_getattr(2)` reads them; a newer kernel answers a runtime for other policies, too, which is
/// no grant.
pub(crate) fn is_same_grant(one: &SchedAttr, other: &SchedAttr) -> bool {
    let reserved = |a: &SchedAttr| (a.policy == SCHED_DEADLINE).then_some((a.runtime_ns, a.deadline_ns, a.period_ns));
    let parameters = |a: &SchedAttr| (a.policy, a.priority, a.nice, reserved(a));
    parameters(one) == parameters(other)
}

/// As people read it: `fifo priority 80`, `other, nice 5`.
pub(crate) fn in_words(granted: &SchedAttr) -> String {
    let nice = if granted.nice == 0 { String::new() } else { format!(", nice {}", granted.nice) };
    granted.in_a_record() + &nice
}

/// When something changed, from the common start on: between two looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct When {
    /// The last look that did not show it.
    pub after: Offset,
    /// The first look that did.
    pub seen: Offset,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// The instant.
    pub when: When,
    /// The changed setting.
    pub what: ChangedSetting,
}

/// What changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChangedSetting {
    /// A followed thread's policy or parameters.
    Policy {
        /// What it is called.
        name: String,
        /// What it had.
        from: SchedAttr,
        /// What it has.
        to: SchedAttr,
    },
    /// Where a followed thread may run.
    Affinity {
        /// What it is called.
        name: String,
        /// Where it might run.
        from: CpuSet,
        /// Where it may.
        to: CpuSet,
    },
    /// A measured processor.
    Processor {
        /// The processor.
        cpu: u32,
        /// True where it came back.
        online: bool,
    },
    /// A real-time thread of another program, at or above the followed threads, on a measured processor.
    Rival(Rival),
}

/// What can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ChangeKind {
    /// [`ChangedSetting::Policy`].
    Policy,
    /// [`ChangedSetting::Affinity`].
    Affinity,
    /// [`ChangedSetting::Processor`].
    Processor,
    /// [`ChangedSetting::Rival`].
    Rival,
}

impl ChangedSetting {
    fn kind(&self) -> ChangeKind {
        match self {
            Self::Policy { .. } => ChangeKind::Policy,
            Self::Affinity { .. } => ChangeKind::Affinity,
            Self::Processor { .. } => ChangeKind::Processor,
            Self::Rival(_) => ChangeKind::Rival,
        }
    }
}

/// All changes of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// The first of each kind, in the order in which they were seen.
    pub kept: Vec<Change>,
    /// How many more of a kind were seen, and when the last.
    pub more: BTreeMap<ChangeKind, (u64, Offset)>,
}

/// Compares each look with the one before.
#[derive(Debug)]
pub(crate) struct Comparison {
    cpus: Vec<u32>,
    names: Vec<String>,
    move_themselves: bool,
    threads: Vec<Option<State>>,
    online: Vec<bool>,
    known: BTreeMap<i32, (u32, u32)>,
    looked: Offset,
    looked_at_rivals: Offset,
    changes: Changes,
}

impl Comparison {
    /// Everything is held against this first look.
    pub(crate) fn with(followed: &Followed, first: Look, at: Offset) -> Self {
        let mut comparison = Self {
            move_themselves: followed.move_themselves,
            names: followed.threads.iter().map(|thread| thread.name.clone()).collect(),
            threads: first.threads,
            online: vec![true; followed.cpus.len()],
            cpus: followed.cpus.clone(),
            known: BTreeMap::new(),
            looked: at,
            looked_at_rivals: at,
            changes: Changes::default(),
        };
        let measured = comparison.measured();
        let near = first.rivals.into_iter().flatten().filter(|rival| rival.may_run_on(measured));
        comparison.known = near.map(|rival| (rival.thread_id, (rival.policy, rival.priority))).collect();
        comparison
    }

    /// Takes the next look.
    pub(crate) fn take(&mut self, look: Look, at: Offset) {
        let when = When { after: self.looked, seen: at };
        for (place, now) in look.threads.into_iter().enumerate() {
            // A thread that cannot be read has ended with its run.
            let (Some(before), Some(now)) = (self.threads[place], now) else { continue };
            self.compare(place, before, now, when);
            self.threads[place] = Some(now);
        }
        if let Some(online) = look.online {
            self.compare_online(online, when);
        }
        if let Some(rivals) = look.rivals {
            self.compare_rivals(rivals, When { after: self.looked_at_rivals, seen: at });
            self.looked_at_rivals = at;
        }
        self.looked = at;
    }

    /// What changed during the run.
    pub(crate) fn finish(self) -> Changes {
        self.changes
    }

    fn compare(&mut self, place: usize, before: State, now: State, when: When) {
        let name = || self.names[place].clone();
        let policy = (!is_same_grant(&before.granted, &now.granted)).then(|| ChangedSetting::Policy {
            name: name(),
            from: before.granted,
            to: now.granted,
        });
        let affinity = (!self.move_themselves && before.affinity != now.affinity).then(|| ChangedSetting::Affinity {
            name: name(),
            from: before.affinity,
            to: now.affinity,
        });
        policy.into_iter().chain(affinity).for_each(|what| self.keep(when, what));
    }

    fn compare_online(&mut self, online: CpuSet, when: When) {
        for place in 0..self.cpus.len() {
            let cpu = self.cpus[place];
            let is_online = Cpu::new(cpu).is_some_and(|cpu| online.contains(cpu));
            if std::mem::replace(&mut self.online[place], is_online) != is_online {
                self.keep(when, ChangedSetting::Processor { cpu, online: is_online });
            }
        }
    }

    /// Reported once, and again where its policy or priority has become another since.
    fn compare_rivals(&mut self, rivals: Vec<Rival>, when: When) {
        let measured = self.measured();
        for rival in rivals.into_iter().filter(|rival| rival.may_run_on(measured)) {
            let has = (rival.policy, rival.priority);
            let had = self.known.insert(rival.thread_id, has);
            if had.is_none_or(|had| rivals::is_more_urgent(has, had)) {
                self.keep(when, ChangedSetting::Rival(rival));
            }
        }
    }

    fn measured(&self) -> Option<CpuSet> {
        CpuSet::from_cpus(self.cpus.iter().filter_map(|cpu| Cpu::new(*cpu)))
    }

    fn keep(&mut self, when: When, what: ChangedSetting) {
        let kind = what.kind();
        if self.changes.kept.iter().filter(|kept| kept.what.kind() == kind).count() < KEPT {
            self.changes.kept.push(Change { when, what });
        } else {
            let (count, last) = self.changes.more.entry(kind).or_insert((0, when.seen));
            (*count, *last) = (*count + 1, when.seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::plan::Policy;
    use prazo_sys::scheduling::SCHED_FIFO;

    fn at(ms: i64) -> Offset {
        Offset::from_ns(ms * 1_000_000)
    }

    fn state(policy: Policy, affinity: &str) -> Option<State> {
        let granted = policy.attributes(1_000_000);
        Some(State { granted, affinity: affinity.parse().unwrap() })
    }

    fn look(policy: Policy, affinity: &str, online: &str) -> Look {
        Look { threads: vec![state(policy, affinity)], online: online.parse().ok(), rivals: Some(Vec::new()) }
    }

    fn rival(thread_id: i32, priority: u32, cpus: &str) -> Rival {
        let cpus = cpus.parse().ok();
        Rival { process_id: 7, thread_id, name: "spin".into(), policy: SCHED_FIFO, priority, cpus }
    }

    fn followed() -> Followed {
        let thread = FollowedThread { name: "one".into(), id: 7 };
        Followed { cpus: vec![1], threads: vec![thread], rival_priority: 80, move_themselves: false }
    }

    const OURS: Policy = Policy::Fifo { priority: 80 };

    #[test]
    fn a_thread_that_moves_itself_is_not_reported_as_moved() {
        for move_themselves in [false, true] {
            let followed = Followed { move_themselves, ..followed() };
            let mut comparison = Comparison::with(&followed, look(OURS, "1", "0-1"), at(0));
            comparison.take(look(OURS, "0", "0-1"), at(250));
            comparison.take(look(Policy::Fifo { priority: 7 }, "0", "0-1"), at(500));
            let changes = comparison.finish().kept;
            let kinds: Vec<ChangeKind> = changes.iter().map(|change| change.what.kind()).collect();
            let expected = [ChangeKind::Affinity, ChangeKind::Policy];
            assert_eq!(kinds, expected[usize::from(move_themselves)..]);
        }
    }

    #[test]
    fn a_run_that_stays_what_it_was_has_no_change() {
        let mut comparison = Comparison::with(&followed(), look(OURS, "1", "0-1"), at(0));
        comparison.take(look(OURS, "1", "0-1"), at(250));
        comparison.take(Look { threads: vec![None], ..Look::default() }, at(500));
        assert_eq!(comparison.finish(), Changes::default());
    }

    #[test]
    fn each_change_lies_between_two_looks() {
        let mut comparison = Comparison::with(&followed(), look(OURS, "1", "0-1"), at(0));
        comparison.take(look(OURS, "1", "0-1"), at(250));
        comparison.take(look(Policy::Other, "0-1", "0"), at(500));
        comparison.take(look(Policy::Other, "0-1", "0-1"), at(750));
        let changes = comparison.finish().kept;
        let when = When { after: at(250), seen: at(500) };
        let (from, to) = (state(OURS, "1").unwrap(), state(Policy::Other, "0-1").unwrap());
        let expected = [
            Change { when, what: ChangedSetting::Policy { name: "one".into(), from: from.granted, to: to.granted } },
            Change {
                when,
                what: ChangedSetting::Affinity { name: "one".into(), from: from.affinity, to: to.affinity },
            },
            Change { when, what: ChangedSetting::Processor { cpu: 1, online: false } },
            Change {
                when: When { after: at(500), seen: at(750) },
                what: ChangedSetting::Processor { cpu: 1, online: true },
            },
        ];
        assert_eq!(changes, expected);
    }

    #[test]
    fn a_rival_is_told_once_where_it_may_run_on_a_measured_processor() {
        let with = |rivals: Vec<Rival>| Look { rivals: Some(rivals), ..look(OURS, "1", "0-1") };
        let mut comparison = Comparison::with(&followed(), with(vec![rival(10, 90, "0-1"), rival(11, 90, "0")]), at(0));
        let started = vec![rival(10, 90, "0-1"), rival(11, 90, "0"), rival(12, 99, "1")];
        comparison.take(with(started.clone()), at(250));
        comparison.take(Look { rivals: None, ..look(OURS, "1", "0-1") }, at(500));
        comparison.take(with(started), at(750));
        comparison.take(with(vec![rival(10, 99, "0-1"), rival(11, 90, "1")]), at(1_000));
        let noticed: Vec<(Offset, ChangedSetting)> =
            comparison.finish().kept.into_iter().map(|change| (change.when.seen, change.what)).collect();
        let expected = [
            (at(250), ChangedSetting::Rival(rival(12, 99, "1"))),
            (at(1_000), ChangedSetting::Rival(rival(10, 99, "0-1"))),
            (at(1_000), ChangedSetting::Rival(rival(11, 90, "1"))),
        ];
        assert_eq!(noticed, expected);
    }

    #[test]
    fn what_is_not_kept_is_counted() {
        let mut comparison = Comparison::with(&followed(), look(OURS, "1", "0-1"), at(0));
        for number in 1..=KEPT as i64 + 7 {
            let policy = if number % 2 == 0 { OURS } else { Policy::Other };
            comparison.take(look(policy, "1", "0-1"), at(number));
        }
        let Changes { kept, more } = comparison.finish();
        assert_eq!((kept.len(), more), (KEPT, BTreeMap::from([(ChangeKind::Policy, (7, at(KEPT as i64 + 7)))])));
    }
}
