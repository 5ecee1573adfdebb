//! Constant-bandwidth server: a task gets Q in every P and no more, so that its overrun cannot take another task's time.
//!
//! Under EDF a server's job ranks by the server's deadline d. When the budget c is used up it is filled at once and d moves on
//! by P: the job may go on, but behind everybody whose deadline comes first. When a job finds the server idle, the old
//! pair (c, d) serves on only if it does not exceed the bandwidth, c < (d - now) Q / P; else d = now + P and c = Q. If the
//! bandwidths add up to at most 1, no other server misses its deadline, whatever this one's jobs demand.
//!
//! Abeni and Buttazzo, "Integrating multimedia applications in hard real-time systems", RTSS 1998, section 3.

use crate::time::{Duration, Instant};

/// The budget of one task and the deadline that it is served by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    /// Q.
    full: Duration,
    /// P.
    period: Duration,
    /// c: never zero between operations.
    budget: Duration,
    /// d.
    absolute_deadline: Instant,
}

impl Server {
    /// A server of `budget` (Q) in every `period` (P); `None` unless 0 < Q <= P.
    pub fn new(budget: Duration, period: Duration) -> Option<Self> {
        let fits = !budget.is_zero() && budget <= period;
        fits.then_some(Self { full: budget, period, budget, absolute_deadline: Instant::from_ns(0) })
    }

    /// A job arrives at `now` and finds no other pending; answers the deadline it is served by.
    pub fn arrive(&mut self, now: Instant) -> Instant {
        if !self.may_keep_deadline(now) {
            self.budget = self.full;
            self.absolute_deadline = now + self.period;
        }
        self.absolute_deadline
    }

    /// c < (d - now) Q / P, without a division.
    fn may_keep_deadline(&self, now: Instant) -> bool {
        let left = self.absolute_deadline.as_ns().saturating_sub(now.as_ns());
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        product(self.budget.as_ns(), self.period.as_ns()) < product(left, self.full.as_ns())
    }

    /// The job ran for `ran`; answers the new deadline if that used the budget up.
    ///
    /// Who notices late charges what was really used: the excess counts against the next budget. A deadline beyond the last
    /// instant stays there.
    pub fn charge(&mut self, ran: Duration) -> Option<Instant> {
        if ran < self.budget {
            self.budget = self.budget - ran;
            return None;
        }
        let excess = (ran - self.budget).as_ns();
        let periods = 1 + excess / self.full.as_ns();
        self.budget = Duration::from_ns(self.full.as_ns() - excess % self.full.as_ns());
        let distance_ns = self.period.as_ns().saturating_mul(periods);
        self.absolute_deadline = Instant::from_ns(self.absolute_deadline.as_ns().saturating_add(distance_ns));
        Some(self.absolute_deadline)
    }

    /// How long the job may run until [`charge`](Self::charge) postpones its deadline: when to set the timer.
    pub const fn budget(&self) -> Duration {
        self.budget
    }

    /// P.
    pub const fn period(&self) -> Duration {
        self.period
    }

    /// The deadline that the server's job ranks by.
    pub const fn absolute_deadline(&self) -> Instant {
        self.absolute_deadline
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_ms(ms)
    }

    fn at(ms: u64) -> Instant {
        Instant::from_ns(ms * 1_000_000)
    }

    #[test]
    fn an_overrun_postpones_the_deadline_by_whole_periods() {
        let mut server = Server::new(ms(2), ms(7)).unwrap();
        assert_eq!(server.arrive(at(3)), at(10));
        assert_eq!(server.charge(ms(1)), None);
        assert_eq!(server.charge(ms(1)), Some(at(17)));
        assert_eq!(server.budget(), ms(2));
        assert_eq!(server.charge(ms(5)), Some(at(31)), "noticed late: two budgets and half of the third");
        assert_eq!(server.budget(), ms(1));
    }

    #[test]
    fn an_early_arrival_keeps_the_deadline_only_within_the_bandwidth() {
        let mut server = Server::new(ms(2), ms(8)).unwrap();
        assert_eq!(server.arrive(at(0)), at(8));
        assert_eq!(server.charge(ms(1)), None);
        assert_eq!(server.arrive(at(3)), at(8), "1 ms is less than a quarter of 5 ms");
        assert_eq!(server.arrive(at(4)), at(12), "1 ms is not less than a quarter of 4 ms");
        assert_eq!(server.budget(), ms(2));
    }

    #[test]
    fn a_server_without_budget_or_above_its_period_is_refused() {
        assert_eq!(Server::new(Duration::ZERO, ms(1)), None);
        assert_eq!(Server::new(ms(2), ms(1)), None);
        assert!(Server::new(ms(1), ms(1)).is_some());
    }
}
