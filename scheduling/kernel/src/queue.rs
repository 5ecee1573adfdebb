//! What one lock protects: the jobs of one cluster, the alarms that release them, and who physically runs where.
//!
//! The scheduler core decides at once who shall run on which processor; the processor follows when it gets there. Between
//! the two lies `carried`: what a processor really runs. A thread that another processor still carries cannot run here, so
//! this processor idles until the other has left it and says so.
//!
//! Any processor of the cluster may serve the cluster's alarms. The one that armed its timer last for the earliest of them
//! is the keeper; the interrupt of another finds nothing due and leaves the timers alone.

use crate::arch::{self, PROCESSORS_MAX, Stamp};
use crate::configuration::{CRITERION, Criterion, HEADS, TASKS};
use crate::dispatcher::Cause;
use crate::mutex::MUTEXES;
use crate::trace::{Trace, What};
use late::Deadlines;
use prazo_core::cpu::Cpu;
use prazo_core::criterion::Criterion as _;
use prazo_core::inheritance::{Inheritance, Locking};
use prazo_core::job::{Job, Parameters, TaskIndex};
use prazo_core::rank::Rank;
use prazo_core::scheduler::{Cluster, Decision, Switch};
use prazo_core::time::{Duration, Instant};
use prazo_kernel::alarms::{Alarms, NEVER};
use served::Budgets;

mod late;
mod served;

pub use late::is_aborted;

/// The alarm that ends the run, in the place of the last task.
pub const END_OF_RUN: usize = TASKS - 1;

/// No processor.
const NOBODY: u8 = u8::MAX;

/// Processors as bits.
pub type Processors = u64;

/// A periodic thread as its queue knows it.
#[derive(Clone, Copy)]
struct Activity {
    next_arrival: Instant,
    /// No job arrives from here on.
    end: Instant,
    arrived: u64,
    served: u64,
    /// Where the pending job ran last.
    last_cpu: Option<Cpu>,
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
        last_cpu: None,
        carrier: NOBODY,
        awaited_by: NOBODY,
    };
}

/// Changes of inherited urgency, in order; a chain of mutexes changes as many as it is long.
struct Lent {
    changes: [Option<(TaskIndex, Option<Rank>)>; 2 * MUTEXES],
    count: usize,
}

impl Lent {
    const fn new() -> Self {
        Self { changes: [None; 2 * MUTEXES], count: 0 }
    }

    fn push(&mut self, task: TaskIndex, rank: Option<Rank>) {
        self.changes[self.count] = Some((task, rank));
        self.count += 1;
    }

    fn iter(&self) -> impl Iterator<Item = (TaskIndex, Option<Rank>)> {
        self.changes.iter().take(self.count).flatten().copied()
    }
}

/// What serving the alarms has done.
#[derive(Clone, Copy, Debug)]
pub struct Released {
    /// Jobs that arrived.
    pub jobs: usize,
    /// Processors that shall run something else, as far as that is decided.
    pub concerned: Processors,
}

/// What a run has come to, for one task.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    /// Jobs that arrived.
    pub arrived: u64,
    /// Jobs that ended.
    pub served: u64,
    next_arrival: Instant,
    end: Instant,
    period: Duration,
}

impl Tally {
    /// Jobs that should have arrived before `end`: those that did, and those that were forgotten.
    pub fn due(&self, end: Instant) -> u64 {
        let forgotten =
            end.min(self.end).as_ns().saturating_sub(self.next_arrival.as_ns()).div_ceil(self.period.as_ns());
        self.arrived + forgotten
    }
}

/// One cluster.
pub struct Queue {
    cluster: Cluster<Criterion, TASKS, HEADS>,
    alarms: Alarms<TASKS>,
    keeper: Option<usize>,
    /// The period of the timers, where they tick; else they are set for each alarm.
    tick: Option<Duration>,
    activities: [Activity; TASKS],
    /// By processor: the stack in use.
    carried: [u16; PROCESSORS_MAX],
    mutexes: Inheritance<TASKS, MUTEXES>,
    deadlines: Deadlines,
    budgets: Budgets,
    /// What the keeper's timer is set to.
    armed: Instant,
    trace: Trace,
    is_over: bool,
    /// When the last switch began.
    pub left: Stamp,
    /// Why the last switch was made.
    pub cause: Cause,
    /// By processor: the stamp of what made another processor interrupt it.
    pub told: [Stamp; PROCESSORS_MAX],
}

/// The stack of thread `task`; those before it belong to processors.
pub const fn stack_of(task: TaskIndex) -> usize {
    PROCESSORS_MAX + task.index()
}

const fn thread_on(stack: usize) -> Option<TaskIndex> {
    if stack < PROCESSORS_MAX { None } else { TaskIndex::new(stack - PROCESSORS_MAX) }
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
            is_over: false,
            left: Stamp(0),
            cause: Cause::Begin,
            told: [Stamp(0); PROCESSORS_MAX],
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
        self.alarms.set(END_OF_RUN, end);
    }

    /// True once the alarm of the run's end has been served.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// What has become of `task`.
    pub fn tally(&self, task: TaskIndex) -> Tally {
        let Activity { arrived, served, next_arrival, end, .. } = self.activities[task.index()];
        Tally { arrived, served, next_arrival, end, period: self.cluster.parameters(task).period }
    }

    /// Serves all alarms that are due at `now`.
    ///
    /// One job alone is inserted, which decides at once; of several each joins quietly and [`settle`](Self::settle) decides,
    /// so that their order does not matter.
    #[inline]
    pub fn release_due(&mut self, now: Instant) -> Released {
        let mut released = Released { jobs: 0, concerned: 0 };
        loop {
            let (task, at) = self.alarms.earliest();
            if at > now {
                return released;
            }
            if task == END_OF_RUN {
                self.alarms.set(task, NEVER);
                self.is_over = true;
                return released;
            }
            let task = TaskIndex::new(task).expect("alarms are as many as tasks");
            if let Some(job) = self.arrive(task, at, now) {
                let is_alone = released.jobs == 0 && self.alarms.earliest().1 > now;
                released.concerned |= self.ready(task, job, now, is_alone);
            }
            released.jobs += 1;
        }
    }

    /// A job of `task` arrives; it is handed back unless its predecessor is still pending.
    #[inline]
    fn arrive(&mut self, task: TaskIndex, at: Instant, now: Instant) -> Option<Job> {
        let parameters = self.cluster.parameters(task);
        let activity = &mut self.activities[task.index()];
        let number = activity.arrived;
        activity.arrived += 1;
        activity.next_arrival = at + parameters.period;
        let is_first = number == activity.served;
        let next = if activity.next_arrival < activity.end { activity.next_arrival } else { NEVER };
        let mut job = Job::arriving(number, at, parameters);
        self.alarms.set(task.index(), next);
        if self.trace.is_on() {
            job.absolute_deadline = self.watch_arrival(task, &job, now)?;
        }
        is_first.then_some(job)
    }

    /// `job` joins; the processor that it concerns, if it is `alone` and thereby decided.
    #[inline]
    fn ready(&mut self, task: TaskIndex, job: Job, now: Instant, alone: bool) -> Processors {
        self.activities[task.index()].last_cpu = None;
        if !alone {
            self.cluster.enqueue(task, job, now);
            return 0;
        }
        let decision = self.cluster.insert(task, job, now);
        self.take(decision, now)
    }

    /// The job of `task`, on processor `here`, has ended; a successor that has arrived meanwhile is ready at once.
    #[inline]
    pub fn complete(&mut self, task: TaskIndex, here: usize, now: Instant) -> Processors {
        if self.trace.is_on() {
            self.watch_completion(task, here, now);
        }
        self.activities[task.index()].served += 1;
        let is_behind = self.is_behind(task);
        if is_behind {
            self.cluster.finish(task);
            let job = self.successor(task);
            return self.ready(task, job, now, false) | self.settle(now);
        }
        let decision = self.cluster.complete(task);
        self.take(decision, now)
    }

    /// True if a job of `task` waits for the one before it, which has ended.
    #[inline]
    fn is_behind(&mut self, task: TaskIndex) -> bool {
        if self.trace.is_on() {
            self.watch_end(task);
        }
        let activity = &self.activities[task.index()];
        activity.arrived > activity.served
    }

    /// The oldest job of `task` that has arrived and not been served.
    fn successor(&self, task: TaskIndex) -> Job {
        let Activity { arrived, served, next_arrival, .. } = self.activities[task.index()];
        let parameters = self.cluster.parameters(task);
        let back_ns = parameters.period.as_ns() * (arrived - served);
        let job = Job::arriving(served, Instant::from_ns(next_arrival.as_ns() - back_ns), parameters);
        Job { absolute_deadline: self.budgets.kept_deadline(task).unwrap_or(job.absolute_deadline), ..job }
    }

    /// The job of `task` waits for something else than a processor.
    pub fn suspend(&mut self, task: TaskIndex, now: Instant) -> Processors {
        self.trace.record(now, What::Suspension, task, self.activities[task.index()].served, 0);
        let decision = self.cluster.suspend(task);
        self.take(decision, now) | self.postpone(task, now)
    }

    /// What the job of `task` waited for has come.
    pub fn resume(&mut self, task: TaskIndex, now: Instant) -> Processors {
        self.trace.record(now, What::Resumption, task, self.activities[task.index()].served, 0);
        let decision = self.cluster.resume(task, now);
        self.take(decision, now)
    }

    /// `task` wants mutex `mutex`, and is suspended if it must wait for it. Panics where it would wait for itself.
    pub fn lock(&mut self, mutex: usize, task: TaskIndex, now: Instant) -> Processors {
        let job = self.cluster.pending(task).expect("the calling thread's job is pending");
        let rank = CRITERION.rank(task, self.cluster.parameters(task), job, job.release);
        let mut lent = Lent::new();
        match self.mutexes.lock(mutex, task, rank, |task, rank| lent.push(task, rank)) {
            Locking::Holds => self.lend(&lent, now),
            Locking::Waits => self.lend(&lent, now) | self.suspend(task, now),
            Locking::Deadlock => panic!("task {} would wait for itself at mutex {mutex}", task.number()),
        }
    }

    /// `task` gives mutex `mutex` back; who waits for it goes on.
    pub fn unlock(&mut self, mutex: usize, task: TaskIndex, now: Instant) -> Processors {
        let mut lent = Lent::new();
        let next = self.mutexes.unlock(mutex, task, |task, rank| lent.push(task, rank));
        // The next holder first: as urgent as what was lent, it preempts nobody before that is taken back, and only once then.
        let concerned = next.map_or(0, |next| self.resume(next, now));
        concerned | self.lend(&lent, now)
    }

    /// Tells the cluster what is lent to whom from now on.
    fn lend(&mut self, lent: &Lent, now: Instant) -> Processors {
        let mut concerned = 0;
        for (task, rank) in lent.iter() {
            let what = if rank.is_some() { What::Inheritance } else { What::Disinheritance };
            self.trace.record(now, what, task, self.activities[task.index()].served, 0);
            let decision = self.cluster.inherit(task, rank);
            concerned |= self.take(decision, now);
        }
        concerned
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
        let Some(switch) = decision.switch() else { return 0 };
        self.note(&switch, now);
        let postponed = if self.trace.is_on() { self.watch_switch(&switch, now) } else { 0 };
        postponed | 1 << switch.cpu.number()
    }

    #[inline]
    fn note(&mut self, switch: &Switch, now: Instant) {
        let cpu = switch.cpu.number() as usize;
        if let Some(task) = switch.preempted {
            self.trace.record(now, What::Preemption, task, self.activities[task.index()].served, cpu);
        }
        if let Some(task) = switch.runs {
            let activity = &mut self.activities[task.index()];
            let (number, last) = (activity.served, activity.last_cpu.replace(switch.cpu));
            if last.is_some_and(|last| last != switch.cpu) {
                self.trace.record(now, What::Migration, task, number, cpu);
            }
            self.trace.record(now, What::Dispatch, task, number, cpu);
        }
    }

    /// Timers tick every `period` from now on; alarms are served at the tick that follows them.
    pub fn tick(&mut self, period: Duration) {
        self.tick = Some(period);
    }

    /// Starts the timer of processor `here`, which takes part from now on.
    pub fn begin_alarms(&mut self, here: usize, now: Instant) {
        match self.tick {
            Some(period) => arch::arm_periodic(period),
            None => self.keep_alarms(here, now),
        }
    }

    /// Sets the timer of processor `here`, if it keeps the alarms or must keep them from now on.
    #[inline]
    pub fn keep_alarms(&mut self, here: usize, now: Instant) {
        if self.tick.is_none() && self.keeper.is_none_or(|keeper| keeper == here) {
            self.keeper = Some(here);
            self.armed = self.earliest();
            arch::arm(now, self.armed);
        }
    }

    /// Processor `here` keeps the alarms from now on if one comes before that for which a timer is set: a server's budget ends.
    #[inline]
    pub fn watch_alarms(&mut self, here: usize, now: Instant) {
        if self.trace.is_on() && self.earliest() < self.armed {
            self.keeper = None;
            self.keep_alarms(here, now);
        }
    }

    /// The next instant at which something is to be done.
    #[inline]
    fn earliest(&self) -> Instant {
        let (_, arrival) = self.alarms.earliest();
        if self.trace.is_on() { arrival.min(self.deadlines.earliest()).min(self.budgets.earliest()) } else { arrival }
    }

    /// What processor `here` carries and what it shall: two stacks, the same if it need not switch.
    ///
    /// A thread that another processor carries still is not to be had: `idle` it is until that one has left it.
    #[inline]
    pub fn next(&mut self, here: usize, cpu: Cpu, idle: usize) -> (usize, usize) {
        let current = usize::from(self.carried[here]);
        let Some(task) = self.cluster.running(cpu) else { return (current, idle) };
        let activity = &mut self.activities[task.index()];
        if activity.carrier != NOBODY && activity.carrier != here as u8 {
            activity.awaited_by = here as u8;
            return (current, idle);
        }
        (current, stack_of(task))
    }

    /// Processor `here` changes from stack `from` to stack `to`; the processor that waited for `from`, if one did.
    #[inline]
    pub fn carry(&mut self, here: usize, from: usize, to: usize) -> Option<usize> {
        self.carried[here] = to as u16;
        if let Some(task) = thread_on(to) {
            self.activities[task.index()].carrier = here as u8;
        }
        let left = &mut self.activities[thread_on(from)?.index()];
        left.carrier = NOBODY;
        let waiting = core::mem::replace(&mut left.awaited_by, NOBODY);
        (waiting != NOBODY).then_some(usize::from(waiting))
    }
}
