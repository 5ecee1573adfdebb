//! `setitimer(ITIMER_REAL)` and its SIGALRM: one timer a process, relative, in whole microseconds.
//!
//! There is no absolute start and no count of expirations. The first due instant is bracketed by two clock reads around the
//! call, and the earlier end of the bracket is taken, so that a latency is overstated by at most the bracket's width.
//! The kernel moves the timer behind the instant at which the signal is taken; which activations that jumps over is worked
//! out from the clock, since nobody counts them.

use prazo_engine::timer::{Arming, Broken, Expected, Timer};
use prazo_engine::when_late::{NextActivation, Served, skip};
use prazo_sys::{clock, signal, timers};
use std::io;

/// The process's interval timer.
pub(crate) struct Setitimer {
    period_ns: u64,
    first_due_ns: u64,
    uncertainty_ns: u64,
    signals: libc::sigset_t,
}

impl Setitimer {
    /// Armed to expire first at the arming's first instant, as nearly as whole microseconds from now allow.
    pub(crate) fn arm(arming: Arming) -> io::Result<Self> {
        let signals = signal::set_of(&[libc::SIGALRM, signal::wake_signal()]);
        signal::block(&signals);
        let before_ns = clock::monotonic_ns();
        let first_us = arming.first_ns.saturating_sub(before_ns).div_ceil(1_000).max(1);
        timers::set_interval_timer(first_us, arming.period_ns / 1_000)?;
        let uncertainty_ns = clock::monotonic_ns() - before_ns;
        Ok(Self { period_ns: arming.period_ns, first_due_ns: before_ns + first_us * 1_000, uncertainty_ns, signals })
    }

    /// How much later than `first_due_ns` the first activation may really have been due.
    pub(crate) fn uncertainty_ns(&self) -> u64 {
        self.uncertainty_ns
    }
}

impl Drop for Setitimer {
    fn drop(&mut self) {
        // The worst that a failure leaves behind is a blocked signal in a process that is about to end.
        let _ = timers::set_interval_timer(0, 0);
    }
}

impl Timer for Setitimer {
    fn first_due_ns(&mut self) -> u64 {
        self.first_due_ns
    }

    #[inline]
    fn wait(&mut self, _due_ns: u64) -> Result<u64, Broken> {
        let arrived = signal::wait(&self.signals).map_err(Broken::of)?;
        if arrived.signal == libc::SIGALRM { Ok(1) } else { Err(Broken::Interrupted) }
    }

    /// The kernel forwarded the timer when the signal was taken, our clock read came a moment later: an activation that
    /// fell between the two was not skipped after all, and is what a wake-up "before its time" is for.
    #[inline]
    fn settle(&self, expected: Expected, now_ns: u64) -> Expected {
        if now_ns < expected.due_ns && expected.skipped > 0 {
            return Expected { due_ns: expected.due_ns - self.period_ns, skipped: expected.skipped - 1 };
        }
        expected
    }

    #[inline]
    fn step(&mut self, served: Served, _expired: u64) -> Result<NextActivation, Broken> {
        Ok(skip(served))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timer() -> Setitimer {
        let signals = signal::set_of(&[]);
        Setitimer { period_ns: 1_000, first_due_ns: 0, uncertainty_ns: 0, signals }
    }

    #[test]
    fn a_wake_up_before_its_time_was_for_the_activation_before() {
        let expected = Expected { due_ns: 10_000, skipped: 3 };
        assert_eq!(timer().settle(expected, 9_100), Expected { due_ns: 9_000, skipped: 2 });
        assert_eq!(timer().settle(expected, 10_050), expected);
        let none = Expected { due_ns: 10_000, skipped: 0 };
        assert_eq!(timer().settle(none, 9_999), none);
    }
}
