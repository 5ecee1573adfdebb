//! The synchronous periodic schedule of one shared ready queue, computed from event to event.
//!
//! All tasks arrive at instant 0 and then exactly once a period. Jobs of a task run in sequence, so a task has one job at
//! most that may run: the oldest that has not ended. An event is an arrival or a completion; at each, the ended jobs leave,
//! the arrived ones join, and then the most urgent run. The house rules break ties: by rank, then task index, then job, and
//! a tie never preempts. Release jitter is not used: every job is released when it arrives, as it may.
//!
//! A schedule repeats once the same work is pending at two multiples of the hyperperiod. With D <= T and no miss nothing is
//! pending at the first; with D > T a backlog may build up over many: {(2,6,6), (1,6,6), (26,27,77)} on two processors has a
//! hyperperiod of 54 and first misses the deadline at 401.
//!
//! An event costs a few steps in two heaps and a look at the running jobs; nothing is allocated but once a hyperperiod.

use crate::hyperperiod::hyperperiod;
use crate::{Budget, MissedJob, Task, TaskSet, Ticks};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

/// How urgent a job is: the lower, the more.
pub trait Rank {
    /// True if a job may wait for ever while others end in time, so that a miss must be looked for before it ends.
    const MAY_STARVE: bool;

    /// The rank of the job of `task` that arrives at `arrival`.
    fn rank(&self, task: usize, arrival: Ticks) -> u64;
}

/// What happens to a job, shown to whoever watches a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleEvent {
    /// It ends, in time or late.
    Completed {
        /// Which job.
        job: MissedJob,
        /// When it ends.
        completion: Ticks,
    },
    /// Its deadline has passed and it has not ended; told at the horizon, and where a task may starve once a period.
    Overdue(MissedJob),
}

impl ScheduleEvent {
    /// The job, if it misses its deadline.
    pub fn miss(self) -> Option<MissedJob> {
        match self {
            Self::Completed { job, completion } => (completion > job.deadline).then_some(job),
            Self::Overdue(job) => Some(job),
        }
    }
}

/// Why a schedule was not computed further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every event up to the horizon has been seen.
    Horizon,
    /// What is pending at a multiple of the hyperperiod was so at the one before: from here on all repeats.
    Repeats,
    /// The budget was spent.
    BudgetSpent,
    /// The observer has seen enough.
    Observer,
}

/// What a schedule is made of.
#[derive(Clone, Copy, Debug)]
pub struct Schedule<R> {
    /// How jobs are ranked.
    pub rank: R,
    /// How many processors take jobs from the queue.
    pub processors: u32,
}

/// The state of one task: jobs `ended..arrived` are pending, the first of them may run.
#[derive(Clone, Copy, Default)]
struct Progress {
    arrived: u64,
    ended: u64,
    remaining: Ticks,
}

/// What a task has pending: how many jobs, what is left of the oldest, and whether that is running, for it wins ties then.
type Pending = (u64, Ticks, bool);

/// A job on a processor.
#[derive(Clone, Copy)]
struct Running {
    key: Key,
    completion: Ticks,
}

/// Rank, then task index.
type Key = (u64, u32);

struct State<'a, R, F> {
    tasks: &'a [Task],
    schedule: Schedule<R>,
    observe: F,
    progress: Vec<Progress>,
    arrivals: BinaryHeap<Reverse<(Ticks, u32)>>,
    waiting: BinaryHeap<Reverse<Key>>,
    /// Most urgent first.
    running: Vec<Running>,
    /// The next multiple of the hyperperiod, if that is in reach, and what was pending at the one before.
    boundary: Option<Ticks>,
    hyperperiod: Ticks,
    pending_before: Vec<Pending>,
}

impl<R: Rank> Schedule<R> {
    /// Computes the schedule of `tasks` until `horizon`, the horizon included, and shows `observe` every completion in the
    /// order of time, at one instant most urgent first, until it breaks. Spends one unit for each job that arrives.
    pub fn observe(
        self,
        tasks: TaskSet<'_>,
        horizon: Ticks,
        budget: &mut Budget,
        observe: impl FnMut(ScheduleEvent) -> ControlFlow<()>,
    ) -> Ending {
        let mut state = State::new(self, tasks, observe);
        loop {
            if let ControlFlow::Break(ending) = state.step(horizon, budget) {
                return ending;
            }
        }
    }
}

impl<'a, R: Rank, F: FnMut(ScheduleEvent) -> ControlFlow<()>> State<'a, R, F> {
    fn new(schedule: Schedule<R>, tasks: TaskSet<'a>, observe: F) -> Self {
        let hyperperiod = hyperperiod(&tasks);
        Self {
            tasks: tasks.tasks(),
            observe,
            boundary: hyperperiod,
            hyperperiod: hyperperiod.unwrap_or(0),
            pending_before: vec![Pending::default(); tasks.len()],
            progress: vec![Progress::default(); tasks.len()],
            arrivals: (0..tasks.len() as u32).map(|task| Reverse((0, task))).collect(),
            waiting: BinaryHeap::with_capacity(tasks.len()),
            running: Vec::with_capacity(tasks.len().min(schedule.processors as usize)),
            schedule,
        }
    }

    /// One instant at which something happens.
    fn step(&mut self, horizon: Ticks, budget: &mut Budget) -> ControlFlow<Ending> {
        let now = self.next_event();
        if now > horizon {
            self.show_overdue(horizon)?;
            return ControlFlow::Break(Ending::Horizon);
        }
        self.complete(now)?;
        if self.boundary == Some(now) {
            self.compare_pending(now)?;
        }
        self.release(now, budget)?;
        self.dispatch(now);
        ControlFlow::Continue(())
    }

    fn show(&mut self, seen: ScheduleEvent) -> ControlFlow<Ending> {
        (self.observe)(seen).map_break(|()| Ending::Observer)
    }

    /// The next arrival or completion, whichever is first; a task set is never empty, so there always is one.
    fn next_event(&self) -> Ticks {
        let arrival = self.arrivals.peek().map_or(Ticks::MAX, |Reverse((at, _))| *at);
        self.running.iter().fold(arrival, |first, job| first.min(job.completion))
    }

    /// Jobs that end now leave their processors, and what their tasks have pending joins the queue.
    fn complete(&mut self, now: Ticks) -> ControlFlow<Ending> {
        let mut place = 0;
        while let Some(job) = self.running.get(place) {
            if job.completion > now {
                place += 1;
                continue;
            }
            let task = self.running.remove(place).key.1 as usize;
            self.show(ScheduleEvent::Completed { job: self.oldest(task), completion: now })?;
            (self.progress[task].ended, self.progress[task].remaining) = (self.progress[task].ended + 1, 0);
            if self.progress[task].ended < self.progress[task].arrived {
                self.enqueue(task);
            }
        }
        ControlFlow::Continue(())
    }

    /// Ends the schedule if exactly this was pending one hyperperiod ago.
    fn compare_pending(&mut self, now: Ticks) -> ControlFlow<Ending> {
        let waiting = |task: &Progress| (task.arrived - task.ended, task.remaining, false);
        let mut pending: Vec<Pending> = self.progress.iter().map(waiting).collect();
        for job in &self.running {
            let task = &mut pending[job.key.1 as usize];
            (task.1, task.2) = (job.completion - now, true);
        }
        if pending == self.pending_before {
            return ControlFlow::Break(Ending::Repeats);
        }
        self.pending_before = pending;
        self.boundary = now.checked_add(self.hyperperiod);
        ControlFlow::Continue(())
    }

    /// Jobs that arrive now join the queue, unless an older one of their task is still pending.
    fn release(&mut self, now: Ticks, budget: &mut Budget) -> ControlFlow<Ending> {
        while let Some(task) = self.arriving(now) {
            if budget.spend(1).is_err() {
                return ControlFlow::Break(Ending::BudgetSpent);
            }
            if R::MAY_STARVE && self.is_overdue(task, now) {
                self.show(ScheduleEvent::Overdue(self.oldest(task)))?;
            }
            self.progress[task].arrived += 1;
            if self.progress[task].arrived == self.progress[task].ended + 1 {
                self.enqueue(task);
            }
        }
        ControlFlow::Continue(())
    }

    /// Shows the pending jobs that should have ended by `now`, earliest deadline first.
    fn show_overdue(&mut self, now: Ticks) -> ControlFlow<Ending> {
        let overdue = (0..self.tasks.len()).filter(|task| self.is_overdue(*task, now));
        let mut jobs: Vec<MissedJob> = overdue.map(|task| self.oldest(task)).collect();
        jobs.sort_unstable_by_key(|job| (job.deadline, job.task));
        jobs.into_iter().try_for_each(|job| self.show(ScheduleEvent::Overdue(job)))
    }

    /// A task that has a job arriving now; its next one is noted.
    fn arriving(&mut self, now: Ticks) -> Option<usize> {
        let mut next = self.arrivals.peek_mut().filter(|next| next.0.0 == now)?;
        let task = next.0.1 as usize;
        next.0.0 += self.tasks[task].period;
        Some(task)
    }

    /// The most urgent jobs run; a running job makes room only for a strictly more urgent one.
    fn dispatch(&mut self, now: Ticks) {
        let processors = self.schedule.processors as usize;
        while let Some(Reverse(key)) = self.waiting.peek().copied() {
            if self.running.len() == processors {
                let least = self.running[processors - 1];
                if key.0 >= least.key.0 {
                    return;
                }
                self.running.pop();
                self.progress[least.key.1 as usize].remaining = least.completion - now;
                self.waiting.push(Reverse(least.key));
            }
            self.waiting.pop();
            let place = self.running.partition_point(|job| job.key < key);
            self.running.insert(place, Running { key, completion: now + self.progress[key.1 as usize].remaining });
        }
    }

    /// Puts the oldest pending job of `task`, which has not run yet, into the queue.
    fn enqueue(&mut self, task: usize) {
        self.progress[task].remaining = self.tasks[task].cost;
        let arrival = self.oldest(task).arrival;
        self.waiting.push(Reverse((self.schedule.rank.rank(task, arrival), task as u32)));
    }

    fn oldest(&self, task: usize) -> MissedJob {
        let (job, Task { period, deadline, .. }) = (self.progress[task].ended, self.tasks[task]);
        MissedJob { task, job, arrival: job * period, deadline: job * period + deadline }
    }

    /// True if a job of `task` is pending that should have ended.
    fn is_overdue(&self, task: usize, now: Ticks) -> bool {
        self.progress[task].ended < self.progress[task].arrived && self.oldest(task).deadline <= now
    }
}

/// The first job seen to miss, by the order of completions.
pub fn first_late_job<R: Rank>(
    tasks: TaskSet<'_>,
    schedule: Schedule<R>,
    horizon: Ticks,
    budget: &mut Budget,
) -> (Option<MissedJob>, Ending) {
    let mut late = None;
    let ending = schedule.observe(tasks, horizon, budget, |seen| {
        late = seen.miss();
        if late.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    (late, ending)
}
