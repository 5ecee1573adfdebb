//! How much of a rate is due: many small things a second, sent in bunches on a fixed grid.

use prazo_sys::clock;

/// Time that a sender may be behind; what is older is given up.
const BEHIND_NS_MAX: u64 = 100_000_000;
/// How many are sent together where no rate is kept to.
const BUNCH: u64 = 64;

/// A sender's account.
#[derive(Debug)]
pub(super) struct Pace {
    rate: Option<f64>,
    grid_ns: u64,
    begun_ns: u64,
    woken_ns: u64,
    done: u64,
}

impl Pace {
    /// `rate` a second from now on, on a grid of `grid_ns`; without a rate as many as go.
    pub(super) fn new(rate: Option<f64>, grid_ns: u64) -> Self {
        let now_ns = clock::monotonic_ns();
        Self { rate, grid_ns, begun_ns: now_ns, woken_ns: now_ns, done: 0 }
    }

    /// Sleeps until some are due, and says how many.
    pub(super) fn next_bunch(&mut self) -> u64 {
        let Some(rate) = self.rate else { return BUNCH };
        loop {
            self.woken_ns = (self.woken_ns + self.grid_ns).max(clock::monotonic_ns());
            clock::sleep_until(self.woken_ns);
            let due = self.take_due(rate, clock::monotonic_ns());
            if due > 0 {
                return due;
            }
        }
    }

    fn take_due(&mut self, rate: f64, now_ns: u64) -> u64 {
        let due = |ns: u64| (ns as f64 * rate / 1e9) as u64;
        let all = due(now_ns.saturating_sub(self.begun_ns));
        let bunch = all.saturating_sub(self.done).min(due(BEHIND_NS_MAX).max(1));
        self.done = all;
        bunch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace() -> Pace {
        Pace { rate: Some(1_000.0), grid_ns: 100_000, begun_ns: 0, woken_ns: 0, done: 0 }
    }

    #[test]
    fn what_is_due_is_sent_once() {
        let mut pace = pace();
        assert_eq!(pace.take_due(1_000.0, 999_999), 0);
        assert_eq!(pace.take_due(1_000.0, 3_000_000), 3);
        assert_eq!(pace.take_due(1_000.0, 3_000_000), 0);
    }

    #[test]
    fn a_sender_far_behind_gives_up_what_is_old() {
        let mut pace = pace();
        assert_eq!(pace.take_due(1_000.0, 5_000_000_000), 100);
        assert_eq!(pace.take_due(1_000.0, 5_001_000_000), 1);
    }

    #[test]
    fn the_slowest_rate_is_kept_too() {
        let mut pace = pace();
        assert_eq!(pace.take_due(0.5, 2_000_000_000), 1);
    }
}
