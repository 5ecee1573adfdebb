//! `nanosleep(2)` for one period: relative, so that every latency shifts all that follows.
//!
//! There is no grid of due instants. Each activation is due one period after the clock read that preceded the sleep; the
//! few hundred nanoseconds between that read and the sleep are part of its latency, as they are for any such loop.

use prazo_engine::timer::{Arming, Broken, Timer};
use prazo_engine::when_late::{NextActivation, Served};
use prazo_sys::clock;

/// A relative sleep.
#[derive(Debug)]
pub(crate) struct Nanosleep {
    period_ns: u64,
    /// What an interrupted sleep still owes; a whole period otherwise.
    owed_ns: u64,
}

impl Nanosleep {
    /// Sleeps, absolutely, until one period before the first activation.
    pub(crate) fn arm(arming: Arming) -> Self {
        let period_ns = arming.period_ns;
        while clock::sleep_until(arming.first_ns - period_ns.min(arming.first_ns)) == libc::EINTR {}
        Self { period_ns, owed_ns: period_ns }
    }
}

impl Timer for Nanosleep {
    fn first_due_ns(&mut self) -> u64 {
        clock::monotonic_ns() + self.period_ns
    }

    #[inline]
    fn wait(&mut self, _due_ns: u64) -> Result<u64, Broken> {
        match clock::sleep_for(self.owed_ns) {
            Ok(()) => {
                self.owed_ns = self.period_ns;
                Ok(1)
            }
            Err(left_ns) => {
                self.owed_ns = left_ns;
                Err(Broken::Interrupted)
            }
        }
    }

    #[inline]
    fn step(&mut self, served: Served, _expired: u64) -> Result<NextActivation, Broken> {
        Ok(NextActivation::to(served.now_ns + self.period_ns))
    }
}
