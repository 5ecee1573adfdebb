//! From a system call that returned to what the thread waited for, and to the instant that was due; pure.
//!
//! An absolute sleep says its instant itself. A relative sleep has no due instant. A signal that a timer sent is due when that
//! timer was. What another thread or a device woke is due when it was woken. Reads of a timerfd are in `thread`, which
//! remembers the timers.

use super::calls::{self, Meaning};
use super::record::{Call, Off};
use prazo_core::words;

words!(Clock: Monotonic => "monotonic", Realtime => "realtime", Boottime => "boottime", Tai => "tai");

/// The clock that due instants are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clock {
    /// CLOCK_MONOTONIC.
    Monotonic,
    /// CLOCK_REALTIME.
    Realtime,
    /// CLOCK_BOOTTIME.
    Boottime,
    /// CLOCK_TAI.
    Tai,
}

words!(Rule: Absolute => "absolute", Timer => "timer", Relative => "relative", Event => "event");

/// How the instant is found at which a wait is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The program names it.
    Absolute,
    /// A timer that the program has set expires.
    Timer,
    /// It is not: the program names a duration.
    Relative,
    /// Another thread, a device or a signal wakes the thread.
    Event,
}

/// One kind of wait of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// The system call, as in `clock_nanosleep` or `epoll_wait(timerfd)`.
    pub wait: String,
    /// How its due instant is found.
    pub rule: Rule,
    /// The clock of the due instants.
    pub clock: Clock,
}

/// The instant that a wait was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// On the source's clock.
    At(i64),
    /// When the kernel's timer that woke the thread was programmed to expire, on that timer's clock.
    Expiry(u64),
    /// When it was woken.
    Woken,
    /// There is none.
    None,
    /// It cannot be told.
    Unseen,
}

/// How a call ended, to a thread that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// It was no wait.
    NoWait,
    /// A signal or a stop interrupted the wait, which goes on in another call.
    Interrupted(Source),
    /// The wait is over.
    Released(Source, Due),
}

/// The flag of an absolute time.
const ABSOLUTE: u64 = libc::TIMER_ABSTIME as u64;
const FUTEX_COMMAND: u64 = 127;
const FUTEX_CLOCK_REALTIME: u64 = 256;
/// Commands that wait with a relative time, and with an absolute one on CLOCK_MONOTONIC or, with the flag above, CLOCK_REALTIME.
const FUTEX_WAIT: u64 = 0;
const FUTEX_WAIT_BITSET: u64 = 9;

/// What the kernel answers itself when a signal interrupts a call.
fn is_interrupted(result: i64) -> bool {
    (-516..=-512).contains(&result) || result == -i64::from(libc::EINTR)
}

/// How this call ended; `sleep` is the last stretch in which the thread blocked in it.
pub(super) fn ended(call: &Call, sleep: Option<&Off>) -> Ended {
    let wait = || calls::name(call.call);
    let of = |rule, clock| Source { wait: wait(), rule, clock };
    let relative = || of(Rule::Relative, Clock::Monotonic);
    let event = || match sleep {
        Some(_) => Ended::Released(of(Rule::Event, Clock::Monotonic), Due::Woken),
        None => Ended::NoWait,
    };
    match calls::meaning(call.call) {
        Meaning::ClockNanosleep => {
            let source = match call.args[1] & ABSOLUTE {
                0 => relative(),
                _ => of(Rule::Absolute, clock(call.args[0])),
            };
            let due = if source.rule == Rule::Absolute { Due::At(instant(call)) } else { Due::None };
            sleep_ended(call, source, due)
        }
        Meaning::Nanosleep => sleep_ended(call, relative(), Due::None),
        Meaning::Files if call.result == 0 && sleep.is_some() => Ended::Released(relative(), Due::None),
        Meaning::Files if is_interrupted(call.result) => Ended::Interrupted(relative()),
        Meaning::Futex => futex(call, of(Rule::Event, Clock::Monotonic), sleep),
        Meaning::Signal => signal(call, of(Rule::Timer, Clock::Monotonic), sleep),
        Meaning::Files | Meaning::Read | Meaning::Other if call.result >= 0 => event(),
        _ => Ended::NoWait,
    }
}

fn sleep_ended(call: &Call, source: Source, due: Due) -> Ended {
    match call.result {
        0 => Ended::Released(source, due),
        result if is_interrupted(result) => Ended::Interrupted(source),
        // Wrong arguments: it did not wait.
        _ => Ended::NoWait,
    }
}

fn futex(call: &Call, event: Source, sleep: Option<&Off>) -> Ended {
    let timed_out = call.result == -i64::from(libc::ETIMEDOUT);
    let absolute = if call.args[1] & FUTEX_CLOCK_REALTIME == 0 { Clock::Monotonic } else { Clock::Realtime };
    match call.args[1] & FUTEX_COMMAND {
        FUTEX_WAIT_BITSET if timed_out => {
            Ended::Released(Source { rule: Rule::Absolute, clock: absolute, ..event }, Due::At(instant(call)))
        }
        FUTEX_WAIT if timed_out => Ended::Released(Source { rule: Rule::Relative, ..event }, Due::None),
        _ if is_interrupted(call.result) => Ended::Interrupted(event),
        _ if call.result >= 0 && sleep.is_some() => Ended::Released(event, Due::Woken),
        _ => Ended::NoWait,
    }
}

/// A signal of a timer is due when that timer was; whether a signal that was pending already is a timer's, nobody sees.
fn signal(call: &Call, timer: Source, sleep: Option<&Off>) -> Ended {
    let came = call.result > 0 || is_interrupted(call.result);
    match sleep {
        _ if call.result == -i64::from(libc::EAGAIN) => {
            Ended::Released(Source { rule: Rule::Relative, ..timer }, Due::None)
        }
        Some(sleep) if came && sleep.due_ns > 0 => Ended::Released(timer, Due::Expiry(sleep.due_ns)),
        Some(_) if came => Ended::Released(Source { rule: Rule::Event, ..timer }, Due::Woken),
        None if came => Ended::Released(timer, Due::Unseen),
        _ => Ended::NoWait,
    }
}

/// The instant that the caller's memory names.
fn instant(call: &Call) -> i64 {
    time(call.user[0], call.user[1])
}

/// Seconds and nanoseconds as nanoseconds.
pub(super) fn time(seconds: u64, nanoseconds: u64) -> i64 {
    seconds.cast_signed().saturating_mul(1_000_000_000).saturating_add(nanoseconds.cast_signed())
}

/// A clock by the kernel's number; alarm clocks run with those that they wake the machine for.
pub(super) fn clock(number: u64) -> Clock {
    match i32::try_from(number).unwrap_or(libc::CLOCK_MONOTONIC) {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_ALARM => Clock::Realtime,
        libc::CLOCK_BOOTTIME | libc::CLOCK_BOOTTIME_ALARM => Clock::Boottime,
        libc::CLOCK_TAI => Clock::Tai,
        _ => Clock::Monotonic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(number: libc::c_long, args: [u64; 4], result: i64) -> Call {
        Call { call: number as u32, args, result, user: [7, 5, 0, 0], enter_ns: 1, exit_ns: 2, ..Call::default() }
    }

    fn released(ended: Ended) -> (String, Rule, Clock, Due) {
        let Ended::Released(source, due) = ended else { panic!("{ended:?}") };
        (source.wait, source.rule, source.clock, due)
    }

    #[test]
    fn an_absolute_sleep_is_due_at_its_instant_and_a_relative_one_never() {
        let sleep =
            |clock: libc::clockid_t, flags: u64| call(libc::SYS_clock_nanosleep, [clock as u64, flags, 0, 0], 0);
        let absolute = released(ended(&sleep(libc::CLOCK_REALTIME, 1), None));
        assert_eq!(absolute, ("clock_nanosleep".into(), Rule::Absolute, Clock::Realtime, Due::At(7_000_000_005)));
        let relative = released(ended(&sleep(libc::CLOCK_MONOTONIC, 0), None));
        assert_eq!(relative, ("clock_nanosleep".into(), Rule::Relative, Clock::Monotonic, Due::None));
    }

    #[test]
    fn a_stop_interrupts_a_sleep_and_a_wrong_argument_is_no_wait() {
        let sleep = |result| ended(&call(libc::SYS_clock_nanosleep, [1, 1, 0, 0], result), None);
        assert!(matches!(sleep(-514), Ended::Interrupted(_)));
        assert_eq!(sleep(-i64::from(libc::EINVAL)), Ended::NoWait);
    }

    #[test]
    fn a_futex_is_due_at_its_absolute_limit_or_when_it_was_woken() {
        let futex =
            |operation, result, sleep| released(ended(&call(libc::SYS_futex, [0, operation, 0, 0], result), sleep));
        let late = futex(FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME | 128, -i64::from(libc::ETIMEDOUT), None);
        assert_eq!(late, ("futex".into(), Rule::Absolute, Clock::Realtime, Due::At(7_000_000_005)));
        let off = Off::default();
        assert_eq!(futex(128, 0, Some(&off)).1, Rule::Event);
    }

    #[test]
    fn a_timers_signal_is_due_when_the_timer_was() {
        let off = Off { due_ns: 99, ..Off::default() };
        let wait = call(libc::SYS_rt_sigtimedwait, [0; 4], 14);
        assert_eq!(released(ended(&wait, Some(&off))).3, Due::Expiry(99));
        assert_eq!(released(ended(&wait, None)).3, Due::Unseen);
        assert_eq!(released(ended(&wait, Some(&Off::default()))).1, Rule::Event);
    }
}
