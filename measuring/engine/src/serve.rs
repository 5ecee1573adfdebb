//! The measuring loop: one sleep, one clock read, one store; and the counts that must add up behind it.
//!
//! ```text
//! due = served + skipped (+ at most one outstanding)
//! ```
//! What a loop counts is decided here alone: activations due before the end of the run, or up to the one that completes a
//! count, or by the instant at which it was stopped, were served, jumped over, or (one at most, when a stop interrupts its
//! wait) outstanding.

use super::control::{Control, Reason};
use super::ring::{Gap, Producer, Sample};
use super::timer::{Broken, Expected, Timer};
use super::when_late::{NextActivation, Served, due_before};
use prazo_sys::clock;
use std::sync::atomic::{AtomicBool, Ordering};

/// How long behind its end a run may go on to catch up before what is left is counted as skipped.
pub(crate) const CATCH_UP_GRACE_NS: u64 = 1_000_000_000;

/// How long the loop runs, and what makes it stop early.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Period of the activations.
    pub period_ns: u64,
    /// Activations that are due at this instant or later do not belong to the run; `u64::MAX` for none.
    pub end_ns: u64,
    /// Served activations after which the loop ends; `u64::MAX` for none.
    pub count: u64,
    /// Activations due before this instant are warm-up: they neither count towards `count` nor stop the run.
    pub measured_from_ns: u64,
    /// A latency above this stops the run; `u64::MAX` for none.
    pub stop_above_ns: u64,
}

impl Pace {
    /// True where a measured activation was later than the threshold.
    #[inline]
    fn is_crossed(self, served: Served) -> bool {
        served.now_ns.saturating_sub(served.due_ns) > self.stop_above_ns && served.due_ns >= self.measured_from_ns
    }
}

/// What stops a loop from outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stops<'m> {
    /// The word that all threads share.
    pub control: Control<'m>,
    /// This thread exceeded its processor-time limit.
    pub limit: &'m AtomicBool,
}

impl Stops<'_> {
    /// True where the loop shall end; turns an exceeded limit into a reason for all.
    #[inline]
    fn requested(&self) -> bool {
        if self.limit.load(Ordering::Relaxed) {
            self.control.stop(Reason::ProcessorTime);
        }
        self.control.is_stopped()
    }
}

/// What one loop counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Served activations.
    pub served: u64,
    /// Served activations that counted towards the pace's `count`.
    pub counted: u64,
    /// Under way when a stop interrupted the wait for it: due, and not served.
    pub outstanding: u64,
    /// What the ring could no longer take at the end.
    pub unwritten: Gap,
    /// Waits that returned, interrupted ones included: the loop's system calls.
    pub waits: u64,
    /// When the first activation was due.
    pub first_due_ns: u64,
    /// When the last served activation was due.
    pub last_due_ns: u64,
    /// When the last served activation was served.
    pub last_woke_ns: u64,
}

/// Serves activations until the run ends; `crossed` is called with the latency that crossed the threshold.
///
/// Fails with the error number of a wait that the kernel refused.
pub(crate) fn serve<T: Timer>(
    timer: &mut T,
    pace: Pace,
    mut producer: Producer<'_>,
    stops: Stops<'_>,
    crossed: impl FnOnce(u64),
) -> Result<Tally, i32> {
    let mut expected = Expected { due_ns: timer.first_due_ns(), skipped: 0 };
    let mut tally = Tally { first_due_ns: expected.due_ns, ..Tally::default() };
    let trailing = loop {
        tally.waits += 1;
        let expired = match timer.wait(expected.due_ns) {
            Ok(expired) => expired,
            Err(Broken::Interrupted) if !stops.requested() => continue,
            Err(Broken::Interrupted) => break left_waiting(expected, pace, &mut tally),
            Err(Broken::Failed(errno)) => return Err(errno),
            Err(Broken::Over { skipped }) => break skipped,
        };
        let now_ns = timer.stamp_ns();
        expected = timer.settle(expected, now_ns);
        let sample = Sample { due_ns: expected.due_ns, woke_ns: now_ns };
        producer.push(sample, expected.skipped);
        tally.note(sample, pace);
        let served = Served { due_ns: expected.due_ns, now_ns, period_ns: pace.period_ns };
        let step = match timer.step(served, expired) {
            Ok(step) => serve_also(step, served, pace, &mut producer, &mut tally),
            Err(_) => return Err(libc::EIO),
        };
        if pace.is_crossed(served) {
            crossed(now_ns - served.due_ns);
            break left_at_stop(step, served, pace.end_ns);
        }
        if let Some(trailing) = ends(step, served, pace, &tally, stops) {
            break trailing;
        }
        expected = Expected { due_ns: step.due_ns, skipped: step.skipped };
    };
    tally.unwritten = producer.finish(trailing);
    Ok(tally)
}

/// Whether the loop ends behind `served`, and how many activations its last step jumped over that belong to the run.
#[inline]
fn ends(step: NextActivation, served: Served, pace: Pace, tally: &Tally, stops: Stops<'_>) -> Option<u64> {
    if tally.counted >= pace.count {
        return Some(0);
    }
    if step.due_ns >= pace.end_ns {
        return Some(due_before(pace.end_ns, served, step.skipped));
    }
    let is_hopeless = served.now_ns.saturating_sub(pace.end_ns) > CATCH_UP_GRACE_NS;
    (stops.requested() || is_hopeless).then(|| left_at_stop(step, served, pace.end_ns))
}

impl Tally {
    #[inline]
    fn note(&mut self, sample: Sample, pace: Pace) {
        self.served += 1;
        self.counted += u64::from(sample.due_ns >= pace.measured_from_ns);
        self.last_due_ns = sample.due_ns;
        self.last_woke_ns = sample.woke_ns;
    }
}

/// Stores the activations that one wake-up served besides its own, as many as belong to the run.
#[inline]
fn serve_also(
    step: NextActivation,
    served: Served,
    pace: Pace,
    producer: &mut Producer<'_>,
    tally: &mut Tally,
) -> NextActivation {
    if step.also_served > 0 {
        let count = due_before(pace.end_ns, served, step.also_served);
        for number in 1..=count {
            if tally.counted >= pace.count {
                break;
            }
            let sample = Sample { due_ns: served.due_ns + number * served.period_ns, woke_ns: served.now_ns };
            producer.push(sample, 0);
            tally.note(sample, pace);
        }
    }
    step
}

/// Skipped by a run that is stopped behind a served activation: what was jumped over, or due by now and never served.
fn left_at_stop(step: NextActivation, served: Served, end_ns: u64) -> u64 {
    let backlog = if step.due_ns > served.now_ns { 0 } else { (served.now_ns - step.due_ns) / served.period_ns + 1 };
    due_before(end_ns, served, step.skipped) + backlog_before(end_ns, step.due_ns, served.period_ns, backlog)
}

fn backlog_before(end_ns: u64, due_ns: u64, period_ns: u64, backlog: u64) -> u64 {
    backlog.min(end_ns.saturating_sub(due_ns).div_ceil(period_ns))
}

/// Skipped by a run that is stopped while it waits; what is due by now is outstanding, once.
fn left_waiting(expected: Expected, pace: Pace, tally: &mut Tally) -> u64 {
    let now_ns = clock::monotonic_ns();
    if now_ns < expected.due_ns {
        return expected.skipped;
    }
    tally.outstanding = 1;
    let behind = (now_ns - expected.due_ns) / pace.period_ns;
    expected.skipped + backlog_before(pace.end_ns, expected.due_ns + pace.period_ns, pace.period_ns, behind)
}

#[cfg(test)]
mod tests {
    use super::super::ring::{Consumer, Entry, words_for};
    use super::super::timer::Arming;
    use super::super::timer::tests::AbsoluteSleep;
    use super::super::{control, policy};
    use super::*;
    use prazo_run::plan::{Policy, WhenLate};
    use prazo_sys::scheduling::{self, Resource};
    use prazo_sys::signal;
    use prazo_testing::{Need, skip};
    use std::sync::atomic::AtomicU64;

    const MS: u64 = 1_000_000;

    struct World {
        ring: Vec<AtomicU64>,
        control: [AtomicU64; control::WORDS],
        limit: AtomicBool,
    }

    impl World {
        fn new() -> Self {
            let ring = (0..words_for(1 << 12)).map(|_| AtomicU64::new(0)).collect();
            Self { ring, control: [const { AtomicU64::new(0) }; control::WORDS], limit: AtomicBool::new(false) }
        }

        fn stops(&self) -> Stops<'_> {
            Stops { control: Control::over(&self.control), limit: &self.limit }
        }

        fn entries(&self) -> (u64, Gap) {
            let (mut samples, mut gaps) = (0, Gap::default());
            let _ = Consumer::over(&self.ring).drain(|entry| {
                match entry {
                    Entry::Sample(_) => samples += 1,
                    Entry::Gap(gap) => gaps.skipped += gap.skipped,
                }
                Ok::<(), ()>(())
            });
            (samples, gaps)
        }
    }

    /// A timer that is late by what it is told, then on time.
    struct Late {
        inner: AbsoluteSleep,
        late_ns: Vec<u64>,
    }

    impl Timer for Late {
        fn first_due_ns(&mut self) -> u64 {
            self.inner.first_due_ns()
        }
        fn wait(&mut self, due_ns: u64) -> Result<u64, Broken> {
            self.inner.wait(due_ns + self.late_ns.pop().unwrap_or(0))
        }
        fn step(&mut self, served: Served, expired: u64) -> Result<NextActivation, Broken> {
            self.inner.step(served, expired)
        }
    }

    fn late(when_late: WhenLate, late_ns: Vec<u64>) -> Late {
        let arming = Arming { first_ns: clock::monotonic_ns() + MS, period_ns: MS, when_late };
        Late { inner: AbsoluteSleep(arming), late_ns }
    }

    fn pace(end_ns: u64) -> Pace {
        Pace { period_ns: MS, end_ns, count: u64::MAX, measured_from_ns: 0, stop_above_ns: u64::MAX }
    }

    #[test]
    fn a_skipping_loop_accounts_for_every_point_of_its_grid() {
        let world = World::new();
        let mut timer = late(WhenLate::Skip, vec![0, 0, 7 * MS, 0, 3 * MS]);
        let end_ns = timer.first_due_ns() + 50 * MS;
        let tally = serve(&mut timer, pace(end_ns), Producer::over(&world.ring), world.stops(), |_| ()).unwrap();
        let (samples, gaps) = world.entries();
        assert_eq!(samples, tally.served);
        assert_eq!(tally.served + gaps.skipped, 50);
        assert!(gaps.skipped >= 10);
    }

    #[test]
    fn a_loop_late_beyond_its_end_counts_only_what_was_due_before_it() {
        let world = World::new();
        let mut timer = late(WhenLate::Skip, vec![30 * MS]);
        let end_ns = timer.first_due_ns() + 10 * MS;
        let tally = serve(&mut timer, pace(end_ns), Producer::over(&world.ring), world.stops(), |_| ()).unwrap();
        assert_eq!(tally.served, 1);
        assert_eq!(world.entries().1.skipped, 9);
    }

    #[test]
    fn a_catching_up_loop_serves_every_point_of_its_grid() {
        let world = World::new();
        let mut timer = late(WhenLate::CatchUp, vec![0, 9 * MS]);
        let end_ns = timer.first_due_ns() + 40 * MS;
        let tally = serve(&mut timer, pace(end_ns), Producer::over(&world.ring), world.stops(), |_| ()).unwrap();
        assert_eq!((tally.served, world.entries().1.skipped), (40, 0));
    }

    #[test]
    fn a_count_leaves_the_warm_up_out_and_is_exact_however_late_the_loop_was() {
        for (when_late, late_ns) in [(WhenLate::Skip, vec![]), (WhenLate::CatchUp, vec![0, 9 * MS])] {
            let world = World::new();
            let mut timer = late(when_late, late_ns);
            let measured_from_ns = timer.first_due_ns() + 20 * MS;
            let pace = Pace { count: 30, measured_from_ns, ..pace(u64::MAX) };
            let tally = serve(&mut timer, pace, Producer::over(&world.ring), world.stops(), |_| ()).unwrap();
            assert_eq!(tally.counted, 30);
            let due = (tally.last_due_ns - tally.first_due_ns) / MS + 1;
            assert_eq!(tally.served + world.entries().1.skipped, due);
            assert!(due >= 20 + 30);
        }
    }

    #[test]
    fn a_threshold_stops_the_loop_and_the_backlog_is_skipped() {
        let world = World::new();
        let mut timer = late(WhenLate::CatchUp, vec![0, 0, 20 * MS]);
        timer.late_ns.reverse();
        let pace = Pace { stop_above_ns: 15 * MS, ..pace(u64::MAX) };
        let mut crossed_ns = 0;
        let note = |latency_ns| crossed_ns = latency_ns;
        let tally = serve(&mut timer, pace, Producer::over(&world.ring), world.stops(), note).unwrap();
        assert!(crossed_ns > 15 * MS);
        let due = (tally.last_woke_ns - tally.first_due_ns) / MS + 1;
        assert_eq!(tally.served + world.entries().1.skipped, due);
    }

    #[test]
    fn a_threshold_that_is_crossed_in_the_warm_up_does_not_stop_the_loop() {
        let world = World::new();
        // Far above what a busy host takes from the thread.
        let mut timer = late(WhenLate::Skip, vec![0, 400 * MS]);
        let measured_from_ns = timer.first_due_ns() + 5 * MS;
        let pace = Pace { stop_above_ns: 300 * MS, measured_from_ns, ..pace(timer.first_due_ns() + 420 * MS) };
        let mut crossed = false;
        serve(&mut timer, pace, Producer::over(&world.ring), world.stops(), |_| crossed = true).unwrap();
        assert!(!crossed, "the late activation was due in the warm-up");
    }

    #[test]
    fn an_exceeded_limit_stops_all_threads() {
        let world = World::new();
        world.limit.store(true, Ordering::Relaxed);
        let mut timer = late(WhenLate::Skip, vec![]);
        let tally = serve(&mut timer, pace(u64::MAX), Producer::over(&world.ring), world.stops(), |_| ()).unwrap();
        assert_eq!(tally.served, 1);
        assert_eq!(world.stops().control.reason(), Some(Reason::ProcessorTime));
    }

    #[test]
    fn a_stop_during_a_wait_leaves_at_most_one_outstanding() {
        struct Interrupted(u64);
        impl Timer for Interrupted {
            fn first_due_ns(&mut self) -> u64 {
                self.0
            }
            fn wait(&mut self, _due_ns: u64) -> Result<u64, Broken> {
                Err(Broken::Interrupted)
            }
            fn step(&mut self, _served: Served, _expired: u64) -> Result<NextActivation, Broken> {
                unreachable!("nothing is ever served")
            }
        }
        for (first_ns, outstanding) in
            [(clock::monotonic_ns() - 10 * MS, 1), (clock::monotonic_ns() + 3_600_000 * MS, 0)]
        {
            let world = World::new();
            world.stops().control.stop(Reason::Asked);
            let tally =
                serve(&mut Interrupted(first_ns), pace(u64::MAX), Producer::over(&world.ring), world.stops(), |_| ());
            assert_eq!(tally.unwrap().outstanding, outstanding);
            assert_eq!(world.entries().1.skipped >= 10, outstanding == 1);
        }
    }

    /// Never blocks, as a loop that is hopelessly behind may not.
    struct Spinning(u64);

    impl Timer for Spinning {
        fn first_due_ns(&mut self) -> u64 {
            self.0
        }
        fn wait(&mut self, _due_ns: u64) -> Result<u64, Broken> {
            Ok(1)
        }
        fn step(&mut self, served: Served, _expired: u64) -> Result<NextActivation, Broken> {
            Ok(NextActivation::to(served.due_ns + 1))
        }
    }

    #[test]
    fn a_loop_that_never_blocks_is_ended_by_its_processor_time_limit_needs_root() {
        let spun = std::thread::spawn(|| {
            signal::prepare_measuring_thread().unwrap();
            scheduling::set_soft_limit(Resource::RealTimeRun, 100_000).unwrap();
            if policy::set(0, Policy::Fifo { priority: 1 }, MS).is_err() {
                return None;
            }
            let world = World::new();
            let first_ns = clock::monotonic_ns();
            let pace = Pace { period_ns: 1, ..pace(first_ns + 10_000 * MS) };
            signal::with_limit_note(&world.limit, || {
                serve(&mut Spinning(first_ns), pace, Producer::over(&world.ring), world.stops(), |_| ()).unwrap()
            });
            Some(world.stops().control.reason())
        });
        match spun.join().unwrap() {
            Some(reason) => assert_eq!(reason, Some(Reason::ProcessorTime)),
            None => skip!(Need::RealTime, "no privilege for SCHED_FIFO"),
        }
    }
}
