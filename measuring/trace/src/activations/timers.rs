//! The timerfds of the followed processes: when each is due next, so that a read says which instants it served; and the clocks.

use super::record::{Call, Off};
use super::wait::{self, Clock, Due};
use prazo_platform::root::Root;
use std::collections::HashMap;
use std::io::ErrorKind;

/// How far each clock is ahead of CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Offsets {
    pub realtime_ns: i64,
    pub boottime_ns: i64,
    pub tai_ns: i64,
}

/// Clocks that differ by more than this from an expected instant are other clocks: an hour.
const OTHER_CLOCK_NS: i64 = 3_600_000_000_000;

impl Offsets {
    /// As the clocks are now.
    pub(super) fn now() -> Self {
        use prazo_sys::clock::ahead_of_monotonic_ns as ahead;
        Self {
            realtime_ns: ahead(libc::CLOCK_REALTIME),
            boottime_ns: ahead(libc::CLOCK_BOOTTIME),
            tai_ns: ahead(libc::CLOCK_TAI),
        }
    }

    fn of(&self, clock: Clock) -> i64 {
        match clock {
            Clock::Monotonic => 0,
            Clock::Realtime => self.realtime_ns,
            Clock::Boottime => self.boottime_ns,
            Clock::Tai => self.tai_ns,
        }
    }

    /// An instant of another clock on CLOCK_MONOTONIC.
    pub(super) fn monotonic_ns(&self, clock: Clock, at_ns: i64) -> u64 {
        u64::try_from(at_ns.saturating_sub(self.of(clock))).unwrap_or(0)
    }

    /// The clock that a timer's expiry is on, when it expired about `near_ns`.
    pub(super) fn clock_of(&self, expiry_ns: u64, near_ns: u64) -> Clock {
        let is_near =
            |clock: &Clock| self.monotonic_ns(*clock, expiry_ns as i64).abs_diff(near_ns) < OTHER_CLOCK_NS as u64;
        [Clock::Monotonic, Clock::Realtime].into_iter().find(is_near).unwrap_or(Clock::Monotonic)
    }

    /// True where one of them was set meanwhile.
    pub(super) fn differ_from(&self, other: &Self) -> bool {
        const READING_NS: u64 = 50_000;
        [Clock::Realtime, Clock::Boottime, Clock::Tai]
            .into_iter()
            .any(|clock| self.of(clock).abs_diff(other.of(clock)) > READING_NS)
    }
}

/// One timerfd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TimerFd {
    clock: Clock,
    interval_ns: i64,
    /// The first instant that no read has served; `None` until a wake-up shows it.
    next_ns: Option<i64>,
    /// Reads since it was set.
    reads: u64,
    /// It ran periodically when it was set, and nobody has read it since.
    is_moved: bool,
}

impl TimerFd {
    const fn new(clock: Clock, interval_ns: i64, next_ns: Option<i64>) -> Self {
        Self { clock, interval_ns, next_ns, reads: 0, is_moved: false }
    }
}

/// What a read of a timerfd served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimerRead {
    pub clock: Clock,
    /// The first instant.
    pub due: Due,
    /// From that to the last instant.
    pub beyond_ns: u64,
    /// Somebody set the timer anew while it ran: what lies between its instants before and after is no period.
    pub is_moved: bool,
}

/// The open files of the followed processes, as far as somebody read eight bytes of them.
#[derive(Debug)]
pub(super) struct Timers {
    root: Root,
    files: HashMap<(u32, u64), Option<TimerFd>>,
    /// Why a file could not be looked at.
    refused: Option<String>,
}

impl Timers {
    /// None is known yet.
    pub(super) fn new(root: &Root) -> Self {
        Self { root: root.clone(), files: HashMap::new(), refused: None }
    }

    /// Why the files of a process could not be looked at, so that its timerfds are not known.
    pub(super) fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// A timerfd was made.
    pub(super) fn created(&mut self, call: &Call) {
        if let Ok(fd) = u64::try_from(call.result) {
            let timer = TimerFd::new(wait::clock(call.args[0]), 0, None);
            self.files.insert((call.process_id, fd), Some(timer));
        }
    }

    /// A timerfd was set.
    pub(super) fn set(&mut self, call: &Call) {
        if call.result != 0 {
            return;
        }
        let key = (call.process_id, call.args[0]);
        let before = self.timer(key);
        let clock = before.map_or(Clock::Monotonic, |timer| timer.clock);
        let [interval_s, interval_ns, value_s, value_ns] = call.user;
        let is_absolute = call.args[1] & libc::TFD_TIMER_ABSTIME as u64 != 0;
        let next_ns = is_absolute.then(|| wait::time(value_s, value_ns));
        let timer = TimerFd::new(clock, wait::time(interval_s, interval_ns), next_ns);
        // A program that sets its timer for each period moves nothing.
        let is_moved = before.is_some_and(|before| before.is_moved || before.interval_ns > 0 && before.reads > 1);
        self.files.insert(key, Some(TimerFd { is_moved: is_moved && timer.interval_ns > 0, ..timer }));
    }

    /// A file was closed; its number may come to mean another.
    pub(super) fn closed(&mut self, call: &Call) {
        self.files.remove(&(call.process_id, call.args[0]));
    }

    /// Eight bytes were read: the first instant that this read served, where the file is a timerfd. `sleep` is the stretch in
    /// which the thread waited for it.
    pub(super) fn read(&mut self, call: &Call, sleep: Option<&Off>) -> Option<TimerRead> {
        let key = (call.process_id, call.args[0]);
        let timer = self.timer(key)?;
        let expirations = i64::try_from(call.user[0]).unwrap_or(1);
        // The timer that woke the thread was due at the first instant that nobody has read, or the thread would not have slept.
        let woke = sleep.and_then(|off| i64::try_from(off.due_ns).ok()).filter(|due| *due > 0);
        let due = timer.next_ns.or(woke);
        let next_ns = due.filter(|_| timer.interval_ns > 0).map(|due| due + expirations * timer.interval_ns);
        self.files.insert(key, Some(TimerFd { next_ns, reads: timer.reads + 1, is_moved: false, ..timer }));
        let beyond_ns = u64::try_from((expirations - 1).saturating_mul(timer.interval_ns)).unwrap_or(0);
        Some(TimerRead {
            clock: timer.clock,
            due: due.map_or(Due::Unseen, Due::At),
            beyond_ns,
            is_moved: timer.is_moved,
        })
    }

    /// The timer behind a file's number, as the kernel describes it where it was made before anybody looked.
    fn timer(&mut self, (process, fd): (u32, u64)) -> Option<TimerFd> {
        let Self { root, files, refused } = self;
        *files.entry((process, fd)).or_insert_with(|| {
            described(root, process, fd).unwrap_or_else(|error| {
                // A file that is gone again says nothing.
                if error.kind() == ErrorKind::PermissionDenied {
                    *refused = Some(format!("/proc/{process}/fd: {error}"));
                }
                None
            })
        })
    }
}

fn described(root: &Root, process: u32, fd: u64) -> std::io::Result<Option<TimerFd>> {
    let folder = root.base().join(format!("proc/{process}"));
    let target = std::fs::read_link(folder.join(format!("fd/{fd}")))?;
    if !target.to_string_lossy().contains("timerfd") {
        return Ok(None);
    }
    Ok(parsed(&std::fs::read_to_string(folder.join(format!("fdinfo/{fd}")))?))
}

/// `clockid: 1` and `it_interval: (0, 1000000)` of proc(5).
fn parsed(text: &str) -> Option<TimerFd> {
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let clock = wait::clock(value("clockid:")?.parse().ok()?);
    let (seconds, nanoseconds) = value("it_interval:")?.strip_prefix('(')?.strip_suffix(')')?.split_once(", ")?;
    let interval_ns = wait::time(seconds.trim().parse().ok()?, nanoseconds.trim().parse().ok()?);
    Some(TimerFd::new(clock, interval_ns, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timers() -> Timers {
        Timers::new(&Root::at("/nowhere"))
    }

    fn call(args: [u64; 4], user: [u64; 4], result: i64) -> Call {
        Call { process_id: 9, args, user, result, ..Call::default() }
    }

    #[test]
    fn a_read_serves_the_first_instant_that_none_has_served() {
        let mut timers = timers();
        timers.created(&call([libc::CLOCK_REALTIME as u64, 0, 0, 0], [0; 4], 5));
        timers.set(&call([5, 1, 0, 0], [0, 100, 1, 0], 0));
        let mut read = |expirations| timers.read(&call([5, 0, 8, 0], [expirations, 0, 0, 0], 8), None);
        let served = |at_ns, beyond_ns| {
            Some(TimerRead { clock: Clock::Realtime, due: Due::At(at_ns), beyond_ns, is_moved: false })
        };
        assert_eq!(read(1), served(1_000_000_000, 0));
        assert_eq!(read(3), served(1_000_000_100, 200));
        assert_eq!(read(1), served(1_000_000_400, 0));
    }

    #[test]
    fn a_relative_timer_is_known_once_it_woke_somebody_and_a_closed_one_is_forgotten() {
        let mut timers = timers();
        timers.created(&call([1, 0, 0, 0], [0; 4], 5));
        timers.set(&call([5, 0, 0, 0], [0, 100, 0, 100], 0));
        let one = call([5, 0, 8, 0], [1, 0, 0, 0], 8);
        let served = |due| Some(TimerRead { clock: Clock::Monotonic, due, beyond_ns: 0, is_moved: false });
        assert_eq!(timers.read(&one, None), served(Due::Unseen));
        let woken = Off { due_ns: 700, ..Off::default() };
        assert_eq!(timers.read(&one, Some(&woken)), served(Due::At(700)));
        assert_eq!(timers.read(&one, None), served(Due::At(800)));
        timers.closed(&call([5, 0, 0, 0], [0; 4], 0));
        assert_eq!(timers.read(&one, None), None);
    }

    #[test]
    fn a_timer_that_is_set_while_it_runs_is_moved_and_one_that_is_set_for_each_period_is_not() {
        let mut timers = timers();
        timers.created(&call([1, 0, 0, 0], [0; 4], 5));
        let set = |timers: &mut Timers, first| timers.set(&call([5, 1, 0, 0], [0, 100, 0, first], 0));
        let read = |timers: &mut Timers| timers.read(&call([5, 0, 8, 0], [1, 0, 0, 0], 8), None).unwrap().is_moved;
        let mut moved = Vec::new();
        for (first, reads) in [(100, 1), (200, 3), (940, 2)] {
            set(&mut timers, first);
            moved.extend((0..reads).map(|_| read(&mut timers)));
        }
        assert_eq!(moved, [false, false, false, false, true, false]);
    }

    #[test]
    fn the_kernels_description_is_read() {
        let text = "pos:\t0\nflags:\t02\nclockid: 0\nticks: 3\nsettime flags: 01\nit_value: (0, 49406829)\nit_interval: (1, 5)\n";
        let expected = TimerFd::new(Clock::Realtime, 1_000_000_005, None);
        assert_eq!(parsed(text), Some(expected));
        assert_eq!(parsed("pos:\t0\n"), None);
    }

    #[test]
    fn an_expiry_is_on_the_clock_on_which_it_was_just_now() {
        let offsets = Offsets { realtime_ns: 1_700_000_000_000_000_000, ..Offsets::default() };
        assert_eq!(offsets.clock_of(5_000, 6_000), Clock::Monotonic);
        assert_eq!(offsets.clock_of(1_700_000_000_000_005_000, 6_000), Clock::Realtime);
        assert_eq!(offsets.monotonic_ns(Clock::Realtime, 1_700_000_000_000_005_000), 5_000);
    }
}
