//! The woken thread's way to wait: with one call, for the waking thread, whose stamp is when the activation was due.

use super::method::{Method, SampleBegin};
use super::pair::{OVER, Pair, Wake};
use super::waker::Waker;
use prazo_engine::timer::{Broken, Expected, Timer};
use prazo_engine::when_late::{NextActivation, Served};

/// A thread that has not moved once in so many activations and so long a time is not going to.
const NEVER_MOVED: u64 = 20;
const NEVER_MOVED_NS: u64 = 2_000_000_000;

/// Waits for wakes.
#[derive(Debug)]
pub(super) struct Waiter<'p, M> {
    pair: &'p Pair,
    method: &'p M,
    first_ns: u64,
    period_ns: u64,
    /// The newest wake.
    wake: Wake,
    /// When its sample begins.
    begin_ns: u64,
    /// The number of the wake before it.
    served: u64,
    /// Wakes so far.
    wakes: u64,
    /// Activations without a move before the first one with a move, and the stamp of the first of them.
    unmoved: u64,
    unmoved_since_ns: u64,
}

impl<'p, M: Method> Waiter<'p, M> {
    /// The thread that `waker` wakes.
    pub(super) fn new(waker: &Waker<'p, M>) -> Self {
        let Waker { pair, method, first_ns, period_ns, .. } = *waker;
        Self::of(pair, method, first_ns, period_ns)
    }

    fn of(pair: &'p Pair, method: &'p M, first_ns: u64, period_ns: u64) -> Self {
        let wake = Wake { number: 0, stamp_ns: first_ns };
        Self {
            pair,
            method,
            first_ns,
            period_ns,
            wake,
            begin_ns: first_ns,
            served: 0,
            wakes: 0,
            unmoved: 0,
            unmoved_since_ns: 0,
        }
    }

    /// The end of a wait that was for no activation.
    #[cold]
    fn without_activation(&self, wake: Wake) -> Broken {
        if wake.number == OVER {
            // Whether it can be given back no longer matters.
            let _ = self.method.woken(self.wakes);
            return Broken::Over { skipped: wake.stamp_ns.saturating_sub(self.served) };
        }
        self.pair.failed().map_or(Broken::Interrupted, Broken::Failed)
    }
}

impl<M: Method> Waiter<'_, M> {
    /// A wake without a move: its number is skipped with the next sample, or at the end.
    #[cold]
    fn not_moved(&mut self) -> Broken {
        if let Err(errno) = self.method.woken(self.wakes) {
            return Broken::Failed(errno);
        }
        self.wakes += 1;
        self.pair.has_not_moved(self.wake.number);
        if self.unmoved == 0 {
            self.unmoved_since_ns = self.wake.stamp_ns;
        }
        self.unmoved += 1;
        // Whoever waits for a count of moves would otherwise wait for ever.
        if self.has_never_moved().is_some() { Broken::Failed(libc::ECANCELED) } else { Broken::Interrupted }
    }

    /// In how many activations the thread was to move and did not, if it never did and is not going to.
    pub(super) fn has_never_moved(&self) -> Option<u64> {
        let waited_ns = self.wake.stamp_ns.saturating_sub(self.unmoved_since_ns);
        (self.served == 0 && self.unmoved >= NEVER_MOVED && waited_ns >= NEVER_MOVED_NS).then_some(self.unmoved)
    }
}

impl<M: Method> Timer for Waiter<'_, M> {
    fn first_due_ns(&mut self) -> u64 {
        self.first_ns
    }

    #[inline]
    fn wait(&mut self, _due_ns: u64) -> Result<u64, Broken> {
        let called = self.method.wait(self.wakes, || self.pair.number() != self.wake.number);
        let wake = self.pair.newest();
        match called {
            Ok(()) if wake.number != self.wake.number && wake.number != OVER => {
                self.wake = wake;
                self.begin_ns = match self.method.begin_of_sample() {
                    SampleBegin::AtWake => wake.stamp_ns,
                    SampleBegin::At(begin_ns) => begin_ns,
                    SampleBegin::NotMoved => return Err(self.not_moved()),
                };
                Ok(1)
            }
            Ok(()) | Err(libc::EINTR) => Err(self.without_activation(wake)),
            Err(errno) => Err(Broken::Failed(errno)),
        }
    }

    #[inline]
    fn settle(&self, _expected: Expected, _now_ns: u64) -> Expected {
        Expected { due_ns: self.begin_ns, skipped: self.wake.number - self.served - 1 }
    }

    #[inline]
    fn step(&mut self, _served: Served, _expired: u64) -> Result<NextActivation, Broken> {
        self.method.woken(self.wakes).map_err(Broken::Failed)?;
        (self.served, self.wakes) = (self.wake.number, self.wakes + 1);
        self.pair.is_back(self.served);
        Ok(NextActivation::to(self.first_ns.saturating_add(self.served.saturating_mul(self.period_ns))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_sys::wake::Called;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A thread that does not wait, and moves or stays.
    #[derive(Debug, Default)]
    struct Moving(AtomicBool);

    impl Method for Moving {
        fn wake(&self, _wakes: u64, stamp: impl FnOnce()) -> Called {
            stamp();
            Ok(())
        }
        fn wait(&self, _wakes: u64, _has_come: impl Fn() -> bool) -> Called {
            Ok(())
        }
        fn begin_of_sample(&self) -> SampleBegin {
            if self.0.load(Ordering::Relaxed) { SampleBegin::At(1) } else { SampleBegin::NotMoved }
        }
    }

    /// The wake at which the run ends because the thread does not move, of 200 at this distance; it moves at `moves_at`.
    fn ends_at(period_ns: u64, moves_at: Option<u64>) -> Option<u64> {
        let (pair, method) = (Pair::default(), Moving::default());
        let mut waiter = Waiter::of(&pair, &method, 0, period_ns);
        (1..=200).find(|number| {
            method.0.store(moves_at == Some(*number), Ordering::Relaxed);
            pair.publish(Wake { number: *number, stamp_ns: number * period_ns });
            let waited = waiter.wait(0);
            if waited.is_ok() {
                waiter.step(Served { due_ns: 0, now_ns: 0, period_ns }, 1).unwrap();
            }
            let has_ended = matches!(waited, Err(Broken::Failed(_)));
            assert_eq!(waiter.has_never_moved(), has_ended.then_some(*number));
            has_ended
        })
    }

    #[test]
    fn a_thread_that_never_moves_ends_the_run_after_two_seconds_and_twenty_activations() {
        const MS: u64 = 1_000_000;
        assert_eq!(ends_at(100 * MS, None), Some(21), "two seconds lie between the first wake and this one");
        assert_eq!(ends_at(1_000 * MS, None), Some(20));
        assert_eq!(ends_at(MS, None), None, "it has only tried for a fifth of a second");
        assert_eq!(ends_at(100 * MS, Some(5)), None, "it moved once, and may again");
    }
}
