//! One followed thread: its records, one after the other, become activations of each kind of wait that it has.
//!
//! A program does not say which of its waits is its period. So each kind has an account of its own, in which every other wait
//! is a block within an activation; at the end the account that looks most like a period is the thread's.

use super::account::{Account, Limits};
use super::activation::Activation;
use super::calls::{self, Meaning};
use super::record::{Call, Faults, Off};
use super::timers::{Offsets, TimerRead, Timers};
use super::wait::{self, Due, Ended, Rule, Source};
use std::collections::VecDeque;

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
    /// Its latest stretches off a processor, oldest first.
    pub offs: VecDeque<Off>,
    /// Calls whose records were lost.
    pub lost: u64,
    /// Stretches whose records were lost.
    pub lost_offs: u64,
    /// It waited already when it began to be followed.
    pub began_within: bool,
    /// Waits that found no account.
    pub uncounted: u64,
    pub is_over: bool,
    /// Its kernel priority when it last waited: below 100 is real-time, and -1 a deadline's.
    pub priority: Option<i16>,
    /// It is followed since it was started: what returns first is the call that started it.
    pub is_born: bool,
    /// Of its latest call; the kernel's side counts from 1.
    number: u32,
    files: Option<FilesWait>,
    faults: Faults,
}

/// An activation that is one of the worst, with what is needed to find its cause.
#[derive(Clone, Debug)]
pub(super) struct Late {
    pub serial: u64,
    pub thread: u32,
    pub account: usize,
    pub activation: Activation,
    pub offs: Vec<Off>,
    pub typical_own_ns: u64,
    pub is_unfinished: bool,
}

/// The wait of one thread that is its period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnWait {
    /// Tells the thread from every other one of this watch, also from one of the same number.
    pub serial: u64,
    /// Which of the thread's waits it is; the first that was seen is 0.
    pub number: usize,
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
            offs: VecDeque::new(),
            lost: 0,
            lost_offs: 0,
            began_within: false,
            uncounted: 0,
            is_over: false,
            priority: None,
            is_born: false,
            number: 0,
            files: None,
            faults: Faults::default(),
        }
    }

    /// It is back on a processor.
    pub(super) fn off(&mut self, off: Off) {
        self.lost_offs = off.lost.into();
        if off.state != 0 {
            self.priority = Some(off.priority);
        }
        let needed_ns =
            self.accounts.iter().filter_map(|account| account.open).map(|open| open.from_ns.min(open.wait_ns)).min();
        let is_needed = |off: &Off| needed_ns.is_some_and(|needed| off.on_ns >= needed);
        while self.offs.len() >= STRETCHES.1
            || self.offs.len() > STRETCHES.0 && self.offs.front().is_some_and(|off| !is_needed(off))
        {
            self.offs.pop_front();
        }
        self.offs.push_back(off);
    }

    /// A system call returned; those activations that are among the worst.
    pub(super) fn call(&mut self, call: &Call, context: &mut Context<'_>) -> Vec<Late> {
        self.count_lost(call);
        self.faults = call.faults;
        if call.enter_ns == 0 {
            self.began_within |= !self.is_born;
            return Vec::new();
        }
        match calls::meaning(call.call) {
            Meaning::TimerfdCreate => context.timers.created(call),
            Meaning::TimerfdSettime => context.timers.set(call),
            Meaning::Close => context.timers.closed(call),
            Meaning::Read if call.result == 8 => {
                if let Some(late) = self.timer_read(call, context) {
                    return late;
                }
                return self.waited(call, context);
            }
            _ => return self.waited(call, context),
        }
        Vec::new()
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
    }

    /// The last stretch in which it blocked within a call.
    fn sleep_within(&self, call: &Call) -> Option<Off> {
        let is_within = |off: &&Off| off.off_ns >= call.enter_ns && off.state != 0;
        self.offs.iter().rev().take_while(|off| off.on_ns >= call.enter_ns).find(is_within).cloned()
    }

    fn waited(&mut self, call: &Call, context: &mut Context<'_>) -> Vec<Late> {
        let sleep = self.sleep_within(call);
        let ended = wait::ended(call, sleep.as_ref());
        if calls::meaning(call.call) == Meaning::Files {
            let (name, enter_ns, exit_ns) = (calls::name(call.call), call.enter_ns, call.exit_ns);
            self.files = Some(FilesWait { name, enter_ns, exit_ns, sleep: sleep.clone() });
        }
        match ended {
            Ended::NoWait => Vec::new(),
            Ended::Interrupted(source) => {
                let place = self.accounts.iter().position(|account| account.source == source);
                place.and_then(|place| self.end(place, call.enter_ns, context.limits)).into_iter().collect()
            }
            Ended::Released(source, due) => {
                let span = Span { enter_ns: call.enter_ns, exit_ns: call.exit_ns };
                self.released(source, due, span, sleep.as_ref(), context)
            }
        }
    }

    /// Eight bytes were read; `None` where not of a timer.
    fn timer_read(&mut self, call: &Call, context: &mut Context<'_>) -> Option<Vec<Late>> {
        let own = self.sleep_within(call);
        let before = self.files.take().filter(|_| own.is_none());
        let sleep = own.or_else(|| before.as_ref().and_then(|files| files.sleep.clone()));
        let Some(TimerRead { clock, due, beyond_ns }) = context.timers.read(call, sleep.as_ref()) else {
            self.files = before;
            return None;
        };
        let (name, span) = match &before {
            Some(files) => (files.name.clone(), Span { enter_ns: files.enter_ns, exit_ns: files.exit_ns }),
            None => ("read".to_owned(), Span { enter_ns: call.enter_ns, exit_ns: call.exit_ns }),
        };
        let source = Source { wait: format!("{name}(timerfd)"), rule: Rule::Timer, clock };
        let late = self.released(source.clone(), due, span, sleep.as_ref(), context);
        if let Some(account) = self.accounts.iter_mut().find(|account| account.source == source) {
            account.grid.went_on(beyond_ns);
        }
        Some(late)
    }

    fn released(
        &mut self,
        source: Source,
        due: Due,
        span: Span,
        sleep: Option<&Off>,
        context: &mut Context<'_>,
    ) -> Vec<Late> {
        let waking_ns = sleep.map_or(span.exit_ns, |off| off.waking_ns.max(off.off_ns));
        let (clock, due_own_ns) = match due {
            Due::At(at_ns) => (source.clock, Some(at_ns)),
            Due::Expiry(at_ns) => (context.offsets.clock_of(at_ns, waking_ns), Some(at_ns as i64)),
            Due::Woken => (source.clock, Some(waking_ns as i64)),
            Due::None | Due::Unseen => (source.clock, None),
        };
        let Some(place) = self.place(Source { clock, ..source }, context.limits) else {
            self.uncounted += 1;
            return Vec::new();
        };
        let late = self.end(place, span.enter_ns, context.limits);
        let account = &mut self.accounts[place];
        let from_ns = due_own_ns.map_or(span.exit_ns, |due| context.offsets.monotonic_ns(clock, due));
        if due == Due::Unseen || from_ns > span.exit_ns {
            account.is_gap = true;
            account.unseen += u64::from(due != Due::Unseen);
            return late.into_iter().collect();
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
        late.into_iter().collect()
    }

    fn place(&mut self, source: Source, limits: &Limits) -> Option<usize> {
        if let Some(place) = self.accounts.iter().position(|account| account.source == source) {
            return Some(place);
        }
        (self.accounts.len() < KINDS).then(|| {
            self.accounts.push(Account::new(source, limits));
            self.accounts.len() - 1
        })
    }

    fn end(&mut self, place: usize, end_ns: u64, limits: &Limits) -> Option<Late> {
        let open = self.accounts[place].open?;
        let from_ns = open.from_ns.min(open.wait_ns);
        let offs: Vec<&Off> = self.offs.iter().filter(|off| off.on_ns > from_ns && off.off_ns < end_ns).collect();
        let activation = self.accounts[place].end(end_ns, self.faults, &offs, limits)?;
        let offs = offs.into_iter().cloned().collect();
        Some(self.late(place, activation, offs))
    }

    fn late(&self, account: usize, activation: Activation, offs: Vec<Off>) -> Late {
        let typical_own_ns = self.accounts[account].typical_own_ns();
        Late { serial: self.serial, thread: self.id, account, activation, offs, typical_own_ns, is_unfinished: false }
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
                let offs = self.offs.iter().filter(|off| off.on_ns > activation.from_ns).cloned().collect();
                late.push(Late { is_unfinished: true, ..self.late(place, activation, offs) });
            }
        }
        late
    }

    /// The same with the thread's serial.
    pub(super) fn own_wait(&self) -> Option<OwnWait> {
        self.own().map(|number| OwnWait { serial: self.serial, number })
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

/// A wait, on CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug)]
struct Span {
    enter_ns: u64,
    exit_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_platform::root::Root;

    const LIMITS: Limits = Limits {
        period_ns: None,
        deadline_ns: None,
        budget_ns: None,
        worst: 3,
        is_recorded: false,
        rules: Vec::new(),
        began_ns: 0,
    };

    /// A thread that calls one thing after the other.
    struct Script {
        thread: Thread,
        timers: Timers,
        number: u32,
        late: Vec<Late>,
    }

    impl Script {
        fn new() -> Self {
            let (thread, timers) = (Thread::new(1, 7, 7, "ctl".into()), Timers::new(&Root::at("/nowhere")));
            Self { thread, timers, number: 0, late: Vec::new() }
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
            let mut context = Context { timers: &mut self.timers, offsets: &Offsets::default(), limits: &LIMITS };
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
