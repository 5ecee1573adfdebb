//! Joins what the kernel saw of one thread's wake-ups with the samples that the thread stored.
//!
//! A loop waits once for each sample, so that at most one wake-up lies between the stamps of two samples: the last one that
//! left the kernel by a sample's stamp is its own. Invariant: every sample is split, never slept, or unsplit with a reason.

use super::arrival;
use super::parts::{Arrival, Joined, Parts, Stamped};
use super::record::Wakeup;
use prazo_run::Plan;
use prazo_run::plan::TimerMethod;
use prazo_run::source::Source;
use prazo_run::split::Unsplit;
use std::collections::VecDeque;

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    /// A timer of its own.
    Timer(TimerMethod),
    /// A frame, stamped when it is received.
    Frame,
}

impl Awaited {
    /// By the threads of a plan.
    pub(super) fn by(plan: &Plan) -> Self {
        match plan.source {
            Source::Event(_) => Self::Frame,
            Source::Timer
            | Source::Interrupt(_)
            | Source::Wakeup(_)
            | Source::Noise(_)
            | Source::Overheads(_)
            | Source::Xenomai(_)
            | Source::Watch(_) => Self::Timer(plan.method),
        }
    }
}

/// The joining of one thread.
#[derive(Debug)]
pub(super) struct Joiner {
    awaited: Awaited,
    period_ns: u64,
    wakeups: VecDeque<Wakeup>,
    woke_before_ns: u64,
}

impl Joiner {
    /// For a thread that waits for this.
    pub(super) fn new(awaited: Awaited, period_ns: u64) -> Self {
        Self { awaited, period_ns, wakeups: VecDeque::new(), woke_before_ns: 0 }
    }

    /// Takes a wake-up of the thread; they come in order.
    pub(super) fn wakeup(&mut self, wakeup: Wakeup) {
        self.wakeups.push_back(wakeup);
    }

    /// Joins the next sample; every wake-up before its stamp has been taken.
    pub(super) fn sample(&mut self, sample: Stamped) -> Joined {
        let mut own = None;
        while let Some(wakeup) = self.wakeups.pop_front_if(|wakeup| wakeup.done_ns() <= sample.woke_ns) {
            own = Some(wakeup);
        }
        let slept_from_ns = std::mem::replace(&mut self.woke_before_ns, sample.woke_ns);
        match own {
            Some(wakeup) if wakeup.never_slept => Joined::NeverSlept,
            Some(wakeup) if !self.is_for(&wakeup, sample) => Joined::Unsplit(Unsplit::OtherWakeUp),
            Some(wakeup) if self.awaited == Awaited::Frame => arrival::split(&wakeup, sample),
            Some(wakeup) => split(&wakeup, sample),
            None if sample.due_ns <= slept_from_ns => Joined::NeverSlept,
            None => Joined::Unsplit(Unsplit::NoStamps),
        }
    }

    /// True where what came is the sample's: an absolute timer knows its instant, a relative one is programmed a little behind
    /// it, and never a whole period; a frame wakes nobody before it is stamped.
    fn is_for(&self, wakeup: &Wakeup, sample: Stamped) -> bool {
        use TimerMethod as Method;
        match self.awaited {
            Awaited::Timer(Method::ClockNanosleep | Method::PosixTimer | Method::Timerfd) => {
                wakeup.due_ns == sample.due_ns
            }
            Awaited::Timer(Method::Nanosleep | Method::Setitimer) => {
                wakeup.due_ns >= sample.due_ns && wakeup.due_ns - sample.due_ns < self.period_ns
            }
            Awaited::Frame => wakeup.waking_ns >= sample.due_ns,
        }
    }
}

/// The parts between a timer's due instant and the stamp of the thread that it woke.
pub(crate) fn split(wakeup: &Wakeup, sample: Stamped) -> Joined {
    let expiry_ns = wakeup.handler_ns.min(wakeup.latest_ns).max(wakeup.due_ns);
    let stamps = [sample.due_ns, expiry_ns, wakeup.handler_ns, wakeup.waking_ns, wakeup.switch_ns, sample.woke_ns];
    if !stamps.is_sorted() {
        return Joined::Unsplit(Unsplit::OutOfOrder);
    }
    let step = |from: usize| (stamps[from + 1] - stamps[from]) as i64;
    Joined::Split(Parts {
        slack_ns: step(0),
        interrupt_ns: step(1),
        handling_ns: step(2),
        wakeup_ns: step(3),
        own_stamp_ns: step(4),
        cpu: wakeup.cpu,
        arrival: Arrival::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PERIOD_NS: u64 = 1_000;

    fn joiner(method: TimerMethod) -> Joiner {
        Joiner::new(Awaited::Timer(method), PERIOD_NS)
    }

    fn wakeup(due_ns: u64) -> Wakeup {
        Wakeup {
            thread_id: 1,
            never_slept: false,
            cpu: 3,
            due_ns,
            latest_ns: due_ns + 5,
            handler_ns: due_ns + 15,
            waking_ns: due_ns + 18,
            switch_ns: due_ns + 40,
        }
    }

    fn sample(due_ns: u64, latency_ns: u64) -> Stamped {
        Stamped { due_ns, woke_ns: due_ns + latency_ns }
    }

    fn split_of(parts: [i64; 5]) -> Joined {
        let [slack_ns, interrupt_ns, handling_ns, wakeup_ns, own_stamp_ns] = parts;
        let arrival = Arrival::default();
        Joined::Split(Parts { slack_ns, interrupt_ns, handling_ns, wakeup_ns, own_stamp_ns, cpu: 3, arrival })
    }

    #[test]
    fn a_wake_up_is_split_between_its_stamps() {
        let mut joiner = joiner(TimerMethod::ClockNanosleep);
        joiner.wakeup(wakeup(1_000));
        assert_eq!(joiner.sample(sample(1_000, 43)), split_of([5, 10, 3, 22, 3]));
    }

    #[test]
    fn an_interrupt_that_comes_within_the_slack_serves_the_timer_early() {
        let mut joiner = joiner(TimerMethod::ClockNanosleep);
        joiner.wakeup(Wakeup { latest_ns: 1_050, ..wakeup(1_000) });
        assert_eq!(joiner.sample(sample(1_000, 43)), split_of([15, 0, 3, 22, 3]));
    }

    #[test]
    fn what_was_past_already_never_slept_with_or_without_a_record() {
        let mut joiner = joiner(TimerMethod::ClockNanosleep);
        joiner.wakeup(wakeup(1_000));
        assert!(matches!(joiner.sample(sample(1_000, 2_500)), Joined::Split(_)));
        joiner.wakeup(Wakeup { never_slept: true, switch_ns: 0, waking_ns: 3_510, ..wakeup(2_000) });
        assert_eq!(joiner.sample(sample(2_000, 1_520)), Joined::NeverSlept);
        assert_eq!(joiner.sample(sample(3_000, 530)), Joined::NeverSlept);
        assert_eq!(joiner.sample(sample(4_000, 30)), Joined::Unsplit(Unsplit::NoStamps));
    }

    #[test]
    fn a_wake_up_by_something_else_is_no_split() {
        let mut joiner = joiner(TimerMethod::Timerfd);
        joiner.wakeup(Wakeup { due_ns: 0, ..wakeup(1_000) });
        assert_eq!(joiner.sample(sample(1_000, 43)), Joined::Unsplit(Unsplit::OtherWakeUp));
        joiner.wakeup(wakeup(1_999));
        assert_eq!(joiner.sample(sample(2_000, 43)), Joined::Unsplit(Unsplit::OtherWakeUp));
    }

    #[test]
    fn a_relative_sleep_is_programmed_a_little_behind_its_instant() {
        let mut joiner = joiner(TimerMethod::Nanosleep);
        joiner.wakeup(wakeup(1_007));
        assert_eq!(joiner.sample(sample(1_000, 50)), split_of([12, 10, 3, 22, 3]));
    }

    #[test]
    fn stamps_of_clocks_that_disagree_are_counted_as_such() {
        let mut joiner = joiner(TimerMethod::ClockNanosleep);
        joiner.wakeup(Wakeup { waking_ns: 1_014, ..wakeup(1_000) });
        assert_eq!(joiner.sample(sample(1_000, 43)), Joined::Unsplit(Unsplit::OutOfOrder));
    }

    /// The slow, obvious twin: of all wake-ups, the last one between two stamps.
    fn twin(wakeups: &[Wakeup], before_ns: u64, sample: Stamped) -> Option<Wakeup> {
        wakeups.iter().rfind(|w| w.done_ns() > before_ns && w.done_ns() <= sample.woke_ns).copied()
    }

    proptest! {
        #[test]
        fn joining_agrees_with_looking_through_all_wake_ups(
            fates in prop::collection::vec((0u64..900, any::<bool>()), 1..60)
        ) {
            let mut joiner = joiner(TimerMethod::ClockNanosleep);
            let due = |number: usize| (number as u64 + 1) * PERIOD_NS;
            let seen: Vec<Wakeup> = (0..fates.len()).filter(|n| fates[*n].1).map(|n| wakeup(due(n))).collect();
            seen.iter().for_each(|wakeup| joiner.wakeup(*wakeup));
            let mut before_ns = 0;
            for (number, (late_ns, _)) in fates.iter().enumerate() {
                let sample = sample(due(number), 41 + late_ns);
                let joined = joiner.sample(sample);
                match twin(&seen, before_ns, sample) {
                    Some(wakeup) => prop_assert_eq!(joined, split(&wakeup, sample)),
                    None => prop_assert_eq!(joined, Joined::Unsplit(Unsplit::NoStamps)),
                }
                if let Joined::Split(parts) = joined {
                    let whole = parts.slack_ns + parts.interrupt_ns + parts.activation_ns();
                    prop_assert_eq!(whole as u64, 41 + late_ns);
                }
                before_ns = sample.woke_ns;
            }
        }
    }
}
