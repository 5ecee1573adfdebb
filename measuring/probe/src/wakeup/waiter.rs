//! The woken thread's way to wait: with one call, for the waking thread, whose stamp is when the activation was due.

use super::method::{Method, SampleBegin};
use super::pair::{OVER, Pair, Wake};
use super::waker::Waker;
use prazo_engine::timer::{Broken, Expected, Timer};
use prazo_engine::when_late::{Served, Step};

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
}

impl<'p, M: Method> Waiter<'p, M> {
    /// The thread that `waker` wakes.
    pub(super) fn new(waker: &Waker<'p, M>) -> Self {
        let wake = Wake { number: 0, stamp_ns: waker.first_ns };
        let Waker { pair, method, first_ns, period_ns, .. } = *waker;
        Self { pair, method, first_ns, period_ns, wake, begin_ns: first_ns, served: 0, wakes: 0 }
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
        Broken::Interrupted
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
    fn step(&mut self, _served: Served, _expired: u64) -> Result<Step, Broken> {
        self.method.woken(self.wakes).map_err(Broken::Failed)?;
        (self.served, self.wakes) = (self.wake.number, self.wakes + 1);
        self.pair.is_back(self.served);
        Ok(Step::to(self.first_ns.saturating_add(self.served.saturating_mul(self.period_ns))))
    }
}
