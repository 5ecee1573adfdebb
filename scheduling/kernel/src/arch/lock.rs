//! A ticket lock that keeps interrupts off on the processor that holds it.
//!
//! Tickets make waiting fair and bounded: a processor waits for those that came before it and for no other. A guard may
//! be carried over a [`switch`](super::switch): the lock is then held by the processor, and the thread that resumes
//! there lets go of it through the guard on its own stack.

use super::interrupt::{self, Uninterrupted};
use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicU32, Ordering};

/// A value that one processor at a time reaches, with its interrupts off.
pub struct Lock<T> {
    next: AtomicU32,
    serving: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: the tickets let one processor at a time reach the value, which needs to be sendable for that, not shareable.
unsafe impl<T: Send> Sync for Lock<T> {}

/// The right to the value of a [`Lock`]; interrupts come back as they were when it goes.
pub struct Guard<'a, T> {
    lock: &'a Lock<T>,
    interrupts_were_on: bool,
}

impl<T> Lock<T> {
    /// A free lock around `value`.
    pub const fn new(value: T) -> Self {
        Self { next: AtomicU32::new(0), serving: AtomicU32::new(0), value: UnsafeCell::new(value) }
    }

    /// Waits for the lock, interrupts off. A processor that holds it already would wait for ever.
    #[inline]
    pub fn lock(&self) -> Guard<'_, T> {
        let interrupts_were_on = interrupt::turn_off();
        self.wait();
        Guard { lock: self, interrupts_were_on }
    }

    /// As [`lock`](Self::lock), for who knows that interrupts are off; they stay off when the guard goes.
    #[inline]
    pub fn lock_within(&self, _: &Uninterrupted) -> Guard<'_, T> {
        self.wait();
        Guard { lock: self, interrupts_were_on: false }
    }

    #[inline]
    fn wait(&self) {
        let ticket = self.next.fetch_add(1, Ordering::Relaxed);
        // ORDERING: pairs with the store in `release`, so that the last holder's writes are seen.
        while self.serving.load(Ordering::Acquire) != ticket {
            core::hint::spin_loop();
        }
    }

    /// The guard of a thread that begins: the thread that left this processor took the lock, this one lets go of it,
    /// with interrupts on thereafter.
    ///
    /// # Safety
    /// This processor holds the lock, handed over by a switch to a thread that has not run yet; once for each such switch.
    pub(super) unsafe fn adopt(&self) -> Guard<'_, T> {
        Guard { lock: self, interrupts_were_on: true }
    }

    #[inline]
    fn release(&self) {
        let served = self.serving.load(Ordering::Relaxed);
        // ORDERING: pairs with the load in `lock`. Only the holder writes, so a plain sum is enough.
        self.serving.store(served.wrapping_add(1), Ordering::Release);
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the guard's existence means that this processor holds the lock.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`; the mutable borrow of the guard makes it the only one.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.release();
        if self.interrupts_were_on {
            interrupt::turn_on();
        }
    }
}
