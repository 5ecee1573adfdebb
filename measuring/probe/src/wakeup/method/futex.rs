//! `futex(2)`, which mutexes, semaphores and condition variables are made of: the least that a wake can cost.

use super::Method;
use prazo_sys::wake::{Called, futex_wait, futex_wake};
use std::sync::atomic::{AtomicU32, Ordering};

/// A word that says how many wakes there were.
#[derive(Debug, Default)]
pub(crate) struct Futex(AtomicU32);

impl Method for Futex {
    #[inline]
    fn wake(&self, wakes: u64, stamp: impl FnOnce()) -> Called {
        stamp();
        // ORDERING: release, so that a thread that does not need to wait sees the stamp too.
        self.0.store((wakes as u32).wrapping_add(1), Ordering::Release);
        futex_wake(&self.0)
    }

    #[inline]
    fn wait(&self, wakes: u64, _has_come: impl Fn() -> bool) -> Called {
        match futex_wait(&self.0, wakes as u32) {
            // The wake was faster than the wait.
            Err(libc::EAGAIN) => Ok(()),
            called => called,
        }
    }
}
