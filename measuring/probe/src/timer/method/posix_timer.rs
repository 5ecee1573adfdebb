//! `timer_create(2)` with a signal to the thread, taken by `sigwaitinfo(2)`, which also brings the overrun count.
//!
//! cyclictest's mode of this name asks `timer_getoverrun` as well, a second system call an activation; `si_overrun` says it.

use prazo_engine::timer::{Arming, Broken, Timer};
use prazo_engine::when_late::{NextActivation, Served, after_expirations};
use prazo_sys::signal;
use prazo_sys::timers::{Expiries, PosixTimer};
use std::io;

/// A timer that sends a signal to its thread.
pub(crate) struct Posix {
    arming: Arming,
    signals: libc::sigset_t,
    _timer: PosixTimer,
}

impl Posix {
    /// Armed to expire first at the arming's first instant, for the calling thread.
    pub(crate) fn arm(arming: Arming) -> io::Result<Self> {
        let signals = signal::set_of(&[signal::timer_signal(), signal::wake_signal()]);
        signal::block(&signals);
        let timer = PosixTimer::new()?;
        timer.arm(Expiries { first_ns: arming.first_ns, period_ns: arming.period_ns })?;
        Ok(Self { arming, signals, _timer: timer })
    }
}

impl Timer for Posix {
    fn first_due_ns(&mut self) -> u64 {
        self.arming.first_ns
    }

    #[inline]
    fn wait(&mut self, _due_ns: u64) -> Result<u64, Broken> {
        let arrived = signal::wait(&self.signals).map_err(Broken::of)?;
        if arrived.signal == signal::wake_signal() {
            return Err(Broken::Interrupted);
        }
        Ok(1 + arrived.overruns)
    }

    #[inline]
    fn step(&mut self, served: Served, expired: u64) -> Result<NextActivation, Broken> {
        Ok(after_expirations(self.arming.when_late, served, expired))
    }
}
