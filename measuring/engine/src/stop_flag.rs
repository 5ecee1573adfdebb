//! How the user, a signal handler or another thread ends a run early.

use prazo_sys::alarm::Alarm;
use prazo_sys::signal;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once, seen within a few milliseconds by the run that it was given to.
#[derive(Debug)]
pub struct StopFlag {
    requested: AtomicBool,
    alarm: Alarm,
}

impl StopFlag {
    /// A flag that is not set; fails where the process has no file descriptors left.
    pub fn new() -> io::Result<Self> {
        Ok(Self { requested: AtomicBool::new(false), alarm: Alarm::new()? })
    }

    /// The flag that SIGINT, SIGTERM and SIGHUP set from now on; the same one at every call. A second such signal ends the
    /// process as if nobody had asked for the first, so that a hung run can still be ended by hand.
    pub fn on_interrupt() -> io::Result<&'static Self> {
        static FLAG: OnceLock<StopFlag> = OnceLock::new();
        if FLAG.get().is_none() && FLAG.set(Self::new()?).is_ok() {
            signal::on_interrupt(|| {
                if let Some(flag) = FLAG.get() {
                    flag.stop();
                }
            })?;
        }
        Ok(FLAG.get_or_init(|| unreachable!("it was set above")))
    }

    /// Asks the run to end. Async-signal-safe: a store and one `write`.
    pub fn stop(&self) {
        self.requested.store(true, Ordering::Relaxed);
        self.alarm.ring();
    }

    /// True once asked.
    pub fn is_set(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// What the recorder waits on; workers ring it when they have ended.
    pub fn alarm(&self) -> &Alarm {
        &self.alarm
    }
}
