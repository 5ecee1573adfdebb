//! `sched_setaffinity(2)` of a running thread for itself: the kernel stops it, and continues it on the other processor.
//!
//! ```text
//! waking thread   futex wake
//! woken thread    wakes at home ─► stamp ─► sched_setaffinity ══► runs on the other processor ─► own stamp ─► moves home
//! ```

use super::futex::Futex;
use super::{Method, SampleBegin};
use prazo_sys::wake::{Called, Places};
use prazo_sys::{clock, scheduling};
use std::sync::atomic::{AtomicU64, Ordering};

/// Where a thread is while it waits, and where it moves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub home: u32,
    pub target: u32,
}

/// A move that the woken thread asks for.
#[derive(Debug)]
pub(crate) struct Migrate {
    wakes: Futex,
    target: u32,
    to_home: Places,
    to_target: Places,
    requested_ns: AtomicU64,
}

impl Migrate {
    /// Of a thread that waits at home.
    pub(crate) fn of(Move { home, target }: Move) -> Self {
        let (to_home, to_target) = (Places::of(&[home]), Places::of(&[target]));
        Self { wakes: Futex::default(), target, to_home, to_target, requested_ns: AtomicU64::new(0) }
    }
}

impl Method for Migrate {
    #[inline]
    fn wake(&self, wakes: u64, stamp: impl FnOnce()) -> Called {
        self.wakes.wake(wakes, stamp)
    }

    #[inline]
    fn wait(&self, wakes: u64, has_come: impl Fn() -> bool) -> Called {
        self.wakes.wait(wakes, &has_come)?;
        if !has_come() {
            return Ok(());
        }
        // ORDERING: relaxed, since only the woken thread reads it.
        self.requested_ns.store(clock::monotonic_ns(), Ordering::Relaxed);
        self.to_target.enter()
    }

    #[inline]
    fn begin_of_sample(&self) -> SampleBegin {
        // Another program may have changed the affinity in between.
        if scheduling::current_cpu() == self.target {
            SampleBegin::At(self.requested_ns.load(Ordering::Relaxed))
        } else {
            SampleBegin::NotMoved
        }
    }

    #[inline]
    fn woken(&self, _wakes: u64) -> Called {
        self.to_home.enter()
    }
}
