//! The scheduler's push: a more urgent thread takes the processor, and the kernel moves the running thread to another one.
//!
//! ```text
//! waking thread   futex wake ─► sleeps 100 µs ─► takes the processor, until the other has moved
//! woken thread    wakes at home ─► may run on both ─► reads the clock ... last reading ══► reading on the other ─► home
//! ```
//! The woken thread may use the other processor only while it runs: the kernel would otherwise wake it there at once.

use super::futex::Futex;
use super::migrate::Move;
use super::{Method, SampleBegin};
use prazo_sys::wake::{Called, Places};
use prazo_sys::{clock, scheduling};
use std::sync::atomic::{AtomicU64, Ordering};

/// Long enough for the woken thread to run at home before the waking thread comes back.
const REST_NS: u64 = 100_000;
/// The waking thread keeps the processor no longer than this: real-time threads on the other processor may be more urgent.
const HOLD_NS: u64 = 1_000_000;
/// The woken thread waits no longer than this to be moved.
const PATIENCE_NS: u64 = 2_000_000;
/// In place of an instant: the thread was not moved.
const NOT_MOVED: u64 = u64::MAX;

/// A move that the scheduler makes.
#[derive(Debug)]
pub(crate) struct Push {
    wakes: Futex,
    home: u32,
    to_home: Places,
    to_either: Places,
    /// How many moves have ended, moved or not.
    ended: AtomicU64,
    /// The last reading at home.
    last_ns: AtomicU64,
}

impl Push {
    /// Of a thread that waits at home.
    pub(crate) fn of(Move { home, target }: Move) -> Self {
        let (to_home, to_either) = (Places::of(&[home]), Places::of(&[home, target]));
        let (ended, last_ns) = (AtomicU64::new(0), AtomicU64::new(NOT_MOVED));
        Self { wakes: Futex::default(), home, to_home, to_either, ended, last_ns }
    }

    /// The last clock reading that was surely taken at home, as soon as the thread runs elsewhere.
    #[inline]
    fn until_moved(&self) -> u64 {
        let start_ns = clock::monotonic_ns();
        let mut last_ns = start_ns;
        let mut is_at_home = scheduling::current_cpu() == self.home;
        while is_at_home {
            let now_ns = clock::monotonic_ns();
            // The reading counts only where the thread is at home before it and behind it.
            is_at_home = scheduling::current_cpu() == self.home;
            if is_at_home {
                last_ns = now_ns;
            }
            if now_ns - start_ns > PATIENCE_NS {
                return NOT_MOVED;
            }
        }
        last_ns
    }
}

impl Method for Push {
    #[inline]
    fn wake(&self, wakes: u64, stamp: impl FnOnce()) -> Called {
        self.wakes.wake(wakes, stamp)?;
        let back_ns = clock::monotonic_ns() + REST_NS;
        while clock::sleep_until(back_ns) != 0 {}
        // ORDERING: relaxed, since the thread only waits for a number and reads nothing behind it.
        while self.ended.load(Ordering::Relaxed) <= wakes && clock::monotonic_ns() < back_ns + HOLD_NS {
            std::hint::spin_loop();
        }
        Ok(())
    }

    #[inline]
    fn wait(&self, wakes: u64, has_come: impl Fn() -> bool) -> Called {
        self.wakes.wait(wakes, &has_come)?;
        if !has_come() {
            return Ok(());
        }
        self.to_either.enter()?;
        self.last_ns.store(self.until_moved(), Ordering::Relaxed);
        self.ended.store(wakes + 1, Ordering::Relaxed);
        Ok(())
    }

    #[inline]
    fn begin_of_sample(&self) -> SampleBegin {
        match self.last_ns.load(Ordering::Relaxed) {
            NOT_MOVED => SampleBegin::NotMoved,
            last_ns => SampleBegin::At(last_ns),
        }
    }

    #[inline]
    fn woken(&self, _wakes: u64) -> Called {
        self.to_home.enter()
    }
}
