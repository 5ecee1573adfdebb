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
use prazo_core::cpu::Cpu;
use prazo_core::criterion::Criterion as _;
use prazo_core::inheritance::{Inheritance, Locking};
use prazo_core::job::{Job, Parameters, TaskIndex};
use prazo_core::rank::Rank;
use prazo_core::scheduler::{Cluster, Decision, Switch};
use prazo_core::time::{Duration, Instant};
use prazo_kernel::alarms::{Alarms, NEVER};

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
    const NONE: Self =
        Self { next_arrival: NEVER, arrived: 0, served: 0, last_ran: None, carrier: NOBODY, awaited_by: NOBODY };

    /// A job of `task` arrives, noticed at `now`; it is handed out unless its predecessor is still pending.
    #[inline(always)]
    fn arrive(&mut self, task: TaskIndex, parameters: &Parameters, now: Instant, trace: &mut Trace) -> Option<Job> {
        let (at, number) = (self.next_arrival, self.arrived);
        self.arrived += 1;
        self.next_arrival = at + parameters.period;
        let job = Job::arriving(number, at, parameters);
        trace.record(now, What::Arrival, task, number, 0);
        trace.record(now, What::Release, task, number, 0);
        (number == self.served).then_some(job)
    }
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
    period: Duration,
}

impl Tally {
    /// Jobs that should have arrived before `end`: those that did, and those that were forgotten.
    pub fn due(&self, end: Instant) -> u64 {
        let forgotten = end.as_ns().saturating_sub(self.next_arrival.as_ns()).div_ceil(self.period.as_ns());
        self.arrived + forgotten
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
    /// The events of this queue.
    pub trace: Trace,
    /// When the run ends, where this queue tells it.
    end: Instant,
    is_over: bool,
    /// When the last switch began, where that is measured.
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

/// The thread whose stack is `stack`; beyond all threads for a stack of a processor.
const fn thread_on(stack: usize) -> usize {
    stack.wrapping_sub(PROCESSORS_MAX)
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
            trace: Trace::new(),
            end: NEVER,
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
        Tally { arrived, served, next_arrival, period: self.cluster.parameters(task).period }
    }

    /// Serves all alarms that are due at `now`.
    ///
    /// One job alone is inserted, which decides at once; of several each joins quietly and [`settle`](Self::settle) decides,
    /// so that their order does not matter.
    #[inline]
    pub fn release_due(&mut self, now: Instant) -> Released {
        let (first, at) = self.alarms.earliest();
        if at > now {
            return Released { jobs: 0, concerned: 0 };
        }
        if first == END_OF_RUN {
            return Released { jobs: self.release_others(now), concerned: 0 };
        }
        let (task, job) = self.serve_alarm(first, now);
        if self.alarms.earliest().1 > now {
            let concerned = job.map_or(0, |job| self.ready(task, job, now));
            return Released { jobs: 1, concerned };
        }
        self.join_quietly(task, job, now);
        Released { jobs: 1 + self.release_others(now), concerned: 0 }
    }

    /// Releases quietly what is due at `now` beside the first; how many jobs.
    ///
    /// An alarm set anew costs log2(n), all of them together n: where more than one in log2(n) is due, the rest is swept.
    #[inline(never)]
    fn release_others(&mut self, now: Instant) -> usize {
        const MANY: usize = TASKS / TASKS.ilog2() as usize;
        for jobs in 0..MANY {
            let (task, at) = self.alarms.earliest();
            if at > now {
                return jobs;
            }
            if task == END_OF_RUN {
                self.is_over = true;
                return jobs;
            }
            let (task, job) = self.serve_alarm(task, now);
            self.join_quietly(task, job, now);
        }
        MANY + self.sweep(now)
    }

    /// Releases quietly what is due at `now`, asking every task, and sets all alarms anew; how many jobs.
    fn sweep(&mut self, now: Instant) -> usize {
        self.is_over = self.end <= now;
        let until = now.min(self.end);
        let mut jobs = 0;
        let Self { cluster, activities, trace, .. } = self;
        cluster.enqueue_all(now, |task, parameters| {
            let activity = &mut activities[task.index()];
            let mut oldest = None;
            while activity.next_arrival <= until {
                oldest = activity.arrive(task, parameters, now, trace).or(oldest);
                jobs += 1;
            }
            oldest
        });
        self.alarms.set_all(|task| if task == END_OF_RUN { self.end } else { self.activities[task].next_arrival });
        jobs
    }

    /// The alarm of task `number`, due at `now`, is served: its job arrives, and the next alarm is set.
    #[inline(always)]
    fn serve_alarm(&mut self, number: usize, now: Instant) -> (TaskIndex, Option<Job>) {
        let task = TaskIndex::new(number).expect("alarms are as many as tasks");
        let activity = &mut self.activities[number];
        let job = activity.arrive(task, self.cluster.parameters(task), now, &mut self.trace);
        self.alarms.set(number, activity.next_arrival);
        (task, job)
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
    fn ready(&mut self, task: TaskIndex, job: Job, now: Instant) -> Processors {
        let decision = self.cluster.insert(task, job, now);
        self.take(decision, now)
    }

    /// The job of `task`, on processor `here`, has ended; a successor that has arrived meanwhile is ready at once.
    #[inline]
    pub fn complete(&mut self, task: TaskIndex, here: usize, now: Instant) -> Processors {
        let activity = &mut self.activities[task.index()];
        let number = activity.served;
        activity.served += 1;
        let is_behind = activity.arrived > activity.served;
        self.trace.record(now, What::Completion, task, number, here);
        if is_behind {
            self.cluster.finish(task);
            self.join_quietly(task, Some(self.successor(task)), now);
            return self.settle(now);
        }
        let decision = self.cluster.complete(task);
        self.take(decision, now)
    }

    /// The oldest job of `task` that has arrived and not been served.
    fn successor(&self, task: TaskIndex) -> Job {
        let Activity { arrived, served, next_arrival, .. } = self.activities[task.index()];
        let parameters = self.cluster.parameters(task);
        let back_ns = parameters.period.as_ns() * (arrived - served);
        Job::arriving(served, Instant::from_ns(next_arrival.as_ns() - back_ns), parameters)
    }

    /// The job of `task` waits for something else than a processor.
    pub fn suspend(&mut self, task: TaskIndex, now: Instant) -> Processors {
        self.trace.record(now, What::Suspension, task, self.activities[task.index()].served, 0);
        let decision = self.cluster.suspend(task);
        self.take(decision, now)
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
        if self.trace.is_on() {
            self.write_down(&switch, now);
        }
        1 << (switch.cpu.number() % Processors::BITS)
    }

    #[cold]
    fn write_down(&mut self, switch: &Switch, now: Instant) {
        let cpu = switch.cpu.number() as usize;
        if let Some(task) = switch.preempted {
            self.trace.record(now, What::Preemption, task, self.activities[task.index()].served, cpu);
        }
        if let Some(task) = switch.runs {
            let activity = &mut self.activities[task.index()];
            let number = activity.served;
            let last = activity.last_ran.replace((number, switch.cpu));
            if last.is_some_and(|(job, last)| job == number && last != switch.cpu) {
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
            None => {
                self.keeper.get_or_insert(here);
                self.keep_alarms(here, now);
            }
        }
    }

    /// Sets the timer of processor `here`, if it keeps the alarms.
    #[inline]
    pub fn keep_alarms(&mut self, here: usize, now: Instant) {
        if self.keeper == Some(here) {
            let (_, earliest) = self.alarms.earliest();
            arch::arm(now, earliest);
        }
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
        if let Some(entered) = self.activities.get_mut(thread_on(to)) {
            entered.carrier = here as u8;
        }
        let left = self.activities.get_mut(thread_on(from))?;
        left.carrier = NOBODY;
        let waiting = core::mem::replace(&mut left.awaited_by, NOBODY);
        (waiting != NOBODY).then_some(usize::from(waiting))
    }
}
