//! How a thread wakes another: one file a method, one call on each side.

pub(super) mod condvar;
mod counted;
pub(super) mod futex;
pub(super) mod mutex;
pub(super) mod signal;

use prazo_sys::wake::Called;

/// A way for one thread to wake another. Wakes are counted from 0, on both sides alike: the next comes only when the woken
/// thread is back from the one before.
pub(super) trait Method: Sync {
    /// The waking thread is about to begin; nobody waits yet.
    fn begin(&self) -> Called {
        Ok(())
    }

    /// Wakes for the `wakes`-th time, with the call right behind `stamp`.
    fn wake(&self, wakes: u64, stamp: impl FnOnce()) -> Called;

    /// Waits for the `wakes`-th time, with one call. `has_come` holds once the wake was stamped. EINTR: a signal came instead.
    fn wait(&self, wakes: u64, has_come: impl Fn() -> bool) -> Called;

    /// The woken thread has its stamp.
    fn woken(&self, _wakes: u64) -> Called {
        Ok(())
    }

    /// The waking thread ends after so many wakes.
    fn end(&self, _wakes: u64) -> Called {
        Ok(())
    }
}
