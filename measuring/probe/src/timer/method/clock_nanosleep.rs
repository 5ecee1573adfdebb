//! `clock_nanosleep(2)` to an absolute instant: the grid lives in user space and never drifts.

use prazo_engine::timer::{Arming, Broken, Timer};
use prazo_engine::when_late::{NextActivation, Served, step};
use prazo_sys::clock;

/// An absolute sleep.
#[derive(Debug)]
pub(crate) struct ClockNanosleep(Arming);

impl ClockNanosleep {
    /// Needs nothing armed.
    pub(crate) fn arm(arming: Arming) -> Self {
        Self(arming)
    }
}

impl Timer for ClockNanosleep {
    fn first_due_ns(&mut self) -> u64 {
        self.0.first_ns
    }

    #[inline]
    fn wait(&mut self, due_ns: u64) -> Result<u64, Broken> {
        match clock::sleep_until(due_ns) {
            0 => Ok(1),
            errno => Err(Broken::of(errno)),
        }
    }

    #[inline]
    fn step(&mut self, served: Served, _expired: u64) -> Result<NextActivation, Broken> {
        Ok(step(self.0.when_late, served))
    }
}
