//! One followed thread: its records, one after the other, become activations of each kind of wait that it has.
//!
//! A program does not say which of its waits is its period. So each kind has an account of its own, in which every other wait
//! is a block within an activation; at the end the account that looks most like a period is the thread's.

use super::account::{Account, Declared, EndedActivation, Limits};
use super::activation::Activation;
use super::calls::{self, Meaning};
use super::deadline::{Budget, Replenishments};
use super::follows::{Followed, Follows};
use super::parts::{Latency, joined};
use super::places::Reached;
use super::record::{Call, Faults, Lock, Off, PlaceReached};
use super::rules::{About, ActivationRule, Condition, Tally};
use super::section::SectionAccount;
use super::timers::{Offsets, TimerRead, Timers};
use super::wait::{self, Due, Ended, Rule, Source};
use prazo_core::text::grouped;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Kinds of waits of one thread that have accounts.
const KINDS: usize = 12;
/// Stretches that are kept although nothing that is open needs them, and at most.
const STRETCHES: (usize, usize) = (64, 4_096);
/// An account is a thread's own only from so many activations on.
const SERVED_MIN: u64 = 3;
/// And where it has at least this part of those of the most frequent wait: one in twenty.
const RARE: u64 = 20;

/// A wait for files that is over, until it is known whether a timer ended it.
#[derive(Clone, Debug)]
struct FilesWait {
    name: String,
    enter_ns: u64,
    exit_ns: u64,
    sleep: Option<Off>,
}

/// A followed thread.
#[derive(Debug)]
pub(super) struct Thread {
    /// Tells it from every other thread that was followed, also from one of the same number.
    pub serial: u64,
    pub id: u32,
    pub process: u32,
    pub name: String,
    pub accounts: Vec<Account>,
    /// Those sections that it reached, by their places among the sections of the watch.
    pub sections: BTreeMap<usize, SectionAccount>,
    /// Since when each other place is looked at in its process.
    looked_at: BTreeMap<usize, u64>,
    /// What has to follow the beginnings of sections, by rule.
    follows: BTreeMap<usize, Follows>,
    /// When it reached its latest place; 0 before the first.
    pub place_ns: u64,
    /// Places whose records were lost.
    pub lost_places: u64,
    /// Its latest stretches off a processor, oldest first.
    pub offs: VecDeque<Off>,
    /// Calls whose records were lost.
    pub lost: u64,
    /// Stretches whose records were lost.
    pub lost_offs: u64,
    /// When it began to be followed, of a thread that was there when the watch began. Others are found later, after they have
    /// done something.
    pub from_start_ns: Option<u64>,
    /// When the system call returned that it was in when it began to be followed.
    pub first_return_ns: Option<u64>,
    /// Waits that found no account.
    pub uncounted: u64,
    pub is_over: bool,
    /// Its kernel priority when it last waited: below 100 is real-time, and -1 a deadline's.
    pub priority: Option<i16>,
    /// It is followed since it was started: what returns first is the call that started it.
    pub is_born: bool,
    /// Of a deployed task: its limits, instead of those of the watch. It keeps the task's name.
    pub task: Option<Arc<Limits>>,
    /// Of its latest call; the kernel's side counts from 1.
    number: u32,
    /// Of the latest place that it reached.
    place_number: u32,
    files: Option<FilesWait>,
    replenishments: Replenishments,
    faults: Faults,
}

/// An activation that is over, with what is needed to find who took its time.
#[derive(Clone, Debug)]
pub(super) struct Late {
    pub serial: u64,
    pub thread: u32,
    pub part: Part,
    pub activation: Activation,
    pub offs: Vec<Off>,
    pub typical_own_ns: u64,
    pub is_unfinished: bool,
    /// It missed its deadline.
    pub is_late: bool,
    /// It is one of the worst so far.
    pub is_worst: bool,
}

impl Late {
    /// Somebody wants to know its cause.
    pub(super) fn is_explained(&self) -> bool {
        self.is_late || self.is_worst
    }
}

/// What a thread does again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// It waits: one of its waits, of which the first that was seen is 0.
    Wait(usize),
    /// It passes a section, by its place among the sections of the watch.
    Section(usize),
}

/// The wait of one thread that is its period, or a section that it passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ThreadPart {
    /// Tells the thread from every other one of this watch, also from one of the same number.
    pub serial: u64,
    /// What it does.
    pub part: Part,
}

/// What a call is read with.
pub(super) struct Context<'a> {
    pub timers: &'a mut Timers,
    pub offsets: &'a Offsets,
    pub limits: &'a Limits,
}

impl Thread {
    /// A thread of which nothing was seen yet.
    pub(super) fn new(serial: u64, id: u32, process: u32, name: String) -> Self {
        Self {
            serial,
            id,
            process,
            name,
            accounts: Vec::new(),
            sections: BTreeMap::new(),
            looked_at: BTreeMap::new(),
            follows: BTreeMap::new(),
            place_ns: 0,
            lost_places: 0,
            offs: VecDeque::new(),
            lost: 0,
            lost_offs: 0,
            from_start_ns: None,
            first_return_ns: None,
            uncounted: 0,
            is_over: false,
            priority: None,
            is_born: false,
            task: None,
            number: 0,
            place_number: 0,
            files: None,
            replenishments: Replenishments::default(),
            faults: Faults::default(),
        }
    }

    /// It is back on a processor.
    pub(super) fn off(&mut self, off: Off) {
        self.lost_offs = off.lost.into();
        if off.state != 0 {
            self.priority = Some(off.priority);
        }
        let all = self.accounts.iter().chain(self.sections.values().map(|section| &section.account));
        let needed_ns = all.filter_map(|account| account.open).map(|open| open.from_ns.min(open.wait_ns)).min();
        let is_needed = |off: &Off| needed_ns.is_some_and(|needed| off.on_ns >= needed);
        while self.offs.len() >= STRETCHES.1
            || self.offs.len() > STRETCHES.0 && self.offs.front().is_some_and(|off| !is_needed(off))
        {
            self.offs.pop_front();
        }
        self.offs.push_back(off);
    }

    /// A system call returned; the activations that are over.
    pub(super) fn call(&mut self, call: &Call, context: &mut Context<'_>) -> Vec<Late> {
        self.count_lost(call);
        self.faults = call.faults;
        if call.enter_ns == 0 {
            if !self.is_born {
                self.first_return_ns.get_or_insert(call.exit_ns);
            }
            return Vec::new();
        }
        if calls::meaning(call.call) == Meaning::Futex {
            let within = self.offs.iter_mut().rev().take_while(|off| off.on_ns >= call.enter_ns);
            let lock = Lock::of(call);
            within.filter(|off| off.off_ns >= call.enter_ns && off.state != 0).for_each(|off| off.lock = lock);
        }
        let (late, own) = self.meant(call, context);
        if context.limits.asks_for_calls() {
            let others = self.accounts.iter_mut().enumerate().filter(|(place, _)| own != Some(*place));
            let accounts = others.map(|(_, account)| account);
            let all = accounts.chain(self.sections.values_mut().map(|section| &mut section.account));
            all.for_each(|account| account.called(call.call, call.enter_ns));
        }
        late
    }

    /// System calls without records of their own were made before the next call that has one, or the next place.
    pub(super) fn made(&mut self, calls: &[u32]) {
        for account in self.accounts.iter_mut().chain(self.sections.values_mut().map(|section| &mut section.account)) {
            calls.iter().filter(|call| !calls::is_of_probe(**call)).for_each(|call| account.called(*call, 0));
        }
    }

    /// What a call means; the activations that are over, and the account whose wait it was.
    fn meant(&mut self, call: &Call, context: &mut Context<'_>) -> (Vec<Late>, Option<usize>) {
        match calls::meaning(call.call) {
            Meaning::TimerfdCreate => context.timers.created(call),
            Meaning::TimerfdSettime => context.timers.set(call),
            Meaning::Close => context.timers.closed(call),
            Meaning::Yield => return self.yielded(call, context),
            Meaning::Read if call.result == 8 => {
                let read = self.timer_read(call, context);
                return read.unwrap_or_else(|| self.waited(call, context));
            }
            _ => return self.waited(call, context),
        }
        (Vec::new(), None)
    }

    fn count_lost(&mut self, call: &Call) {
        let lost = call.number.wrapping_sub(self.number).saturating_sub(1);
        self.number = call.number;
        if lost == 0 {
            return;
        }
        self.lost += u64::from(lost);
        for account in &mut self.accounts {
            account.is_gap = true;
            // When it ended is not known.
            account.unseen += u64::from(account.open.take().is_some());
        }
        // A section's end is still seen, but not all that was done in it.
        for section in self.sections.values_mut() {
            section.account.unseen += u64::from(section.account.open.is_some());
        }
    }

    /// The last stretch in which it blocked within a call.
    fn sleep_within(&self, call: &Call) -> Option<Off> {
        let is_within = |off: &&Off| off.off_ns >= call.enter_ns && off.state != 0;
        self.offs.iter().rev().take_while(|off| off.on_ns >= call.enter_ns).find(is_within).copied()
    }

    /// It gave up what was left of its budget.
    fn yielded(&mut self, call: &Call, context: &mut Context<'_>) -> (Vec<Late>, Option<usize>) {
        let Some(Budget { due, declared }) = self.replenishments.yielded(call) else { return (Vec::new(), None) };
        let source = Source { wait: calls::name(call.call), rule: Rule::Timer, clock: wait::Clock::Monotonic };
        let span = Span { enter_ns: call.enter_ns, exit_ns: call.exit_ns };
        self.declare(&source, declared, context.limits);
        self.released(source, due, span, None, context)
    }

    fn declare(&mut self, source: &Source, declared: Declared, limits: &Limits) {
        if let Some(place) = self.place(source.clone(), limits) {
            self.accounts[place].declare(declared);
        }
    }

    fn waited(&mut self, call: &Call, context: &mut Context<'_>) -> (Vec<Late>, Option<usize>) {
        let sleep = self.sleep_within(call);
        let ended = wait::ended(call, sleep.as_ref());
        if calls::meaning(call.call) == Meaning::Files {
            let (name, enter_ns, exit_ns) = (calls::name(call.call), call.enter_ns, call.exit_ns);
            self.files = Some(FilesWait { name, enter_ns, exit_ns, sleep });
        }
        match ended {
            Ended::NoWait => (Vec::new(), None),
            Ended::Interrupted(source) => {
                let place = self.accounts.iter().position(|account| account.source == source);
                let late = place.and_then(|place| self.end(place, call.enter_ns, context.limits));
                (late.into_iter().collect(), place)
            }
            Ended::Released(source, due) => {
                let span = Span { enter_ns: call.enter_ns, exit_ns: call.exit_ns };
                self.released(source, due, span, sleep.as_ref(), context)
            }
        }
    }

    /// Eight bytes were read; `None` where not of a timer.
    fn timer_read(&mut self, call: &Call, context: &mut Context<'_>) -> Option<(Vec<Late>, Option<usize>)> {
        let own = self.sleep_within(call);
        let before = self.files.take().filter(|_| own.is_none());
        let sleep = own.or_else(|| before.as_ref().and_then(|files| files.sleep));
        let Some(TimerRead { clock, due, beyond_ns, is_moved }) = context.timers.read(call, sleep.as_ref()) else {
            self.files = before;
            return None;
        };
        let (name, span) = match &before {
            Some(files) => (files.name.clone(), Span { enter_ns: files.enter_ns, exit_ns: files.exit_ns }),
            None => ("read".to_owned(), Span { enter_ns: call.enter_ns, exit_ns: call.exit_ns }),
        };
        let source = Source { wait: format!("{name}(timerfd)"), rule: Rule::Timer, clock };
        if let Some(account) = self.accounts.iter_mut().find(|account| is_moved && account.source == source) {
            account.grid.restart();
        }
        let (late, place) = self.released(source, due, span, sleep.as_ref(), context);
        if let Some(place) = place {
            self.accounts[place].grid.went_on(beyond_ns);
        }
        Some((late, place))
    }

    fn released(
        &mut self,
        source: Source,
        due: Due,
        span: Span,
        sleep: Option<&Off>,
        context: &mut Context<'_>,
    ) -> (Vec<Late>, Option<usize>) {
        let waking_ns = sleep.map_or(span.exit_ns, |off| off.waking_ns.max(off.off_ns));
        let rule = source.rule;
        let (clock, due_own_ns) = match due {
            Due::At(at_ns) => (source.clock, Some(at_ns)),
            Due::Expiry(at_ns) => (context.offsets.clock_of(at_ns, waking_ns), Some(at_ns as i64)),
            Due::Woken => (source.clock, Some(waking_ns as i64)),
            Due::None | Due::Unseen => (source.clock, None),
        };
        let Some(place) = self.place(Source { clock, ..source }, context.limits) else {
            self.uncounted += 1;
            return (Vec::new(), None);
        };
        let late = self.end(place, span.enter_ns, context.limits);
        let account = &mut self.accounts[place];
        let from_ns = due_own_ns.map_or(span.exit_ns, |due| context.offsets.monotonic_ns(clock, due));
        if due == Due::Unseen || from_ns > span.exit_ns {
            account.is_gap = true;
            account.unseen += u64::from(due != Due::Unseen);
            return (late.into_iter().collect(), Some(place));
        }
        let activation = Activation {
            due_own_ns,
            from_ns,
            wait_ns: span.enter_ns,
            released_ns: span.exit_ns,
            faults: self.faults,
            ..Activation::default()
        };
        account.begin(activation, context.limits);
        let by_timer = sleep.filter(|off| off.due_ns > 0);
        let expiry_ns = by_timer.map(|off| context.offsets.monotonic_ns(clock, off.due_ns.cast_signed()));
        let (wait_ns, released_ns) = (span.enter_ns, span.exit_ns);
        account.split(joined(rule, Latency { due_ns: from_ns, wait_ns, released_ns, sleep, expiry_ns }));
        (late.into_iter().collect(), Some(place))
    }

    /// It reached a place of its program; the section that ended there.
    pub(super) fn reached(&mut self, at: &PlaceReached, limits: &Limits) -> Option<Late> {
        let lost = at.number.wrapping_sub(self.place_number).saturating_sub(1);
        self.place_number = at.number;
        self.place_ns = at.at_ns;
        if lost > 0 {
            self.lost_places += u64::from(lost);
            self.sections.values_mut().for_each(SectionAccount::lost);
            self.follows.values_mut().for_each(Follows::lost);
        }
        match limits.places.reached(at.place)? {
            Reached::Begin(number) => {
                self.section(number, limits).begin(at, limits);
                self.followed(number, at, true, limits);
                None
            }
            Reached::End(number) => {
                let ended = self.section(number, limits).end(at);
                self.followed(number, at, false, limits);
                ended.and_then(|(end_ns, faults)| self.section_ends(number, end_ns, faults, limits))
            }
            Reached::Other(number) => {
                let sections = self.sections.values_mut().map(|section| &mut section.account);
                self.accounts.iter_mut().chain(sections).for_each(|account| account.reached(number));
                None
            }
        }
    }

    /// Other places are looked at in its process, each since then.
    pub(super) fn look_at(&mut self, places: &BTreeMap<usize, u64>) {
        if self.looked_at != *places {
            self.looked_at.clone_from(places);
            let sections = self.sections.values_mut().map(|section| &mut section.account);
            self.accounts.iter_mut().chain(sections).for_each(|account| account.looked_at.clone_from(places));
        }
    }

    fn section(&mut self, number: usize, limits: &Limits) -> &mut SectionAccount {
        let Self { sections, looked_at, .. } = self;
        sections.entry(number).or_insert_with(|| {
            let mut section = SectionAccount::new(number, limits);
            section.account.looked_at.clone_from(looked_at);
            section
        })
    }

    /// Holds the places of a section against the rules that its end follows its beginning in this thread.
    fn followed(&mut self, number: usize, at: &PlaceReached, is_begin: bool, limits: &Limits) {
        let Self { sections, follows, .. } = self;
        let Some(section) = sections.get_mut(&number) else { return };
        for (place, rule, limit_ns) in follow_rules(limits, number, false) {
            let tally = &mut section.account.tallies[place];
            let follows = follows.entry(place).or_default();
            let each = |one: Followed| hold_followed(tally, rule, limits.began_ns, one);
            match is_begin {
                true => follows.begin(at.at_ns, limit_ns, each),
                false => follows.end(at.at_ns, limit_ns, each),
            }
        }
    }

    fn section_ends(&mut self, number: usize, end_ns: u64, faults: Faults, limits: &Limits) -> Option<Late> {
        let account = &self.sections[&number].account;
        let offs = self.offs_between(account.open?.from_ns, end_ns);
        let kept: Vec<Off> = offs.iter().map(|off| **off).collect();
        let account = &mut self.sections.get_mut(&number)?.account;
        let ended = account.end(end_ns, faults, &kept.iter().collect::<Vec<_>>(), limits)?;
        Some(self.late(Part::Section(number), ended, kept))
    }

    fn offs_between(&self, from_ns: u64, end_ns: u64) -> Vec<&Off> {
        self.offs.iter().filter(|off| off.on_ns > from_ns && off.off_ns < end_ns).collect()
    }

    fn place(&mut self, source: Source, limits: &Limits) -> Option<usize> {
        if let Some(place) = self.accounts.iter().position(|account| account.source == source) {
            return Some(place);
        }
        (self.accounts.len() < KINDS).then(|| {
            let mut account = Account::new(source, limits);
            account.looked_at.clone_from(&self.looked_at);
            self.accounts.push(account);
            self.accounts.len() - 1
        })
    }

    fn end(&mut self, place: usize, end_ns: u64, limits: &Limits) -> Option<Late> {
        let open = self.accounts[place].open?;
        let from_ns = open.from_ns.min(open.wait_ns);
        let offs: Vec<&Off> = self.offs.iter().filter(|off| off.on_ns > from_ns && off.off_ns < end_ns).collect();
        let ended = self.accounts[place].end(end_ns, self.faults, &offs, limits)?;
        let offs = offs.into_iter().copied().collect();
        // Of a wait that is not the thread's period only the worst may be asked for, should it become that later.
        let is_own = || self.own().is_none_or(|own| own == place);
        (ended.is_late || ended.is_worst || is_own()).then(|| self.late(Part::Wait(place), ended, offs))
    }

    fn late(&self, part: Part, ended: EndedActivation, offs: Vec<Off>) -> Late {
        let EndedActivation { activation, is_late, is_worst } = ended;
        let typical_own_ns =
            if is_late || is_worst { self.account(part).map_or(0, Account::typical_own_ns) } else { 0 };
        let (serial, thread) = (self.serial, self.id);
        Late { serial, thread, part, activation, offs, typical_own_ns, is_unfinished: false, is_late, is_worst }
    }

    /// The account of what it does again and again.
    pub(super) fn account(&self, part: Part) -> Option<&Account> {
        match part {
            Part::Wait(number) => self.accounts.get(number),
            Part::Section(number) => self.sections.get(&number).map(|section| &section.account),
        }
    }

    /// The same, to be changed.
    pub(super) fn account_mut(&mut self, part: Part) -> Option<&mut Account> {
        match part {
            Part::Wait(number) => self.accounts.get_mut(number),
            Part::Section(number) => self.sections.get_mut(&number).map(|section| &mut section.account),
        }
    }

    /// It ended: what it did last had no next wait.
    pub(super) fn over(&mut self) {
        self.is_over = true;
        self.accounts.iter_mut().for_each(|account| account.open = None);
    }

    /// Nobody looks any longer: what it does now is over where it waits already, or late where it is.
    pub(super) fn finish(&mut self, now_ns: u64, under_way: Option<(u32, u64)>, limits: &Limits) -> Vec<Late> {
        let mut late = Vec::new();
        for place in 0..self.accounts.len() {
            let is_own = |(call, _): &(u32, u64)| {
                let (wait, name) = (&self.accounts[place].source.wait, calls::name(*call));
                wait.strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with('('))
            };
            if let Some((_, enter_ns)) = under_way.filter(is_own) {
                late.extend(self.end(place, enter_ns, limits));
            } else if let Some(activation) = self.accounts[place].unfinished(now_ns, limits) {
                let offs = self.offs.iter().filter(|off| off.on_ns > activation.from_ns).copied().collect();
                let ended = EndedActivation { activation, is_late: true, is_worst: true };
                late.push(Late { is_unfinished: true, ..self.late(Part::Wait(place), ended, offs) });
            }
        }
        // A section that has not ended breaks a rule where its time is over.
        for section in self.sections.values_mut() {
            section.account.unfinished(now_ns, limits);
        }
        self.overdue(now_ns, limits);
        late
    }

    /// What did not follow the beginning of a section until now did not follow it in time, where that is over.
    pub(super) fn overdue(&mut self, now_ns: u64, limits: &Limits) {
        for (number, section) in &mut self.sections {
            for (place, rule, limit_ns) in follow_rules(limits, *number, false) {
                let tally = &mut section.account.tallies[place];
                let each = |one: Followed| hold_followed(tally, rule, limits.began_ns, one);
                self.follows.entry(place).or_default().passed(now_ns, limit_ns, each);
            }
        }
    }

    /// What it does again and again: its own wait, and the sections that it passed.
    pub(super) fn parts(&self) -> impl Iterator<Item = ThreadPart> {
        let own = self.own().map(Part::Wait);
        let sections = self.sections.iter().filter(|(_, section)| section.account.served > 0);
        let sections = sections.map(|(number, _)| Part::Section(*number));
        own.into_iter().chain(sections).map(|part| ThreadPart { serial: self.serial, part })
    }

    /// Beginnings of sections of which it is not known whether their ends followed, by rule.
    pub(super) fn unseen_of_rule(&self, rule: usize) -> u64 {
        self.follows.get(&rule).map_or(0, |follows| follows.unseen)
    }

    /// Bounds the samples of waits that are not its own, once it has one.
    pub(super) fn bound_others(&mut self) {
        let Some(own) = self.own() else { return };
        let others = self.accounts.iter_mut().enumerate().filter(|(place, _)| *place != own);
        others.for_each(|(_, account)| account.samples.bound());
    }

    /// The account that is the thread's own: of those that are not rare, the one whose due instants are surest.
    pub(super) fn own(&self) -> Option<usize> {
        let most = self.accounts.iter().map(|account| account.served).max()?;
        let is_candidate =
            |place: &usize| self.accounts[*place].served >= SERVED_MIN && self.accounts[*place].served * RARE >= most;
        let rank = |place: &usize| {
            let account = &self.accounts[*place];
            let sure = match account.source.rule {
                Rule::Absolute | Rule::Timer => 2,
                Rule::Relative => 1,
                Rule::Event => 0,
            };
            (sure, account.served)
        };
        (0..self.accounts.len()).filter(is_candidate).max_by_key(rank)
    }
}

/// The rules that the end of a section follows its beginning, with their places and limits.
pub(super) fn follow_rules(
    limits: &Limits,
    section: usize,
    in_any_thread: bool,
) -> impl Iterator<Item = (usize, &ActivationRule, u64)> {
    let of_section = move |(place, rule): (usize, _)| match rule {
        rule @ &ActivationRule {
            about: About::Section(number),
            condition: Condition::Follows { limit_ns, any_thread },
            ..
        } if number == section && any_thread == in_any_thread => Some((place, rule, limit_ns)),
        _ => None,
    };
    limits.rules.iter().enumerate().filter_map(of_section)
}

/// Counts one beginning of a section against a rule.
pub(super) fn hold_followed(tally: &mut Tally, rule: &ActivationRule, began_ns: u64, one: Followed) {
    let Condition::Follows { limit_ns, .. } = rule.condition else { return };
    if one.at_ns < began_ns + rule.after_ns {
        return;
    }
    let us = grouped(limit_ns / 1_000);
    let breach = one.after_ns.is_none().then(|| format!("was not followed by the section's end within {us} µs"));
    tally.hold(one.number, one.at_ns.cast_signed(), breach);
}

/// A wait, on CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug)]
struct Span {
    enter_ns: u64,
    exit_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::super::places::Places;
    use super::super::seen::{Found, SeenThread};
    use super::*;
    use prazo_platform::root::Root;

    const LIMITS: Limits = Limits {
        period_ns: None,
        deadline_ns: None,
        budget_ns: None,
        worst: 3,
        keeps_around: 0,
        is_recorded: false,
        without_events: false,
        rules: Vec::new(),
        places: Places { sections: Vec::new(), others: Vec::new() },
        began_ns: 0,
    };

    /// A thread that calls one thing after the other.
    struct Script {
        thread: Thread,
        timers: Timers,
        number: u32,
        late: Vec<Late>,
        limits: Limits,
    }

    impl Script {
        fn new() -> Self {
            Self::against(Vec::new())
        }

        fn against(rules: Vec<ActivationRule>) -> Self {
            let (thread, timers) = (Thread::new(1, 7, 7, "ctl".into()), Timers::new(&Root::at("/nowhere")));
            Self { thread, timers, number: 0, late: Vec::new(), limits: Limits { rules, ..LIMITS } }
        }

        fn call(
            &mut self,
            number: libc::c_long,
            (enter_ns, exit_ns): (u64, u64),
            args: [u64; 4],
            user: [u64; 4],
            result: i64,
        ) {
            self.number += 1;
            let (call, number) = (number as u32, self.number);
            let call = Call {
                thread_id: 7,
                process_id: 7,
                number,
                enter_ns,
                exit_ns,
                result,
                call,
                args,
                user,
                ..Call::default()
            };
            let mut context = Context { timers: &mut self.timers, offsets: &Offsets::default(), limits: &self.limits };
            self.late.extend(self.thread.call(&call, &mut context));
        }

        fn sleep(&mut self, enter_ns: u64, due_ns: u64, exit_ns: u64) {
            self.thread.off(Off {
                off_ns: enter_ns + 1,
                waking_ns: due_ns,
                on_ns: exit_ns - 1,
                state: 1,
                ..Off::default()
            });
            self.call(libc::SYS_clock_nanosleep, (enter_ns, exit_ns), [1, 1, 0, 0], [0, due_ns, 0, 0], 0);
        }

        fn own(&self) -> &Account {
            &self.thread.accounts[self.thread.own().expect("it has a period")]
        }
    }

    #[test]
    fn what_was_under_way_at_the_start_is_before_the_watch_unless_it_ended_late_or_was_found_later() {
        let seen = |from_start_ns, is_born, first_return_ns| {
            let mut script = Script::new();
            (script.thread.from_start_ns, script.thread.is_born) = (from_start_ns, is_born);
            script.call(libc::SYS_clock_nanosleep, (0, first_return_ns), [0; 4], [0; 4], 0);
            for number in 4..12 {
                script.sleep(number * 1_000 - 300, number * 1_000, number * 1_000 + 40);
            }
            let wait = SeenThread::of(&script.thread, &script.limits, &|_| Found::default()).wait.unwrap();
            (wait.under_way_at_start, wait.unseen, wait.served)
        };
        assert_eq!(seen(Some(300), false, 1_300), (1, 0, 8));
        assert_eq!(
            seen(Some(300), false, 1_301),
            (0, 1, 8),
            "more than a period of 1,000 after the start: it was due in between"
        );
        assert_eq!(seen(None, false, 500), (0, 1, 8), "found later");
        assert_eq!(seen(None, true, 500), (0, 0, 8), "the call that started it");
    }

    #[test]
    fn a_loop_of_absolute_sleeps_is_served_skipped_and_missed() {
        let mut script = Script::new();
        for number in [1, 2, 3, 4, 7, 8] {
            script.sleep(number * 1_000 - 800, number * 1_000, number * 1_000 + 40);
        }
        let own = script.own();
        assert_eq!((own.period_ns(&LIMITS), own.served, own.grid.skipped(1_000)), (Some(1_000), 6, 2));
        // The fourth waited again only when the seventh was about to be due.
        assert_eq!(own.missed(&LIMITS), Some(1));
        assert_eq!(own.latency.cells().collect::<Vec<_>>(), [(40, 6)]);
        assert_eq!(script.late.iter().map(|late| late.activation.response_ns()).max(), Some(2_200));
    }

    #[test]
    fn other_waits_are_blocks_within_an_activation() {
        let mut script = Script::new();
        for number in 1..=4 {
            script.sleep(number * 1_000 - 300, number * 1_000, number * 1_000 + 40);
            let at = number * 1_000 + 100;
            script.thread.off(Off { off_ns: at, waking_ns: at + 50, on_ns: at + 60, state: 1, ..Off::default() });
            script.call(libc::SYS_futex, (at - 1, at + 61), [0; 4], [0; 4], 0);
        }
        let own = script.own();
        assert_eq!((own.source.wait.as_str(), own.served), ("clock_nanosleep", 4));
        assert_eq!((own.body.blocked_ns, own.body.preempted_ns), (150, 30), "the last has not ended");
    }

    #[test]
    fn a_timer_in_a_poll_loop_is_due_at_its_expirations() {
        let mut script = Script::new();
        script.call(libc::SYS_timerfd_create, (1, 2), [1, 0, 0, 0], [0; 4], 3);
        script.call(libc::SYS_timerfd_settime, (3, 4), [3, 1, 0, 0], [0, 1_000, 0, 1_000], 0);
        for (number, expirations) in [(1, 1), (2, 1), (3, 1), (4, 2), (6, 1)] {
            let due = number * 1_000;
            script.thread.off(Off {
                off_ns: due - 500,
                waking_ns: due + 1,
                on_ns: due + 20,
                state: 1,
                ..Off::default()
            });
            script.call(libc::SYS_ppoll, (due - 501, due + 21), [0; 4], [0; 4], 1);
            script.call(libc::SYS_read, (due + 30, due + 31), [3, 0, 8, 0], [expirations, 0, 0, 0], 8);
        }
        let own = script.own();
        assert_eq!((own.source.wait.as_str(), own.source.rule, own.served), ("ppoll(timerfd)", Rule::Timer, 5));
        assert_eq!((own.period_ns(&LIMITS), own.grid.skipped(1_000)), (Some(1_000), 1));
        assert_eq!(own.latency.cells().collect::<Vec<_>>(), [(21, 5)]);
    }

    #[test]
    fn a_stopped_sleep_is_one_activation_and_lost_records_are_unseen_not_skipped() {
        let mut script = Script::new();
        for number in 1..=4 {
            script.sleep(number * 1_000 - 300, number * 1_000, number * 1_000 + 40);
        }
        script.call(libc::SYS_clock_nanosleep, (4_700, 4_800), [1, 1, 0, 0], [0, 5_000, 0, 0], -514);
        script.sleep(5_500, 5_000, 5_600);
        assert_eq!(script.own().served, 5);
        script.number += 2;
        script.sleep(7_700, 8_000, 8_600);
        let own = script.own();
        assert_eq!((script.thread.lost, own.grid.unseen(1_000), own.unseen), (2, 2, 1));
        assert_eq!(own.grid.skipped(1_000), 0);
    }

    #[test]
    fn calls_belong_to_the_activation_in_which_they_were_made_and_a_wait_to_none() {
        let condition = Condition::CallsOnly(vec!["write".into()]);
        let rule = ActivationRule { about: About::Activations, condition, after_ns: 0 };
        let mut script = Script::against(vec![rule]);
        script.call(libc::SYS_timerfd_create, (1, 2), [1, 0, 0, 0], [0; 4], 3);
        script.call(libc::SYS_timerfd_settime, (3, 4), [3, 1, 0, 0], [0, 1_000, 0, 1_000], 0);
        for number in 1..=6_u64 {
            let due = number * 1_000;
            let (off_ns, waking_ns, on_ns) = (due - 500, due + 1, due + 20);
            script.thread.off(Off { off_ns, waking_ns, on_ns, state: 1, ..Off::default() });
            // What was made before the poll has no record of its own, and the kernel's own calls at places do not count.
            script.thread.made(&[libc::SYS_write as u32, 335]);
            if number == 4 {
                script.thread.made(&[libc::SYS_getpid as u32]);
            }
            script.call(libc::SYS_ppoll, (due - 501, due + 21), [0; 4], [0; 4], 1);
            script.call(libc::SYS_read, (due + 30, due + 31), [3, 0, 8, 0], [1, 0, 0, 0], 8);
        }
        let tally = &script.own().tallies[0];
        let broken: Vec<_> = tally.first.iter().map(|breach| (breach.number, breach.seen.as_str())).collect();
        // The fourth poll ends the third activation.
        assert_eq!((tally.checked, broken), (5, vec![(2, "called getpid")]));
    }

    #[test]
    fn a_section_contains_what_the_thread_did_and_lost_places_leave_it_unseen() {
        let rule = |condition| ActivationRule { about: About::Section(0), condition, after_ns: 0 };
        let follows = |limit_ns| rule(Condition::Follows { limit_ns, any_thread: false });
        let limits = Limits {
            rules: vec![rule(Condition::NoPreemption), follows(999), follows(1_000)],
            places: Places { sections: vec!["a..b".parse().unwrap()], others: Vec::new() },
            ..LIMITS
        };
        let mut thread = Thread::new(1, 7, 7, "ctl".into());
        let at = |number, place, at_ns| PlaceReached { number, place, at_ns, ..PlaceReached::default() };
        assert!(thread.reached(&at(1, 0, 1_000), &limits).is_none());
        thread.off(Off { off_ns: 1_100, on_ns: 1_400, ..Off::default() });
        let late = thread.reached(&at(2, 1, 2_000), &limits).expect("it is the longest");
        assert_eq!((late.part, late.activation.response_ns(), late.offs.len()), (Part::Section(0), 1_000, 1));
        let counts = |thread: &Thread| {
            let account = &thread.sections[&0].account;
            account.tallies.iter().map(|tally| (tally.checked, tally.broken)).collect::<Vec<_>>()
        };
        assert_eq!(thread.sections[&0].account.own.cells().collect::<Vec<_>>(), [(700, 1)]);
        assert_eq!(counts(&thread), [(1, 1), (1, 1), (1, 0)]);
        thread.reached(&at(3, 0, 3_000), &limits);
        // Two records are lost: whether its end followed is not known.
        thread.reached(&at(6, 0, 9_000), &limits);
        thread.overdue(20_000, &limits);
        assert_eq!(counts(&thread), [(1, 1), (2, 2), (2, 1)]);
        assert_eq!((thread.lost_places, thread.sections[&0].account.unseen), (2, 1));
        assert_eq!([1, 2].map(|rule| thread.unseen_of_rule(rule)), [2, 2]);
        assert_eq!(thread.parts().map(|part| part.part).collect::<Vec<_>>(), [Part::Section(0)]);
    }

    #[test]
    fn calls_whose_records_were_lost_leave_the_section_around_them_unseen() {
        let limits = Limits {
            places: Places { sections: vec!["a..b".parse().unwrap()], others: Vec::new() },
            ..Limits::default()
        };
        let mut script = Script::new();
        let at = |number, place, at_ns| PlaceReached { number, place, at_ns, ..PlaceReached::default() };
        let unseen = |script: &Script| script.thread.sections[&0].account.unseen;
        script.sleep(100, 200, 300);
        script.thread.reached(&at(1, 0, 1_000), &limits);
        script.number += 1;
        script.sleep(1_400, 1_500, 1_600);
        assert_eq!(unseen(&script), 1);
        script.thread.reached(&at(2, 1, 2_000), &limits);
        script.number += 1;
        script.sleep(3_400, 3_500, 3_600);
        assert_eq!((unseen(&script), script.thread.sections[&0].account.served), (1, 1));
    }

    #[test]
    fn who_stands_in_his_wait_at_the_end_has_ended_and_who_does_not_is_late() {
        for (under_way, unfinished) in [(Some((libc::SYS_clock_nanosleep as u32, 4_500)), false), (None, true)] {
            let mut script = Script::new();
            (1..=4).for_each(|number| script.sleep(number * 1_000 - 300, number * 1_000, number * 1_000 + 40));
            let late = script.thread.finish(9_000, under_way, &LIMITS);
            assert_eq!(late.iter().any(|late| late.is_unfinished), unfinished);
            assert_eq!(script.own().missed(&LIMITS), Some(u64::from(unfinished)));
        }
    }
}
