//! Deadlines that pass: the miss is an event, and the task's overrun policy says what becomes of the job and of the next.
//!
//! Watched where events are written, so a measured run does not pay for it. Of each task the deadline of one job is set: of
//! the oldest that is neither late nor done nor left out. The policy is core's; here its answers are carried out.
//!
//! An aborted job ends at once for the queue. Its thread may be in the midst of the job, on this processor or on another, or
//! may be preempted: it is told by a flag that it must look at, ends what it does, and goes on with its next job.

use super::{NEVER, Queue};
use crate::arch;
use crate::configuration::TASKS;
use crate::queue::Processors;
use crate::trace::TraceEvent;
use core::num::NonZero;
use core::sync::atomic::{AtomicBool, Ordering};
use prazo_core::event::EventKind;
use prazo_core::job::{Job, TaskIndex};
use prazo_core::overrun::{Action, Arrival, OverrunPolicy, Overruns};
use prazo_core::time::Instant;
use prazo_kernel::alarms::Alarms;
use prazo_scenario::binary::TaskRecord;

/// By task: its thread is in the midst of a job that was aborted, and has not seen it yet. Written under the queue's lock.
static IS_ABORTED: [AtomicBool; TASKS] = [const { AtomicBool::new(false) }; TASKS];

/// Jobs of a task behind the one that is served of which it is known whether they are left out.
const BACKLOG: u64 = u64::BITS as u64;

/// The deadlines of one queue's tasks.
pub(super) struct Deadlines {
    alarms: Alarms<TASKS>,
    tasks: [Lateness; TASKS],
}

/// How many jobs were late, and what became of them and of those after them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Late {
    /// Deadlines that passed before their job had ended.
    pub missed: u64,
    /// Jobs that were ended before their time.
    pub aborted: u64,
    /// Jobs that were left out, up to the one that is served.
    pub skipped: u64,
}

impl core::ops::Add for Late {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let Self { missed, aborted, skipped } = other;
        Self { missed: self.missed + missed, aborted: self.aborted + aborted, skipped: self.skipped + skipped }
    }
}

/// What is known of one task.
#[derive(Clone, Copy)]
struct Lateness {
    counts: Late,
    overruns: Overruns,
    /// A late job is left to itself.
    goes_on: bool,
    /// The job whose deadline is watched.
    due: u64,
    /// Bit n: job number n behind the one that is served is left out.
    skipped: u64,
}

impl Deadlines {
    pub(super) const fn new() -> Self {
        let counts = Late { missed: 0, aborted: 0, skipped: 0 };
        let task =
            Lateness { counts, overruns: Overruns::new(OverrunPolicy::Continue), goes_on: true, due: 0, skipped: 0 };
        Self { alarms: Alarms::new(), tasks: [task; TASKS] }
    }

    pub(super) fn earliest(&self) -> Instant {
        self.alarms.earliest().1
    }

    pub(super) fn late(&self, task: TaskIndex) -> Late {
        self.tasks[task.index()].counts
    }
}

/// True if the job that the calling thread `task` is in the midst of shall not go on.
#[inline]
pub fn is_aborted(task: TaskIndex) -> bool {
    IS_ABORTED[task.index()].load(Ordering::Relaxed)
}

impl Queue {
    /// `task` has what `record` says beside its times; before anything of it arrives. Panics where the criterion has no servers.
    pub fn watch(&mut self, task: TaskIndex, record: &TaskRecord) {
        let lateness = &mut self.deadlines.tasks[task.index()];
        lateness.overruns = Overruns::new(record.overrun);
        lateness.goes_on = record.overrun == OverrunPolicy::Continue;
        self.serve(task, record.server);
        let activity = &mut self.activities[task.index()];
        let end = |jobs: NonZero<u64>| {
            activity.next_arrival.as_ns().checked_add(record.period.as_ns().checked_mul(jobs.get())?)
        };
        activity.end = record.jobs.and_then(end).map_or(NEVER, Instant::from_ns);
    }

    /// The thread of `task` is told that its job was aborted, if that is so.
    #[inline]
    pub fn take_abortion(&mut self, task: TaskIndex) -> bool {
        is_aborted(task) && IS_ABORTED[task.index()].swap(false, Ordering::Relaxed)
    }

    /// Serves budgets and deadlines that have run out at `now`. Where that changes who is ready or how urgent, the answer is
    /// the processors concerned so far, and [`settle`](Self::settle) must follow.
    #[inline]
    pub fn watch_due(&mut self, now: Instant) -> Option<Processors> {
        let is_due = self.trace.is_on() && self.budgets.earliest().min(self.deadlines.earliest()) <= now;
        is_due.then(|| self.exhaust_due(now) | self.pass_deadlines(now))
    }

    fn pass_deadlines(&mut self, now: Instant) -> Processors {
        let mut concerned = 0;
        loop {
            let (task, at) = self.deadlines.alarms.earliest();
            if at > now {
                return concerned;
            }
            let task = TaskIndex::new(task).expect("alarms are as many as tasks");
            concerned |= self.pass_deadline(task, now);
        }
    }

    /// The job of `task` whose deadline is watched is late.
    fn pass_deadline(&mut self, task: TaskIndex, now: Instant) -> Processors {
        let lateness = &mut self.deadlines.tasks[task.index()];
        let (job, goes_on) = (lateness.due, lateness.goes_on);
        lateness.due += 1;
        lateness.counts.missed += 1;
        self.trace.record(now, TraceEvent::Miss, task, job, 0);
        self.expect_next(task);
        if goes_on { 0 } else { self.overrun(task, job, now) }
    }

    fn overrun(&mut self, task: TaskIndex, job: u64, now: Instant) -> Processors {
        let action = self.deadlines.tasks[task.index()].overruns.overrun();
        for kind in action.events() {
            let what = if *kind == EventKind::Overrun { TraceEvent::Overrun } else { TraceEvent::Abortion };
            self.trace.record(now, what, task, job, 0);
        }
        if action == Action::Abort { self.abort(task, now) } else { 0 }
    }

    /// The job of `task` that is served ends where it is; a job that waits behind it is ready.
    fn abort(&mut self, task: TaskIndex, now: Instant) -> Processors {
        self.deadlines.tasks[task.index()].counts.aborted += 1;
        let cpu = self.cluster.cpus().find(|cpu| self.cluster.running(*cpu) == Some(task));
        let activity = &self.activities[task.index()];
        if activity.last_ran.is_some_and(|(job, _)| job == activity.served) {
            IS_ABORTED[task.index()].store(true, Ordering::Relaxed);
        }
        let _ = self.charge(task, now);
        self.cluster.finish(task);
        self.activities[task.index()].served += 1;
        self.watch_end(task);
        if self.is_behind(task) {
            let job = self.successor(task);
            self.join_quietly(task, Some(job), now);
        }
        cpu.map_or(0, |cpu| 1 << cpu.number())
    }

    /// The alarm of `task` was served, and `job` arrived: as [`watch_arrival`](Self::watch_arrival), and sets the next alarm.
    #[cold]
    pub(super) fn serve_watched(&mut self, task: TaskIndex, job: Job, now: Instant) -> Option<Job> {
        let watched = self.watch_arrival(task, job, now);
        self.alarms.set(task.index(), self.activities[task.index()].next_arrival);
        watched
    }

    /// `job` arrives: it comes back with the deadline that it ranks by, or not where its task's policy leaves it out.
    fn watch_arrival(&mut self, task: TaskIndex, job: Job, now: Instant) -> Option<Job> {
        let activity = &mut self.activities[task.index()];
        if activity.next_arrival >= activity.end {
            activity.next_arrival = NEVER;
        }
        let arrival = self.deadlines.tasks[task.index()].overruns.arrive();
        self.trace.record(now, TraceEvent::Arrival, task, job.number, 0);
        let what = if arrival == Arrival::Skip { TraceEvent::Skip } else { TraceEvent::Release };
        self.trace.record(now, what, task, job.number, 0);
        if arrival == Arrival::Skip {
            self.leave_out(task, job.number);
            return None;
        }
        self.expect_next(task);
        Some(Job { absolute_deadline: self.served_deadline(task, &job), ..job })
    }

    fn leave_out(&mut self, task: TaskIndex, job: u64) {
        let behind = job - self.activities[task.index()].served;
        assert!(behind < BACKLOG, "task {}: more than {BACKLOG} jobs wait while others are left out", task.number());
        self.deadlines.tasks[task.index()].skipped |= 1 << behind;
        self.pass_over(task);
        self.expect_next(task);
    }

    /// The next instant at which something is to be done, an arrival's or one that is watched.
    #[cold]
    pub(super) fn watch_earliest(&mut self, arrival: Instant) -> Instant {
        self.armed = arrival.min(self.deadlines.earliest()).min(self.budgets.earliest());
        self.armed
    }

    /// Processor `here` keeps the alarms from now on if one comes before that for which a timer is set: a budget's end.
    #[inline]
    pub fn watch_alarms(&mut self, here: usize, now: Instant) {
        if self.trace.is_on() {
            self.take_alarms(here, now);
        }
    }

    #[cold]
    fn take_alarms(&mut self, here: usize, now: Instant) {
        if self.tick.is_none() && self.deadlines.earliest().min(self.budgets.earliest()) < self.armed {
            self.keeper = Some(here);
            self.keep_alarms(here, now);
        }
    }

    /// The job of `task` on processor `here` has ended.
    #[cold]
    pub(super) fn watch_completion(&mut self, task: TaskIndex, here: usize, now: Instant) {
        let number = self.activities[task.index()].served;
        self.trace.record(now, TraceEvent::Completion, task, number, here);
        // The job is done: a deadline that is postponed now is that of the next one.
        let _ = self.charge(task, now);
    }

    /// The job of `task` before the one that is served from now on has ended.
    #[cold]
    pub(super) fn watch_end(&mut self, task: TaskIndex) {
        self.deadlines.tasks[task.index()].skipped >>= 1;
        self.pass_over(task);
        self.expect_next(task);
    }

    /// The job to be served is none that was left out.
    fn pass_over(&mut self, task: TaskIndex) {
        let lateness = &mut self.deadlines.tasks[task.index()];
        let count = lateness.skipped.trailing_ones();
        lateness.counts.skipped += u64::from(count);
        lateness.skipped = lateness.skipped.checked_shr(count).unwrap_or(0);
        self.activities[task.index()].served += u64::from(count);
    }

    /// Sets the alarm for the deadline of the oldest job that is neither late nor done nor left out, once that has arrived.
    fn expect_next(&mut self, task: TaskIndex) {
        let super::Activity { arrived, served, .. } = self.activities[task.index()];
        let lateness = &mut self.deadlines.tasks[task.index()];
        lateness.due = lateness.due.max(served);
        let behind = lateness.due - served;
        lateness.due += u64::from(lateness.skipped.checked_shr(behind as u32).unwrap_or(0).trailing_ones());
        let due = lateness.due;
        let relative_deadline = self.cluster.parameters(task).relative_deadline;
        let deadline = if due < arrived { self.arrival(task, due) + relative_deadline } else { NEVER };
        self.deadlines.alarms.set(task.index(), deadline);
    }
}

const _: () = assert!(arch::PROCESSORS_MAX <= Processors::BITS as usize, "a processor has a bit");
