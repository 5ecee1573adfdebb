//! How the user, a signal handler or another thread ends a run early, or asks it for its figures.

use prazo_sys::alarm::Alarm;
use prazo_sys::signal;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once, seen within a few milliseconds by the run that it was given to.
#[derive(Debug)]
pub struct StopFlag {
    requested: AtomicBool,
    figures_wanted: AtomicBool,
    alarm: Alarm,
}

impl StopFlag {
    /// A flag that is not set; fails where the process has no file descriptors left.
    pub fn new() -> io::Result<Self> {
        Ok(Self { requested: AtomicBool::new(false), figures_wanted: AtomicBool::new(false), alarm: Alarm::new()? })
    }

    /// The flag that SIGINT, SIGTERM and SIGHUP set from now on; the same one at every call. A second such signal ends the
    /// process as if nobody had asked for the first, so that a hung run can still be ended by hand. SIGUSR1 asks for the
    /// figures, as often as it comes.
    pub fn on_interrupt() -> io::Result<&'static Self> {
        static FLAG: OnceLock<StopFlag> = OnceLock::new();
        if FLAG.get().is_none() && FLAG.set(Self::new()?).is_ok() {
            signal::on_interrupt(|| {
                if let Some(flag) = FLAG.get() {
                    flag.stop();
                }
            })?;
            signal::on_figures(|| {
                if let Some(flag) = FLAG.get() {
                    flag.ask_for_figures();
                }
            })?;
        }
        Ok(FLAG.get_or_init(|| unreachable!("it was set above")))
    }

    /// Asks the run to end. Async-signal-safe: an exchange and one `write`.
    ///
    /// Only the first request rings. A caller that asks again at each progress would have the recorder look again at once, and
    /// signal the threads faster than they return from the signals: they would never end.
    pub fn stop(&self) {
        if !self.requested.swap(true, Ordering::Relaxed) {
            self.alarm.ring();
        }
    }

    /// Asks the run for its figures. Async-signal-safe, as stopping is.
    pub fn ask_for_figures(&self) {
        self.figures_wanted.store(true, Ordering::Relaxed);
        self.alarm.ring();
    }

    /// True where somebody has asked for figures since the last call.
    pub fn take_figures_request(&self) -> bool {
        self.figures_wanted.swap(false, Ordering::Relaxed)
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
