//! Work that takes processor time and nothing else, in steps between which a thread looks at where and when it is.

use prazo_sys::usage::Usage;
use prazo_sys::{clock, scheduling};
use std::hint::black_box;

/// Time off the processor that is worth asking the kernel whether it was a preemption; below it are interrupts and reading clocks.
const AWAY_NS: u64 = 10_000;

/// Where and when a thread is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moment {
    /// CLOCK_MONOTONIC.
    pub at_ns: u64,
    /// Its processor time so far.
    pub used_ns: u64,
    /// Its processor.
    pub cpu: u32,
}

impl Moment {
    /// Now, of the calling thread.
    #[inline]
    pub(super) fn now() -> Self {
        Self { at_ns: clock::monotonic_ns(), used_ns: clock::thread_cpu_ns(), cpu: scheduling::current_cpu() }
    }

    /// How long the thread was off its processor since `earlier`.
    pub(super) fn away_ns(&self, earlier: &Self) -> u64 {
        (self.at_ns - earlier.at_ns).saturating_sub(self.used_ns - earlier.used_ns)
    }

    /// True if so long that it may have been preempted.
    pub(super) fn was_away(&self, earlier: &Self) -> bool {
        self.cpu != earlier.cpu || self.away_ns(earlier) > AWAY_NS
    }
}

/// How often the kernel has taken a processor from the calling thread.
pub(super) fn preemptions() -> u64 {
    Usage::now().involuntary_switches
}

/// How often the calling thread has left a processor, to wait or because the kernel took it away.
pub(super) fn switches() -> u64 {
    let usage = Usage::now();
    usage.voluntary_switches + usage.involuntary_switches
}

/// True if the thread left its processor for a time between two moments with their numbers of switches.
pub(super) fn has_left(before: (Moment, u64), now: (Moment, u64)) -> bool {
    now.0.was_away(&before.0) && now.1 != before.1
}

/// One step of work: so many turns of a loop that cannot be shortened.
#[inline(never)]
pub(super) fn step(turns: u64) -> u64 {
    let mut value = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for turn in 0..turns {
        value = black_box(value.rotate_left(7) ^ turn);
    }
    value
}

/// Turns that take about `step_ns` of the calling thread's processor time where it runs now: the fewest of several trials.
pub(super) fn turns_of(step_ns: u64) -> u64 {
    const TRIAL: u64 = 20_000;
    let trial = || {
        let before = clock::thread_cpu_ns();
        black_box(step(TRIAL));
        (clock::thread_cpu_ns() - before).max(1)
    };
    let shortest_ns = (0..5).map(|_| trial()).min().unwrap_or(1);
    (u128::from(TRIAL) * u128::from(step_ns) / u128::from(shortest_ns)).clamp(1, u128::from(u32::MAX)) as u64
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use prazo_run::jobs::{Dispatch, Executions, LockProtocol, Releases, Reservation, SetPlan, TaskPlan};

    /// One task of 1 ms in 10 ms on processors 0 and 1.
    pub(crate) fn plan(dispatch: Dispatch) -> SetPlan {
        let reservation = Reservation { budget_ns: 1_000_000, deadline_ns: 10_000_000, period_ns: 10_000_000 };
        let task = TaskPlan {
            name: "a".into(),
            cluster: 0,
            period_ns: 10_000_000,
            deadline_ns: 10_000_000,
            releases: Releases::Grid { first_ns: 0 },
            executions: Executions::Constant { ns: 1_000_000 },
            reservation: Some(reservation),
            priority: None,
            sections: Vec::new(),
        };
        let (name, clusters) = ("set".to_owned(), vec![vec![0, 1]]);
        let (length_ns, step_ns, spare_ns) = (100_000_000, 5_000, None);
        SetPlan {
            name,
            dispatch,
            clusters,
            tasks: vec![task],
            length_ns,
            step_ns,
            spare_ns,
            protocol: LockProtocol::Plain,
        }
    }

    #[test]
    fn a_step_of_twice_the_turns_takes_longer() {
        let turns = turns_of(1_000_000);
        let used = |turns| {
            let before = clock::thread_cpu_ns();
            black_box(step(turns));
            clock::thread_cpu_ns() - before
        };
        let shortest = |turns| (0..5).map(|_| used(turns)).min().unwrap();
        let (one, four) = (shortest(turns), shortest(4 * turns));
        assert!(four > 2 * one, "{one} ns, four times as many turns {four} ns");
    }

    #[test]
    fn an_interrupt_that_takes_long_is_no_wait() {
        let before = Moment { at_ns: 62_631, used_ns: 1_000, cpu: 0 };
        let interrupted = Moment { at_ns: 98_023, ..before };
        assert!(interrupted.was_away(&before));
        assert!(!has_left((before, 3), (interrupted, 3)) && has_left((before, 3), (interrupted, 4)));
    }

    #[test]
    fn who_sleeps_was_away_and_who_works_was_not_for_as_long() {
        let before = Moment::now();
        clock::sleep_for(5_000_000).unwrap();
        let after = Moment::now();
        assert!(after.was_away(&before) && after.away_ns(&before) > 3_000_000);
        let (still, elsewhere) = (Moment { at_ns: 9, used_ns: 9, cpu: 0 }, Moment { at_ns: 9, used_ns: 9, cpu: 1 });
        assert!(elsewhere.was_away(&still) && !still.was_away(&still));
    }
}
