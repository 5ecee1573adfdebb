//! The scheduler's push: a more urgent thread takes the processor, and the kernel moves the running thread to another one.
//!
//! ```text
//! waking thread   futex wake ─► sleeps 100 µs ─► takes the processor, until the other has moved
//! woken thread    wakes at home ─► may run on both ─► reads the clock ... last reading ══► reading on the other ─► home
//! ```
//! The woken thread may use the other processor only while it runs: the kernel would otherwise wake it there at once. It says
//! that its move has ended only after its stamp, since the waking thread reads that word all the time: to write it takes as long
//! as to fetch it from the other processor.

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
/// Longer than the waking thread keeps the processor: behind that, nothing moves the woken thread.
const PATIENCE_NS: u64 = REST_NS + HOLD_NS + 100_000;
/// In place of an instant: the thread was not moved, or was moved before it read the clock at home.
const NO_SAMPLE: u64 = u64::MAX;

/// A move that the scheduler makes.
#[derive(Debug)]
pub(crate) struct Push {
    wakes: Futex,
    home: u32,
    to_home: Places,
    to_either: Places,
    /// How many moves have ended, moved or not.
    ended: Ended,
    /// The last reading at home.
    last_ns: AtomicU64,
}

/// A cache line of its own, so that what the woken thread writes before its stamp is not on it.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Ended(AtomicU64);

impl Push {
    /// Of a thread that waits at home.
    pub(crate) fn of(Move { home, target }: Move) -> Self {
        let (to_home, to_either) = (Places::of(&[home]), Places::of(&[home, target]));
        let last_ns = AtomicU64::new(NO_SAMPLE);
        Self { wakes: Futex::default(), home, to_home, to_either, ended: Ended::default(), last_ns }
    }
}

/// The last clock reading that was surely taken at home, as soon as the thread runs elsewhere.
#[inline]
fn last_at_home(is_at_home: impl Fn() -> bool, now_ns: impl Fn() -> u64) -> u64 {
    let (start_ns, mut last_ns) = (now_ns(), NO_SAMPLE);
    let mut is_here = is_at_home();
    while is_here {
        let read_ns = now_ns();
        // The reading counts only where the thread is at home before it and behind it.
        is_here = is_at_home();
        if is_here {
            last_ns = read_ns;
            // A thread that has moved has a sample, however long its move took.
            if read_ns - start_ns > PATIENCE_NS {
                return NO_SAMPLE;
            }
        }
    }
    last_ns
}

impl Method for Push {
    #[inline]
    fn wake(&self, wakes: u64, stamp: impl FnOnce()) -> Called {
        self.wakes.wake(wakes, stamp)?;
        let back_ns = clock::monotonic_ns() + REST_NS;
        while clock::sleep_until(back_ns) != 0 {}
        // ORDERING: relaxed, since the thread only waits for a number and reads nothing behind it.
        while self.ended.0.load(Ordering::Relaxed) <= wakes && clock::monotonic_ns() < back_ns + HOLD_NS {
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
        let last_ns = last_at_home(|| scheduling::current_cpu() == self.home, clock::monotonic_ns);
        // ORDERING: relaxed, since only the woken thread reads it.
        self.last_ns.store(last_ns, Ordering::Relaxed);
        Ok(())
    }

    #[inline]
    fn begin_of_sample(&self) -> SampleBegin {
        match self.last_ns.load(Ordering::Relaxed) {
            NO_SAMPLE => SampleBegin::NotMoved,
            last_ns => SampleBegin::At(last_ns),
        }
    }

    #[inline]
    fn woken(&self, wakes: u64) -> Called {
        // ORDERING: relaxed, as where it is read. The waking thread must leave the processor before this thread comes home.
        self.ended.0.store(wakes + 1, Ordering::Relaxed);
        self.to_home.enter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Readings of a clock, and at which of them the thread is elsewhere from then on.
    fn read(times_ns: &[u64], moves_at: usize) -> u64 {
        let reading = Cell::new(0);
        let now_ns = || {
            let place = reading.get();
            reading.set(place + 1);
            times_ns[place.min(times_ns.len() - 1)]
        };
        last_at_home(|| reading.get() <= moves_at, now_ns)
    }

    #[test]
    fn a_move_has_ended_only_after_the_stamp() {
        let here = scheduling::current_cpu();
        // Nobody else runs at that home, so that the thread is seen to be away at once.
        let push = Push { home: u32::MAX, ..Push::of(Move { home: here, target: here }) };
        push.wakes.wake(0, || {}).unwrap();
        push.wait(0, || true).unwrap();
        assert_eq!(push.ended.0.load(Ordering::Relaxed), 0, "the stamp comes between these two calls");
        push.woken(0).unwrap();
        assert_eq!(push.ended.0.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_sample_begins_with_the_last_reading_at_home() {
        assert_eq!(read(&[10, 20, 30, 40], 3), 30);
    }

    #[test]
    fn a_thread_that_is_moved_before_it_reads_the_clock_at_home_has_no_sample() {
        assert_eq!(read(&[10, 20, 30], 0), NO_SAMPLE);
        assert_eq!(read(&[10, 20, 30], 1), NO_SAMPLE);
    }

    #[test]
    fn a_long_move_is_a_sample_and_a_thread_that_stays_has_none() {
        // The second reading at home is the last; the next is taken elsewhere, long behind the patience.
        assert_eq!(read(&[10, 20, 30, 30 + 5_000_000], 2), 20);
        assert_eq!(read(&[10, 20, 30 + 5_000_000], usize::MAX), NO_SAMPLE);
    }
}
