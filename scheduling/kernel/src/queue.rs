//! What one lock protects: the jobs of one cluster, the alarms that release them, and who physically runs where.
//!
//! The scheduler core decides at once who shall run on which processor; the processor follows when it gets there. Between
//! the two lies `carried`: what a processor really runs. A thread that another processor still carries cannot run here, so
//! this processor idles until the other has left it and says so.
//!
//! Any processor of the cluster may serve the cluster's alarms. The one that armed its timer last for the earliest of them
//! is the keeper; the interrupt of another finds nothing due and leaves the timers alone.

use crate::arch::{PROCESSORS_MAX, Stamp};
use crate::configuration::{CRITERION, Criterion, HEADS, TASKS};
use crate::dispatcher::Cause;
use crate::mutex::MUTEXES;
use crate::trace::{Trace, TraceEvent};
use late::Deadlines;
use prazo_core::cpu::Cpu;
use prazo_core::inheritance::Inheritance;
use prazo_core::job::{Job, Parameters, TaskIndex};
use prazo_core::scheduler::{Cluster, Decision, Switch};
use prazo_core::time::{Duration, Instant};
use prazo_kernel::alarms::{Alarms, NEVER};
use served::Budgets;

mod exclusion;
mod late;
mod release;
mod served;

pub use late::{Late, is_aborted};

/// The alarm that ends the run, in the place of the last task.
pub const END_OF_RUN: usize = TASKS - 1;

/// No processor.
const NOBODY: u8 = u8::MAX;

/// Processors as bits.
pub type Processors = u64;

/// A periodic thread as its queue knows it.
#[derive(Clone, Copy)]
struct Activity {
    /// [`NEVER`] once the last job has arrived.
    next_arrival: Instant,
    /// When the one after the last job would arrive.
    end: Instant,
    arrived: u64,
    served: u64,
    /// Where which job of it ran last; kept while a trace is written.
    last_ran: Option<(u64, Cpu)>,
    /// The processor that carries the thread, whatever was decided since, or [`NOBODY`].
    carrier: u8,
    /// A processor that idles until the carrier has left the thread, or [`NOBODY`].
    awaited_by: u8,
}

impl Activity {
    const NONE: Self = Self {
        next_arrival: NEVER,
        end: NEVER,
        arrived: 0,
        served: 0,
        last_ran: None,
        carrier: NOBODY,
        awaited_by: NOBODY,
    };

    /// The next job arrives; true if its predecessor is not pending any more.
    #[inline(always)]
    fn arrive(&mut self, parameters: &Parameters) -> (Job, bool) {
        let (at, number) = (self.next_arrival, self.arrived);
        self.arrived += 1;
        self.next_arrival = at + parameters.period;
        (Job::arriving(number, at, parameters), number == self.served)
    }
}

/// What a run has come to, for one task.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    /// Jobs that ended, those that were aborted or left out included.
    served: u64,
    arrived: u64,
    /// What was late, where deadlines are watched.
    pub late: Option<Late>,
    next_arrival: Instant,
    period: Duration,
}

impl Tally {
    /// Jobs that arrived before `end`: another queue may still have released some thereafter, before it was stopped.
    pub fn arrived_before(&self, end: Instant) -> u64 {
        let is_over = self.next_arrival == NEVER;
        let later =
            if is_over { 0 } else { self.next_arrival.as_ns().saturating_sub(end.as_ns()) / self.period.as_ns() };
        self.arrived - later.min(self.arrived)
    }

    /// Of those, the ones that have ended.
    pub fn served_before(&self, end: Instant) -> u64 {
        self.served.min(self.arrived_before(end))
    }

    /// Jobs that should have arrived before `end`: those that did, and those that were forgotten.
    pub fn due(&self, end: Instant) -> u64 {
        let forgotten = end.as_ns().saturating_sub(self.next_arrival.as_ns()).div_ceil(self.period.as_ns());
        self.arrived_before(end) + forgotten
    }
}

/// One cluster.
pub struct Queue {
    cluster: Cluster<Criterion, TASKS, HEADS>,
    alarms: Alarms<TASKS>,
    /// Whose timer is set for the alarms; nobody's where the timers tick.
    keeper: Option<usize>,
    /// The period of the timers, where they tick; else they are set for each alarm.
    tick: Option<Duration>,
    activities: [Activity; TASKS],
    /// By processor: the stack in use.
    carried: [u16; PROCESSORS_MAX],
    mutexes: Inheritance<TASKS, MUTEXES>,
    deadlines: Deadlines,
    budgets: Budgets,
    /// What the keeper's timer is set to, where events are written.
    armed: Instant,
    /// The events of this queue.
    pub trace: Trace,
    /// When the run ends, where this queue tells it.
    end: Instant,
    is_over: bool,
    /// When the last switch began, where that is measured.
    pub left: Stamp,
    /// Why the last switch was made.
    pub cause: Cause,
    /// By processor: the stamp of what made another processor interrupt it, or made it wait for one; 0 once that is used.
    pub notified: [Stamp; PROCESSORS_MAX],
}

/// The stack of thread `task`; those before it belong to processors.
pub const fn stack_of(task: TaskIndex) -> usize {
    PROCESSORS_MAX + task.index()
}

/// The thread whose stack is `stack`; beyond all threads for a stack of a processor.
const fn thread_on(stack: usize) -> usize {
    stack.wrapping_sub(PROCESSORS_MAX)
}

/// The processor that must switch, as a bit.
#[inline]
fn concerned_by(decision: Decision) -> Processors {
    decision.switch().map_or(0, |switch| 1 << (switch.cpu.number() % Processors::BITS))
}

impl Queue {
    /// A queue for `heads` processors from `first` on.
    pub const fn new(first: Cpu, heads: usize) -> Self {
        Self {
            cluster: Cluster::new(CRITERION, first, heads, TASKS),
            alarms: Alarms::new(),
            keeper: None,
            tick: None,
            activities: [Activity::NONE; TASKS],
            carried: [0; PROCESSORS_MAX],
            mutexes: Inheritance::new(TASKS),
            deadlines: Deadlines::new(),
            budgets: Budgets::new(),
            armed: NEVER,
            trace: Trace::new(),
            end: NEVER,
            is_over: false,
            left: Stamp(0),
            cause: Cause::Begin,
            notified: [Stamp(0); PROCESSORS_MAX],
        }
    }

    /// `processor` runs on its own stack `stack` from the beginning.
    pub fn begin(&mut self, processor: usize, stack: usize) {
        self.carried[processor] = stack as u16;
    }

    /// `task` arrives at `first` and then every period.
    pub fn admit(&mut self, task: TaskIndex, parameters: Parameters, first: Instant) {
        self.cluster.admit(task, parameters);
        self.activities[task.index()] = Activity { next_arrival: first, ..Activity::NONE };
        self.alarms.set(task.index(), first);
    }

    /// The run ends at `end`, told by this queue.
    pub fn end_at(&mut self, end: Instant) {
        self.end = end;
        self.alarms.set(END_OF_RUN, end);
    }

    /// True once the alarm of the run's end has been served.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// What has become of `task`.
    pub fn tally(&self, task: TaskIndex) -> Tally {
        let Activity { arrived, served, next_arrival, .. } = self.activities[task.index()];
        let late = self.trace.is_on().then(|| self.deadlines.late(task));
        Tally { arrived, served, late, next_arrival, period: self.cluster.parameters(task).period }
    }

    /// `job`, if there is one, joins, and nothing is decided yet.
    #[inline]
    fn join_quietly(&mut self, task: TaskIndex, job: Option<Job>, now: Instant) {
        if let Some(job) = job {
            self.cluster.enqueue(task, job, now);
        }
    }

    /// `job` joins, and what follows is decided; the processor that it concerns.
    #[inline]
    fn ready<const WATCHED: bool>(&mut self, task: TaskIndex, job: Job, now: Instant) -> Processors {
        let decision = self.cluster.insert(task, job, now);
        if WATCHED { self.take(decision, now) } else { concerned_by(decision) }
    }

    /// The job of `task`, on processor `here`, has ended; a successor that has arrived meanwhile is ready at once.
    #[inline]
    pub fn complete(&mut self, task: TaskIndex, here: usize, now: Instant) -> Processors {
        if self.trace.is_on() {
            return self.complete_watched(task, here, now);
        }
        self.activities[task.index()].served += 1;
        if self.is_behind(task) {
            return self.succeed(task, now);
        }
        concerned_by(self.cluster.complete(task))
    }

    #[cold]
    #[inline(never)]
    fn complete_watched(&mut self, task: TaskIndex, here: usize, now: Instant) -> Processors {
        self.watch_completion(task, here, now);
        self.activities[task.index()].served += 1;
        self.watch_end(task);
        if self.is_behind(task) {
            return self.succeed(task, now);
        }
        let decision = self.cluster.complete(task);
        self.take(decision, now)
    }

    /// The job of `task` has ended, and the one behind it is ready.
    #[inline(never)]
    fn succeed(&mut self, task: TaskIndex, now: Instant) -> Processors {
        self.cluster.finish(task);
        self.join_quietly(task, Some(self.successor(task)), now);
        self.settle(now)
    }

    /// True if a job of `task` waits for the one before it, which has ended.
    #[inline]
    fn is_behind(&self, task: TaskIndex) -> bool {
        let activity = &self.activities[task.index()];
        activity.arrived > activity.served
    }

    /// The oldest job of `task` that has arrived and not been served.
    fn successor(&self, task: TaskIndex) -> Job {
        let served = self.activities[task.index()].served;
        let job = Job::arriving(served, self.arrival(task, served), self.cluster.parameters(task));
        Job { absolute_deadline: self.budgets.kept_deadline(task).unwrap_or(job.absolute_deadline), ..job }
    }

    /// When job `number` of `task` arrived.
    fn arrival(&self, task: TaskIndex, number: u64) -> Instant {
        let Activity { arrived, next_arrival, end, .. } = self.activities[task.index()];
        let back_ns = self.cluster.parameters(task).period.as_ns() * (arrived - number);
        Instant::from_ns(next_arrival.min(end).as_ns() - back_ns)
    }

    /// The job of `task` waits for something else than a processor.
    pub fn suspend(&mut self, task: TaskIndex, now: Instant) -> Processors {
        self.trace.record(now, TraceEvent::Suspension, task, self.activities[task.index()].served, 0);
        let decision = self.cluster.suspend(task);
        self.take(decision, now) | self.postpone(task, now)
    }

    /// What the job of `task` waited for has come.
    pub fn resume(&mut self, task: TaskIndex, now: Instant) -> Processors {
        self.trace.record(now, TraceEvent::Resumption, task, self.activities[task.index()].served, 0);
        let decision = self.cluster.resume(task, now);
        self.take(decision, now)
    }

    /// Lets the core decide until it is content; the processors that shall run something else.
    #[inline]
    pub fn settle(&mut self, now: Instant) -> Processors {
        let mut concerned = 0;
        loop {
            let decision = self.cluster.settle();
            if decision == Decision::Stay {
                return concerned;
            }
            concerned |= self.take(decision, now);
        }
    }

    /// Notes `decision`; the processor that it concerns.
    #[inline]
    fn take(&mut self, decision: Decision, now: Instant) -> Processors {
        match decision.switch() {
            Some(switch) if self.trace.is_on() => concerned_by(decision) | self.watch_switch(&switch, now),
            _ => concerned_by(decision),
        }
    }

    /// Writes `switch` down; who leaves its processor is charged, who gets it is watched.
    #[cold]
    fn watch_switch(&mut self, switch: &Switch, now: Instant) -> Processors {
        self.write_down(switch, now);
        if let Some(task) = switch.runs {
            self.budgets.start(task, now);
        }
        switch.preempted.map_or(0, |task| self.postpone(task, now))
    }

    fn write_down(&mut self, switch: &Switch, now: Instant) {
        let cpu = switch.cpu.number() as usize;
        if let Some(task) = switch.preempted {
            self.trace.record(now, TraceEvent::Preemption, task, self.activities[task.index()].served, cpu);
        }
        if let Some(task) = switch.runs {
            let activity = &mut self.activities[task.index()];
            let number = activity.served;
            let last = activity.last_ran.replace((number, switch.cpu));
            if last.is_some_and(|(job, last)| job == number && last != switch.cpu) {
                self.trace.record(now, TraceEvent::Migration, task, number, cpu);
            }
            self.trace.record(now, TraceEvent::Dispatch, task, number, cpu);
        }
    }

    /// What processor `here` carries and what it shall: two stacks, the same if it need not switch.
    ///
    /// A thread that another processor carries still is not to be had: `idle` it is until that one has left it.
    #[inline]
    pub fn next(&mut self, here: usize, cpu: Cpu, idle: usize, cause: Cause) -> (usize, usize) {
        let current = usize::from(self.carried[here]);
        let Some(task) = self.cluster.running(cpu) else { return (current, idle) };
        let activity = &mut self.activities[task.index()];
        if activity.carrier != NOBODY && activity.carrier != here as u8 {
            activity.awaited_by = here as u8;
            // The interrupt that ends the waiting is measured from here on, as what made the thread this processor's.
            self.notified[here] = cause.stamp();
            return (current, idle);
        }
        (current, stack_of(task))
    }

    /// Processor `here` changes from stack `from` to stack `to`; the processor that waited for `from`, if one did.
    #[inline]
    pub fn carry(&mut self, here: usize, from: usize, to: usize) -> Option<usize> {
        self.carried[here] = to as u16;
        if let Some(entered) = self.activities.get_mut(thread_on(to)) {
            entered.carrier = here as u8;
        }
        let left = self.activities.get_mut(thread_on(from))?;
        left.carrier = NOBODY;
        let waiting = core::mem::replace(&mut left.awaited_by, NOBODY);
        (waiting != NOBODY).then_some(usize::from(waiting))
    }
}
