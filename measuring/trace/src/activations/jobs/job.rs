//! From the stretches that a thread was off a processor to its jobs; pure.
//!
//! ```text
//! on  ...│ blocked │ job │ preempted │ job │ blocked │ next job ...
//!        off       on    off         on    off       on
//! ```
//!
//! A stretch is recorded when the thread is back, so the stretch under way is looked at beside the records: it says that a job has
//! ended whose thread still sleeps, or that one has come whose thread has no processor yet.

use super::super::record::Off;
use prazo_core::cpu::{Cpu, CpuSet};

/// One job, from a wake-up to the next block, in nanoseconds of CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Job {
    /// Where it ended.
    pub cpu: u32,
    /// Programmed expiry of the timer whose function woke its thread; 0 where none did.
    pub due_ns: u64,
    /// Its thread was woken.
    pub waking_ns: u64,
    /// Its thread blocked.
    pub end_ns: u64,
    /// Time on processors, interrupts included.
    pub ran_ns: u64,
    /// How often it left a processor though it could have run.
    pub preemptions: u32,
    /// Of these, with its budget spent, or for a less urgent thread.
    pub throttled: u32,
    /// How often it came to another processor than it had left.
    pub migrations: u32,
    /// How often it came to one that is not its cluster's.
    pub outside: u32,
}

impl Job {
    /// When it arrived: when its timer was due, however late that expired; without one when its thread was woken. A timer of another
    /// clock is due at an instant that says nothing here.
    pub(super) fn arrival_ns(&self) -> u64 {
        if self.is_timed() { self.due_ns } else { self.waking_ns }
    }

    /// True where a timer of CLOCK_MONOTONIC started it: it had been due before, and not earlier than a minute.
    pub(super) fn is_timed(&self) -> bool {
        const MINUTE_NS: u64 = 60_000_000_000;
        self.due_ns > 0 && self.due_ns <= self.waking_ns && self.waking_ns - self.due_ns < MINUTE_NS
    }

    fn woken_at_the_end_of(off: &Off) -> Self {
        Self { due_ns: off.due_ns, waking_ns: off.waking_ns, ..Self::default() }
    }
}

/// The kernel's state of a thread that is woken while it leaves its processor.
const WAKING: u32 = 0x200;

/// One thread while its jobs are followed.
#[derive(Debug)]
pub(super) struct Jobs {
    cluster: CpuSet,
    /// A job whose thread was woken earlier is not counted.
    from_ns: u64,
    under_way: Option<Job>,
    /// When it came back last.
    back_ns: u64,
    lost_stretches: u32,
    lost: u64,
}

impl Jobs {
    /// Those of a thread in this cluster that are woken from now on.
    pub(super) fn new(cluster: CpuSet, from_ns: u64) -> Self {
        Self { cluster, from_ns, under_way: None, back_ns: 0, lost_stretches: 0, lost: 0 }
    }

    /// The thread is back; the job that had ended with this stretch.
    pub(super) fn came_back(&mut self, off: &Off) -> Option<Job> {
        let ended = self.left(off);
        if off.is_block() && off.waking_ns >= self.from_ns {
            self.under_way = Some(Job::woken_at_the_end_of(off));
        }
        // What never left its processor came to none.
        if let Some(job) = self.under_way.as_mut().filter(|_| off.on_ns > off.off_ns) {
            job.migrations += u32::from(off.is_seen_leaving() && off.cpu_on != off.cpu_off);
            job.outside += u32::from(!is_within(&self.cluster, off.cpu_on));
        }
        self.back_ns = off.on_ns;
        ended
    }

    /// The stretch under way, at a moment before which all stretches that are over have been handed over; the job that has ended
    /// with it.
    pub(super) fn is_away(&mut self, off: &Off) -> Option<Job> {
        self.note_lost(off);
        // It may be back, also since it was looked at.
        let is_over = off.is_block() && off.off_ns >= self.back_ns;
        if is_over { self.left(off) } else { None }
    }

    /// When the job arrived that has not ended, by the stretch under way.
    pub(super) fn arrival_ns(&self, off: Option<&Off>) -> Option<u64> {
        let woken = off.filter(|off| self.is_woken(off)).map(Job::woken_at_the_end_of);
        woken.or(self.under_way).map(|job| job.arrival_ns())
    }

    fn is_woken(&self, off: &Off) -> bool {
        let is_away = off.off_ns > 0 && off.off_ns >= self.back_ns && off.is_block();
        // An older wake-up may have found it before it left.
        let is_woken = off.waking_ns >= off.off_ns || off.state == WAKING;
        is_away && is_woken && off.waking_ns >= self.from_ns
    }

    /// Jobs that may have ended unseen: no lost stretch ended more than one, and what was under way before them is not known to the end.
    pub(super) fn lost(&self) -> u64 {
        self.lost
    }

    fn left(&mut self, off: &Off) -> Option<Job> {
        self.note_lost(off);
        let job = self.under_way.as_mut()?;
        job.ran_ns += off.off_ns.saturating_sub(self.back_ns);
        if off.is_block() {
            (job.end_ns, job.cpu) = (off.off_ns, off.cpu_off);
            return self.under_way.take();
        }
        job.preemptions += 1;
        job.throttled += u32::from(off.throttled);
        None
    }

    fn note_lost(&mut self, off: &Off) {
        let lost = off.lost.wrapping_sub(self.lost_stretches);
        // The stretch under way may be older than the latest record.
        if lost == 0 || lost > u32::MAX / 2 {
            return;
        }
        self.lost_stretches = off.lost;
        self.lost += u64::from(lost) + u64::from(self.under_way.take().is_some());
    }
}

fn is_within(cluster: &CpuSet, cpu: u32) -> bool {
    Cpu::new(cpu).is_some_and(|cpu| cluster.contains(cpu))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn jobs() -> Jobs {
        Jobs::new("0-1".parse().unwrap(), 100)
    }

    /// It slept from the first instant to the second, and came to processor 1 at the third.
    fn sleep(off_ns: u64, waking_ns: u64, on_ns: u64) -> Off {
        Off { off_ns, waking_ns, on_ns, state: 1, cpu_off: 1, cpu_on: 1, ..Off::default() }
    }

    fn preemption(off_ns: u64, on_ns: u64, cpu_on: u32) -> Off {
        Off { state: 0, waking_ns: 0, cpu_on, ..sleep(off_ns, 0, on_ns) }
    }

    #[test]
    fn a_job_lies_between_a_wake_up_and_the_next_block() {
        let mut jobs = jobs();
        assert_eq!(jobs.came_back(&Off { due_ns: 195, cpu_on: 0, ..sleep(90, 200, 210) }), None);
        assert_eq!(jobs.came_back(&Off { throttled: true, cpu_off: 0, ..preemption(250, 300, 2) }), None);
        assert_eq!(jobs.came_back(&Off { cpu_off: 2, ..preemption(310, 320, 1) }), None);
        let ended = jobs.came_back(&sleep(400, 500, 510)).expect("it blocked");
        let expected = Job {
            cpu: 1,
            due_ns: 195,
            waking_ns: 200,
            end_ns: 400,
            ran_ns: 40 + 10 + 80,
            preemptions: 2,
            throttled: 1,
            migrations: 3,
            outside: 1,
        };
        assert_eq!(ended, expected);
    }

    #[test]
    fn what_was_woken_before_is_no_job_and_a_processor_that_nobody_saw_it_leave_is_unknown() {
        let mut jobs = jobs();
        assert_eq!(jobs.came_back(&sleep(1, 99, 110)), None);
        assert_eq!(jobs.came_back(&sleep(120, 130, 140)), None);
        assert_eq!(jobs.came_back(&sleep(150, 160, 170)).map(|job| job.waking_ns), Some(130));
        let mut jobs = self::jobs();
        jobs.came_back(&Off { cpu_off: 0, ..sleep(1, 101, 110) });
        assert_eq!(jobs.came_back(&sleep(150, 160, 170)).map(|job| job.migrations), Some(0));
    }

    #[test]
    fn a_timer_that_expires_before_its_thread_sleeps_ends_a_job_and_begins_the_next() {
        let mut jobs = Jobs::new("0".parse().unwrap(), 100);
        jobs.came_back(&sleep(90, 200, 210));
        let over = jobs.came_back(&Off { due_ns: 299, ..sleep(300, 300, 300) }).expect("it is over");
        assert_eq!((over.end_ns, over.ran_ns, over.outside), (300, 90, 1));
        let next = jobs.came_back(&sleep(340, 400, 410)).expect("it blocked");
        assert_eq!((next.arrival_ns(), next.ran_ns, next.outside), (299, 40, 0), "it came to no processor");
    }

    #[test]
    fn who_sleeps_has_ended_his_job_once_and_who_has_no_processor_has_begun_one() {
        let mut jobs = jobs();
        jobs.came_back(&sleep(90, 200, 210));
        let away = |off_ns, waking_ns| Off { on_ns: 0, ..sleep(off_ns, waking_ns, 0) };
        assert_eq!(jobs.arrival_ns(Some(&away(0, 0))), Some(200), "it is on a processor");
        assert_eq!(jobs.is_away(&away(400, 0)).map(|job| (job.end_ns, job.ran_ns)), Some((400, 190)));
        assert_eq!((jobs.is_away(&away(400, 0)), jobs.arrival_ns(Some(&away(400, 0)))), (None, None));
        assert_eq!(jobs.arrival_ns(Some(&away(400, 399))), None, "somebody had woken it before it left");
        assert_eq!(jobs.arrival_ns(Some(&Off { state: WAKING, ..away(400, 399) })), Some(399), "while it left");
        assert_eq!(jobs.arrival_ns(Some(&away(400, 500))), Some(500));
        assert_eq!(jobs.came_back(&sleep(400, 500, 510)), None);
        assert_eq!(jobs.came_back(&sleep(600, 700, 710)).map(|job| job.ran_ns), Some(90));
        assert_eq!(jobs.is_away(&away(600, 700)), None, "it was looked at before the record came");
    }

    #[test]
    fn each_lost_stretch_may_have_ended_a_job_and_what_was_under_way_is_not_known_to_the_end() {
        let mut jobs = jobs();
        jobs.came_back(&sleep(90, 200, 210));
        assert_eq!(jobs.came_back(&Off { lost: 2, ..preemption(400, 500, 1) }), None);
        assert_eq!((jobs.lost(), jobs.arrival_ns(None)), (3, None));
        assert_eq!(jobs.came_back(&Off { lost: 2, ..sleep(600, 700, 710) }), None);
        assert_eq!(jobs.is_away(&Off { lost: 3, ..sleep(800, 0, 0) }), None);
        assert_eq!(jobs.came_back(&Off { lost: 2, ..sleep(800, 900, 910) }), None);
        assert_eq!(jobs.lost(), 5, "the record is older than the look");
    }

    #[test]
    fn a_job_arrives_when_its_timer_was_due_and_without_one_when_it_was_woken() {
        let woken = |due_ns| Job { due_ns, waking_ns: 100_000_001_000, ..Job::default() }.arrival_ns();
        assert_eq!(woken(100_000_000_900), 100_000_000_900);
        assert_eq!(woken(70_000_000_000), 70_000_000_000, "the whole machine may have stood still");
        for other in [0, 1_000, 100_000_001_100] {
            assert_eq!(woken(other), 100_000_001_000, "{other}");
        }
    }

    proptest! {
        /// However often the stretch under way is looked at, before and after the thread is woken, the jobs are the same.
        #[test]
        fn looks_change_no_job(steps in prop::collection::vec((1_u64..50, 1_u64..50, any::<bool>(), 0_u8..4), 1..40)) {
            let (mut at_ns, mut plain, mut looked_at) = (100, jobs(), jobs());
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            for (on_for, off_for, is_block, looks) in steps {
                let (off_ns, on_ns) = (at_ns + on_for, at_ns + on_for + off_for);
                let off = if is_block { sleep(off_ns, on_ns, on_ns) } else { preemption(off_ns, on_ns, 1) };
                at_ns = on_ns;
                if looks & 1 > 0 {
                    found.extend(looked_at.is_away(&Off { waking_ns: 0, on_ns: 0, ..off }));
                }
                if looks & 2 > 0 {
                    found.extend(looked_at.is_away(&Off { on_ns: 0, ..off }));
                }
                expected.extend(plain.came_back(&off));
                found.extend(looked_at.came_back(&off));
                found.extend(looked_at.is_away(&off));
            }
            expected.extend(plain.is_away(&sleep(at_ns + 1, 0, 0)));
            found.extend(looked_at.is_away(&sleep(at_ns + 1, 0, 0)));
            prop_assert_eq!(expected, found);
        }
    }
}
