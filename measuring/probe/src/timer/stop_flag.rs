//! How the user, a signal handler or another thread ends a run early.

use super::sys::event::Alarm;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once, seen within a few milliseconds by the run that it was given to.
#[derive(Debug)]
pub struct StopFlag {
    asked: AtomicBool,
    alarm: Alarm,
}

impl StopFlag {
    /// A flag that is not set; fails where the process has no file descriptors left.
    pub fn new() -> io::Result<Self> {
        Ok(Self { asked: AtomicBool::new(false), alarm: Alarm::new()? })
    }

    /// Asks the run to end. Async-signal-safe: a store and one `write`.
    pub fn stop(&self) {
        self.asked.store(true, Ordering::Relaxed);
        self.alarm.ring();
    }

    /// True once asked.
    pub fn is_set(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// What the recorder waits on; workers ring it when they have ended.
    pub(super) fn alarm(&self) -> &Alarm {
        &self.alarm
    }
}
