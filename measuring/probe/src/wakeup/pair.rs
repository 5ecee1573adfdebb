//! What the two threads of a pair tell each other: which wake it was and when, that the woken thread is back, that it has ended.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};

/// In place of a number: nothing will come any more, and the stamp is the number of points that there were.
pub(super) const OVER: u64 = u64::MAX;

/// The newest wake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wake {
    /// The point of the grid that it was for, counted from 1; [`OVER`] at the end.
    pub number: u64,
    /// When it came, on CLOCK_MONOTONIC.
    pub stamp_ns: u64,
}

/// Shared by the two threads of a pair. The waking thread writes the first line, the woken one the second.
#[derive(Debug, Default)]
pub(super) struct Pair {
    newest: Newest,
    back: Back,
}

#[derive(Debug, Default)]
#[repr(align(128))]
struct Newest {
    number: AtomicU64,
    stamp_ns: AtomicU64,
    errno: AtomicI32,
}

#[derive(Debug, Default)]
#[repr(align(128))]
struct Back {
    number: AtomicU64,
    has_ended: AtomicBool,
    not_moved: AtomicU64,
}

impl Pair {
    /// The waking thread is about to wake for this.
    #[inline]
    pub(super) fn publish(&self, wake: Wake) {
        self.newest.stamp_ns.store(wake.stamp_ns, Ordering::Relaxed);
        // ORDERING: release, so that whoever sees the number sees its stamp.
        self.newest.number.store(wake.number, Ordering::Release);
    }

    /// Which wake is the newest.
    #[inline]
    pub(super) fn number(&self) -> u64 {
        // ORDERING: acquire, for the stamp behind it.
        self.newest.number.load(Ordering::Acquire)
    }

    /// The newest wake.
    #[inline]
    pub(super) fn newest(&self) -> Wake {
        Wake { number: self.number(), stamp_ns: self.newest.stamp_ns.load(Ordering::Relaxed) }
    }

    /// The woken thread is done with this wake.
    #[inline]
    pub(super) fn is_back(&self, number: u64) {
        // ORDERING: release, so that what the thread did for this wake comes before the next one.
        self.back.number.store(number, Ordering::Release);
    }

    /// True where the woken thread is done with this wake.
    #[inline]
    pub(super) fn is_back_from(&self, number: u64) -> bool {
        self.back.number.load(Ordering::Acquire) == number
    }

    /// The woken thread was to move for this wake, and did not.
    pub(super) fn has_not_moved(&self, number: u64) {
        self.back.not_moved.fetch_add(1, Ordering::Relaxed);
        self.is_back(number);
    }

    /// How often the woken thread did not move.
    pub(super) fn not_moved(&self) -> u64 {
        self.back.not_moved.load(Ordering::Relaxed)
    }

    /// The woken thread will not wait any more.
    pub(super) fn end(&self) {
        self.back.has_ended.store(true, Ordering::Release);
    }

    /// True where the woken thread will not wait any more.
    pub(super) fn has_ended(&self) -> bool {
        self.back.has_ended.load(Ordering::Acquire)
    }

    /// The waking thread's call failed.
    pub(super) fn fail(&self, errno: i32) {
        self.newest.errno.store(errno, Ordering::Release);
    }

    /// The error number of the waking thread's call, if it failed.
    pub(super) fn failed(&self) -> Option<i32> {
        Some(self.newest.errno.load(Ordering::Acquire)).filter(|errno| *errno != 0)
    }
}
