//! Clocks and sleeps: CLOCK_MONOTONIC alone decides anything, so that a stepped wall clock changes nothing.

use crate::{check, nanoseconds, timespec};
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

#[inline]
fn read(clock: libc::clockid_t) -> u64 {
    let mut now = timespec(0);
    // SAFETY: `now` is a valid timespec for the kernel (or the vDSO) to fill; the clocks asked for always exist.
    unsafe { libc::clock_gettime(clock, &mut now) };
    nanoseconds(now)
}

/// CLOCK_MONOTONIC, in nanoseconds; no system call where the vDSO serves it.
#[inline]
pub fn monotonic_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// The resolution of CLOCK_MONOTONIC in nanoseconds: 1 where high-resolution timers are active, a tick where not.
pub fn clock_resolution_ns() -> io::Result<u64> {
    let mut resolution = timespec(0);
    // SAFETY: the kernel writes one timespec into a live one.
    let result = unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC, &raw mut resolution) };
    check(result)?;
    Ok(nanoseconds(resolution))
}

/// The wall clock in nanoseconds since 1970, for the label of a run only; `None` before 1970 or beyond 64 bits.
pub fn unix_ns() -> Option<i64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}

/// How long the machine has been suspended since it booted: CLOCK_BOOTTIME runs on then, CLOCK_MONOTONIC does not.
pub fn suspended_ns() -> u64 {
    let monotonic = monotonic_ns();
    read(libc::CLOCK_BOOTTIME).saturating_sub(monotonic)
}

/// How far a clock is ahead of CLOCK_MONOTONIC, in nanoseconds; of several readings the one that took least time.
pub fn ahead_of_monotonic_ns(clock: libc::clockid_t) -> i64 {
    const READINGS: usize = 16;
    let reading = |_| {
        let (before, there, after) = (monotonic_ns(), read(clock), monotonic_ns());
        (after - before, there.cast_signed() - (before + (after - before) / 2).cast_signed())
    };
    (0..READINGS).map(reading).min().map_or(0, |(_, ahead)| ahead)
}

/// Processor time of the calling thread, in nanoseconds.
pub fn thread_cpu_ns() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Processor time of this process, in nanoseconds.
pub fn process_cpu_ns() -> u64 {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// Distance of two of the kernel's ticks in nanoseconds: the coarse clock moves with them.
pub fn tick_period_ns() -> u64 {
    let mut resolution = timespec(0);
    // SAFETY: `resolution` is a valid timespec for the kernel to fill; the clock has existed since Linux 2.6.32.
    unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC_COARSE, &mut resolution) };
    nanoseconds(resolution)
}

/// `clock_nanosleep(2)` to an absolute instant of CLOCK_MONOTONIC; answers 0 or an error number.
#[inline]
pub fn sleep_until(due_ns: u64) -> i32 {
    let due = timespec(due_ns);
    // SAFETY: `due` is a valid timespec; an absolute sleep writes no remainder, so a null pointer is allowed.
    unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &due, std::ptr::null_mut()) }
}

/// `nanosleep(2)` itself; on interruption answers what was left to sleep.
///
/// By number, since glibc's wrapper of this name calls `clock_nanosleep` instead.
#[inline]
pub fn sleep_for(ns: u64) -> Result<(), u64> {
    let (wanted, mut left) = (timespec(ns), timespec(0));
    // SAFETY: both timespecs are valid for the length of the call, the second one for writing.
    match unsafe { libc::syscall(libc::SYS_nanosleep, &raw const wanted, &raw mut left) } {
        0 => Ok(()),
        _ => Err(nanoseconds(left)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_until_an_instant_ends_no_earlier() {
        let due = monotonic_ns() + 2_000_000;
        assert_eq!(sleep_until(due), 0);
        assert!(monotonic_ns() >= due);
    }

    #[test]
    fn a_relative_sleep_lasts_at_least_its_length() {
        let before = monotonic_ns();
        assert_eq!(sleep_for(2_000_000), Ok(()));
        assert!(monotonic_ns() >= before + 2_000_000);
    }

    #[test]
    fn time_spent_suspended_does_not_run_while_awake() {
        let before = suspended_ns();
        sleep_for(5_000_000).unwrap();
        assert!(suspended_ns().abs_diff(before) < 1_000_000_000);
    }
}
