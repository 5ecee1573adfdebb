//! One busy loop, as the engine sees it: its wait is to read the clock until a gap shows.

use prazo_core::time::Duration;
use prazo_engine::timer::{Broken, Expected, Timer};
use prazo_engine::when_late::{NextActivation, Served};
use prazo_sys::clock;

/// When a loop runs, and what it looks for; instants are on CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug)]
pub(super) struct Duty {
    /// Readings further apart than this are a gap.
    pub threshold_ns: u64,
    /// Where the first window begins.
    pub first_ns: u64,
    /// Length of a window.
    pub runtime_ns: u64,
    /// Distance of two windows.
    pub period_ns: u64,
    /// What is observed earlier does not count.
    pub measured_from_ns: u64,
    /// Where the run ends.
    pub end_ns: u64,
}

/// What a loop observed that counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// Time between the first and the last reading of each stretch, gaps included.
    pub observed: Duration,
    /// The part of it that gaps took.
    pub lost: Duration,
    /// Readings, without the first of each stretch and those that ended a gap.
    pub reads: u64,
    /// Windows in which it ran.
    pub windows: u64,
    /// Windows that passed before it ran again.
    pub windows_missed: u64,
}

impl Seen {
    /// Average time from one reading to the next, gaps left out.
    pub(super) fn read_ns(&self) -> Option<u64> {
        (self.observed.as_ns() - self.lost.as_ns()).checked_div(self.reads)
    }
}

/// The clock that is read; a test has one that it moves.
pub(super) trait Clock {
    /// The time.
    fn now_ns(&self) -> u64;
    /// Sleeps; 0 or an error number.
    fn sleep_until(&self, at_ns: u64) -> i32;
}

/// CLOCK_MONOTONIC.
#[derive(Debug)]
pub(super) struct SystemClock;

impl Clock for SystemClock {
    #[inline]
    fn now_ns(&self) -> u64 {
        clock::monotonic_ns()
    }
    fn sleep_until(&self, at_ns: u64) -> i32 {
        clock::sleep_until(at_ns)
    }
}

/// Two readings that are far apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Gap {
    from_ns: u64,
    to_ns: u64,
}

/// A loop that looks for gaps.
#[derive(Debug)]
pub(super) struct BusyLoop<C, S> {
    duty: Duty,
    clock: C,
    is_stopped: S,
    /// The number of the window that comes next.
    next_window: u64,
    gap: Gap,
    seen: Seen,
}

impl<C: Clock, S: Fn() -> bool> BusyLoop<C, S> {
    /// A loop that has not begun.
    pub(super) fn new(duty: Duty, clock: C, is_stopped: S) -> Self {
        Self { duty, clock, is_stopped, next_window: 0, gap: Gap::default(), seen: Seen::default() }
    }

    /// What it observed.
    pub(super) fn seen(&self) -> Seen {
        self.seen
    }

    /// Waits until a window is open, and says when it closes.
    fn in_window(&mut self) -> Result<u64, Broken> {
        let Duty { first_ns, runtime_ns, period_ns, end_ns, .. } = self.duty;
        loop {
            let now_ns = self.clock.now_ns();
            let number = now_ns.saturating_sub(first_ns) / period_ns;
            if now_ns >= end_ns {
                return Err(self.over((end_ns.saturating_sub(first_ns)).div_ceil(period_ns)));
            }
            // Of a window that has just begun, it is not known whether the loop would have come.
            if (self.is_stopped)() {
                return Err(self.over(number));
            }
            let begins_ns = first_ns + number * period_ns;
            if now_ns >= begins_ns && now_ns < begins_ns + runtime_ns {
                self.enter(number);
                return Ok((begins_ns + runtime_ns).min(end_ns));
            }
            let opens_ns = if now_ns < begins_ns { begins_ns } else { begins_ns + period_ns };
            // Behind the end no window opens any more.
            if opens_ns >= end_ns {
                return Err(self.over(if now_ns < begins_ns { number } else { number + 1 }));
            }
            match self.clock.sleep_until(opens_ns) {
                0 | libc::EINTR => {}
                errno => return Err(Broken::Failed(errno)),
            }
        }
    }

    /// The loop ends; of the windows before this one, those that it never entered are missed.
    fn over(&mut self, number: u64) -> Broken {
        self.miss_until(number);
        Broken::Over { skipped: 0 }
    }

    /// Counts the windows up to this one that passed unseen.
    fn miss_until(&mut self, number: u64) {
        let missed = number.saturating_sub(self.next_window.max(self.first_measured()));
        self.seen.windows_missed += missed;
        self.next_window = self.next_window.max(number);
    }

    /// The first window that does not begin in the warm-up.
    fn first_measured(&self) -> u64 {
        let Duty { first_ns, period_ns, measured_from_ns, .. } = self.duty;
        measured_from_ns.saturating_sub(first_ns).div_ceil(period_ns)
    }

    /// Counts the window that is open, once, and those that passed unseen.
    fn enter(&mut self, number: u64) {
        if number < self.next_window {
            return;
        }
        self.miss_until(number);
        self.seen.windows += u64::from(number >= self.first_measured());
        self.next_window = number + 1;
    }

    /// Reads the clock until there is a gap, or the window closes.
    #[inline]
    fn look(&mut self, closes_ns: u64) -> Option<Gap> {
        let first_ns = self.clock.now_ns();
        let Duty { threshold_ns, measured_from_ns, .. } = self.duty;
        let counts = first_ns >= measured_from_ns;
        let until_ns = if counts { closes_ns } else { closes_ns.min(measured_from_ns) };
        let (mut before_ns, mut reads) = (first_ns, 0);
        let gap = loop {
            let now_ns = self.clock.now_ns();
            reads += 1;
            if now_ns - before_ns > threshold_ns {
                break Some(Gap { from_ns: before_ns, to_ns: now_ns });
            }
            before_ns = now_ns;
            if now_ns >= until_ns || (self.is_stopped)() {
                break None;
            }
        };
        if counts {
            let last_ns = gap.map_or(before_ns, |gap| gap.to_ns);
            self.seen.observed += Duration::from_ns(last_ns - first_ns);
            self.seen.lost += gap.map_or(Duration::ZERO, |gap| Duration::from_ns(gap.to_ns - gap.from_ns));
            self.seen.reads += reads - u64::from(gap.is_some());
        }
        gap
    }
}

impl<C: Clock, S: Fn() -> bool> Timer for BusyLoop<C, S> {
    fn first_due_ns(&mut self) -> u64 {
        self.duty.first_ns
    }

    /// Each stretch begins with a reading of its own, so that storing a gap is no gap.
    fn wait(&mut self, _due_ns: u64) -> Result<u64, Broken> {
        loop {
            let closes_ns = self.in_window()?;
            if let Some(gap) = self.look(closes_ns) {
                self.gap = gap;
                return Ok(1);
            }
        }
    }

    fn stamp_ns(&self) -> u64 {
        self.gap.to_ns
    }

    fn settle(&self, _expected: Expected, _now_ns: u64) -> Expected {
        Expected { due_ns: self.gap.from_ns, skipped: 0 }
    }

    fn step(&mut self, served: Served, _expired: u64) -> Result<NextActivation, Broken> {
        Ok(NextActivation::to(served.now_ns + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    /// How far the clock moves with each reading.
    const READ_NS: u64 = 10;

    /// A clock that each reading moves on; in some stretches something else has the processor.
    #[derive(Debug)]
    struct Disturbed {
        now_ns: Cell<u64>,
        taken: Vec<(u64, u64)>,
    }

    impl Disturbed {
        fn leave_taken(&self) {
            for (from_ns, to_ns) in &self.taken {
                if (*from_ns..*to_ns).contains(&self.now_ns.get()) {
                    self.now_ns.set(*to_ns);
                }
            }
        }
    }

    impl Clock for Disturbed {
        fn now_ns(&self) -> u64 {
            self.now_ns.set(self.now_ns.get() + READ_NS);
            self.leave_taken();
            self.now_ns.get()
        }
        fn sleep_until(&self, at_ns: u64) -> i32 {
            self.now_ns.set(self.now_ns.get().max(at_ns));
            self.leave_taken();
            0
        }
    }

    fn duty() -> Duty {
        Duty {
            threshold_ns: 50,
            first_ns: 1_000,
            runtime_ns: 400,
            period_ns: 1_000,
            measured_from_ns: 2_200,
            end_ns: 9_500,
        }
    }

    /// Runs a loop to its end: its gaps, and what it observed.
    fn run(duty: Duty, taken: Vec<(u64, u64)>) -> (Vec<Gap>, Seen) {
        let clock = Disturbed { now_ns: Cell::new(0), taken };
        let mut busy = BusyLoop::new(duty, clock, || false);
        let mut gaps = Vec::new();
        while busy.wait(0).is_ok() {
            gaps.push(Gap {
                from_ns: busy.settle(Expected { due_ns: 0, skipped: 0 }, 0).due_ns,
                to_ns: busy.stamp_ns(),
            });
        }
        (gaps, busy.seen())
    }

    #[test]
    fn an_undisturbed_loop_sees_its_windows_and_no_gap() {
        let (gaps, seen) = run(duty(), Vec::new());
        assert_eq!(gaps, []);
        // The second window begins in the warm-up; the one that would begin at 10,000 is behind the end.
        assert_eq!((seen.windows, seen.windows_missed), (7, 0));
        let whole = 7 * 400 + 200;
        assert!((whole - 8 * 3 * READ_NS..=whole + 8 * READ_NS).contains(&seen.observed.as_ns()), "{seen:?}");
        assert_eq!(seen.observed.as_ns(), seen.reads * READ_NS);
    }

    #[test]
    fn a_gap_across_the_end_of_a_window_is_seen_whole_and_one_in_the_pause_is_not() {
        let (gaps, seen) = run(duty(), vec![(3_300, 3_900), (4_500, 4_900), (5_900, 7_800)]);
        assert_eq!(gaps.len(), 1);
        assert!((600..=600 + 2 * READ_NS).contains(&(gaps[0].to_ns - gaps[0].from_ns)), "{gaps:?}");
        // Asleep at 5,900, the loop came back behind the windows that begin at 6,000 and 7,000.
        assert_eq!((seen.windows, seen.windows_missed), (5, 2));
    }

    #[test]
    fn windows_that_pass_before_the_end_are_missed_and_one_that_begins_at_the_end_is_not() {
        // Asleep at 6,900, the loop comes back at the end: the windows that begin at 7,000, 8,000 and 9,000 are behind it.
        let counts = |end_ns, taken| {
            let (_, seen) = run(Duty { end_ns, ..duty() }, vec![taken]);
            (seen.windows, seen.windows_missed)
        };
        assert_eq!(counts(9_500, (6_900, 9_600)), (4, 3));
        assert_eq!(counts(9_000, (6_900, 9_600)), (4, 2));
        // It comes back in the last pause.
        assert_eq!(counts(9_500, (6_900, 9_450)), (4, 3));
    }

    #[test]
    fn a_loop_without_a_pause_and_one_that_is_stopped_end() {
        let (gaps, seen) = run(Duty { runtime_ns: 1_000, ..duty() }, vec![(5_000, 5_100)]);
        assert_eq!((gaps.len(), seen.windows), (1, 7));
        let clock = Disturbed { now_ns: Cell::new(0), taken: Vec::new() };
        let asked = Cell::new(0);
        let mut stopped = BusyLoop::new(Duty { end_ns: u64::MAX, ..duty() }, clock, || {
            asked.set(asked.get() + 1);
            asked.get() > 100
        });
        assert_eq!(stopped.wait(0), Err(Broken::Over { skipped: 0 }));
    }

    /// The slow, obvious twin: which nanoseconds of the windows lie in taken stretches, one by one.
    fn lost_by_counting(duty: Duty, taken: &[(u64, u64)]) -> u64 {
        let is_open = |ns: u64| ns >= duty.first_ns && (ns - duty.first_ns) % duty.period_ns < duty.runtime_ns;
        let is_taken = |ns: u64| taken.iter().any(|(from_ns, to_ns)| (*from_ns..*to_ns).contains(&ns));
        (duty.measured_from_ns..duty.end_ns).filter(|ns| is_open(*ns) && is_taken(*ns)).count() as u64
    }

    proptest! {
        #[test]
        fn what_lies_in_windows_agrees_with_counting(starts in prop::collection::vec((0u64..8, 40u64..250, 60u64..100), 0..8)) {
            // Each within one window, apart from each other, so that every one is a gap of its own.
            let mut taken: Vec<(u64, u64)> = starts
                .iter()
                .map(|(window, at, length)| (1_000 + window * 1_000 + at, 1_000 + window * 1_000 + at + length))
                .collect();
            taken.sort_unstable();
            taken.dedup_by_key(|(from_ns, _)| *from_ns / 1_000);
            taken.retain(|(from_ns, to_ns)| *to_ns <= 2_200 || *from_ns > 2_250);
            let (gaps, seen) = run(duty(), taken.clone());
            let measured = gaps.iter().filter(|gap| gap.from_ns >= duty().measured_from_ns);
            let lost: u64 = measured.clone().map(|gap| gap.to_ns - gap.from_ns).sum();
            let (counted, within) = (lost_by_counting(duty(), &taken), measured.count() as u64 * 2 * READ_NS);
            prop_assert!((counted..=counted + within).contains(&lost), "{lost} lost, {counted} counted");
            prop_assert_eq!(lost, seen.lost.as_ns());
            // Whatever was taken, a reading took as long as ever.
            prop_assert_eq!(seen.read_ns(), Some(READ_NS));
        }
    }
}
