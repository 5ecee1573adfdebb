//! When the next period of a SCHED_DEADLINE thread was due that gave up its budget by `sched_yield`; pure.
//!
//! The kernel sets a timer for the next budget, on CLOCK_MONOTONIC: its expiry is the due instant. Where that instant is already
//! past, no timer is set and its last expiry is an old one. Then the absolute deadline, which the kernel moves by whole periods
//! on a clock of its own, says how far the due instant is behind the last one that was known.

use super::account::Declared;
use super::record::Call;
use super::wait::Due;

/// What is known of a thread's last budget.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Replenishments {
    last: Option<Last>,
}

#[derive(Clone, Copy, Debug)]
struct Last {
    expiry_ns: u64,
    due_ns: u64,
    deadline_ns: u64,
}

/// The next budget of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Budget {
    /// When it was due.
    pub due: Due,
    /// What the kernel was told.
    pub declared: Declared,
}

impl Replenishments {
    /// A thread's yield returned; `None` for one that is no wait for a period.
    pub(super) fn yielded(&mut self, call: &Call) -> Option<Budget> {
        let [expiry_ns, deadline_ns, period_ns, relative_ns] = call.user;
        if period_ns == 0 || call.result != 0 {
            return None;
        }
        let is_new = self.last.is_none_or(|last| last.expiry_ns != expiry_ns);
        let was_set_here = expiry_ns > 0 && expiry_ns <= call.exit_ns && expiry_ns + period_ns >= call.enter_ns;
        let by_deadline = || {
            let last = self.last?;
            let moved_ns = deadline_ns.checked_sub(last.deadline_ns).filter(|moved| *moved > 0)?;
            Some(last.due_ns + moved_ns)
        };
        let due_ns = if is_new && was_set_here { Some(expiry_ns) } else { by_deadline() };
        let due_ns = due_ns.filter(|due| *due <= call.exit_ns);
        self.last = due_ns.map(|due_ns| Last { expiry_ns, due_ns, deadline_ns });
        let due = due_ns.map_or(Due::Unseen, |due| Due::At(due.cast_signed()));
        Some(Budget { due, declared: Declared { period_ns, deadline_ns: relative_ns } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: Declared = Declared { period_ns: 1_000, deadline_ns: 800 };

    fn yielded(
        all: &mut Replenishments,
        (enter_ns, exit_ns): (u64, u64),
        expiry_ns: u64,
        deadline_ns: u64,
    ) -> Option<Due> {
        let user = [expiry_ns, deadline_ns, DECLARED.period_ns, DECLARED.deadline_ns];
        let budget = all.yielded(&Call { enter_ns, exit_ns, user, ..Call::default() })?;
        assert_eq!(budget.declared, DECLARED);
        Some(budget.due)
    }

    #[test]
    fn a_budget_is_due_when_its_timer_was_or_whole_periods_after_the_last() {
        let mut all = Replenishments::default();
        // The kernel's own clock is 70,000 ahead.
        assert_eq!(yielded(&mut all, (4_300, 5_010), 5_000, 75_800), Some(Due::At(5_000)));
        assert_eq!(yielded(&mut all, (5_300, 6_020), 6_003, 76_800), Some(Due::At(6_003)));
        // It ran into the next period: no timer was set.
        assert_eq!(yielded(&mut all, (7_100, 7_101), 6_003, 77_800), Some(Due::At(7_003)));
        assert_eq!(yielded(&mut all, (9_100, 9_101), 6_003, 79_800), Some(Due::At(9_003)));
        assert_eq!(yielded(&mut all, (9_400, 10_010), 10_001, 80_800), Some(Due::At(10_001)));
    }

    #[test]
    fn a_first_yield_into_a_period_that_is_past_is_unseen() {
        let mut all = Replenishments::default();
        assert_eq!(yielded(&mut all, (7_100, 7_101), 0, 77_800), Some(Due::Unseen));
        assert_eq!(yielded(&mut all, (7_400, 8_010), 8_000, 78_800), Some(Due::At(8_000)));
        let ordinary = Call { enter_ns: 1, exit_ns: 2, ..Call::default() };
        assert_eq!(all.yielded(&ordinary), None);
    }
}
