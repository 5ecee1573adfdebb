//! How a thread wakes another: one file a method, one call on each side.

pub(super) mod condvar;
mod counted;
pub(super) mod futex;
pub(super) mod migrate;
pub(super) mod mutex;
pub(super) mod push;
pub(super) mod signal;

use prazo_sys::wake::Called;

/// Where a sample begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleBegin {
    /// At the waking thread's stamp.
    AtWake,
    /// At this instant of CLOCK_MONOTONIC, a stamp of the woken thread.
    At(u64),
    /// The woken thread was to move to another processor and did not: there is no sample.
    NotMoved,
}

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

    /// Where the sample of the wait that just ended begins.
    #[inline]
    fn begin_of_sample(&self) -> SampleBegin {
        SampleBegin::AtWake
    }

    /// The woken thread has its stamp.
    fn woken(&self, _wakes: u64) -> Called {
        Ok(())
    }

    /// The waking thread ends after so many wakes.
    fn end(&self, _wakes: u64) -> Called {
        Ok(())
    }
}
