//! `timerfd_create(2)` and `read(2)`: the kernel keeps the grid, and each read tells how often the timer expired.

use prazo_engine::timer::{Arming, Broken, Timer};
use prazo_engine::when_late::{NextActivation, Served, after_expirations, re_phase};
use prazo_run::plan::WhenLate;
use prazo_sys::timers::{Expiries, TimerFd};
use std::io;

/// A timer that is read from.
#[derive(Debug)]
pub(crate) struct Timerfd {
    arming: Arming,
    timer: TimerFd,
}

impl Timerfd {
    /// Armed to expire first at the arming's first instant.
    pub(crate) fn arm(arming: Arming) -> io::Result<Self> {
        let timer = TimerFd::new()?;
        timer.arm(Expiries { first_ns: arming.first_ns, period_ns: arming.period_ns })?;
        Ok(Self { arming, timer })
    }

    /// Starts a new grid; the one system call beyond the read, and only after being late.
    #[cold]
    fn start_anew(&mut self, served: Served) -> Result<NextActivation, Broken> {
        let step = re_phase(served);
        let expiries = Expiries { first_ns: step.due_ns, period_ns: served.period_ns };
        self.timer.arm(expiries).map_err(|error| Broken::Failed(error.raw_os_error().unwrap_or(libc::EIO)))?;
        Ok(step)
    }
}

impl Timer for Timerfd {
    fn first_due_ns(&mut self) -> u64 {
        self.arming.first_ns
    }

    #[inline]
    fn wait(&mut self, _due_ns: u64) -> Result<u64, Broken> {
        self.timer.expirations().map_err(Broken::of)
    }

    #[inline]
    fn step(&mut self, served: Served, expired: u64) -> Result<NextActivation, Broken> {
        if expired > 1 && self.arming.when_late == WhenLate::RePhase {
            return self.start_anew(served);
        }
        Ok(after_expirations(self.arming.when_late, served, expired))
    }
}
