//! `tgkill(2)`, which `pthread_kill(3)` calls, and `sigwaitinfo(2)`.

use super::Method;
use prazo_sys::signal;
use prazo_sys::wake::{Addressee, Called};

/// A signal to the thread that made this.
pub(crate) struct Signal {
    to: Addressee,
    awaited: libc::sigset_t,
}

impl Signal {
    /// For the calling thread, which does not take the signal in any other way from now on.
    pub(crate) fn for_this_thread() -> Self {
        let awaited = signal::set_of(&[signal::timer_signal(), signal::wake_signal()]);
        signal::block(&awaited);
        Self { to: Addressee::this_thread(), awaited }
    }
}

impl Method for Signal {
    #[inline]
    fn wake(&self, _wakes: u64, stamp: impl FnOnce()) -> Called {
        stamp();
        self.to.send(signal::timer_signal())
    }

    #[inline]
    fn wait(&self, _wakes: u64, _has_come: impl Fn() -> bool) -> Called {
        match signal::wait(&self.awaited)?.signal {
            arrived if arrived == signal::wake_signal() => Err(libc::EINTR),
            _ => Ok(()),
        }
    }
}
