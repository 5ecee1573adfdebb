//! The schedule of one legal arrival sequence, computed again: all tasks arrive at 0 and then every T, each job needs
//! C.
//!
//! From event to event: the m most urgent ready jobs run until the next arrival or completion. Of jobs of equal rank a
//! running one stays, then the lower task index comes first. Jobs of a task run in sequence.

use crate::rejected::{Rejected, consistent, show};
use prazo_core::task::{Task, Ticks};

/// Events that the checker is willing to compute, each of them a pass over all tasks.
const WORK_MAX: u64 = 400_000_000;

/// A job and its instants.
pub(super) struct Job {
    /// Index of its task among those of the schedule.
    pub task: usize,
    /// What the certificate calls that task.
    pub name: usize,
    /// Number of the task's job, from 0.
    pub index: u64,
    /// When it arrives.
    pub arrival: Ticks,
    /// Its absolute deadline.
    pub deadline: Ticks,
}

/// Shows that `job` is not done at its deadline; `ranks` are fixed priorities, none for EDF.
pub(super) fn check_missed(
    tasks: &[Task],
    processors: u64,
    ranks: &Option<Vec<usize>>,
    job: Job,
) -> Result<(), Rejected> {
    let task = tasks.get(job.task).ok_or_else(|| Rejected::Inconsistent(format!("there is no task {}", job.name)))?;
    let arrival = u128::from(job.index) * u128::from(task.period);
    let instants = (arrival, arrival + u128::from(task.deadline));
    consistent(instants == (job.arrival.into(), job.deadline.into()), || {
        "the stated arrival and deadline are not those of the job".into()
    })?;
    let events: u128 = tasks.iter().map(|task| u128::from(job.deadline / task.period) * 2 + 2).sum();
    if events * tasks.len() as u128 > WORK_MAX.into() {
        return Err(Rejected::TooLarge("the schedule has too many events to compute again".into()));
    }
    let mut schedule = Schedule::at_zero(tasks, processors, ranks);
    while schedule.now < job.deadline {
        schedule.advance(job.deadline);
    }
    let done = schedule.states[job.task].done;
    show(done <= job.index, || format!("job {} of task {} completes by its deadline", job.index, job.name))
}

/// How far each task is at `now`.
struct Schedule<'a> {
    tasks: &'a [Task],
    processors: usize,
    ranks: &'a Option<Vec<usize>>,
    now: Ticks,
    states: Vec<State>,
}

/// How far one task is.
#[derive(Clone)]
struct State {
    /// Jobs arrived.
    arrived: u64,
    /// Jobs completed.
    done: u64,
    /// What the oldest job that is not completed still needs.
    left: Ticks,
    /// True if it ran just before.
    running: bool,
}

impl<'a> Schedule<'a> {
    fn at_zero(tasks: &'a [Task], processors: u64, ranks: &'a Option<Vec<usize>>) -> Self {
        let state = |task: &Task| State { arrived: 1, done: 0, left: task.cost, running: false };
        let states = tasks.iter().map(state).collect();
        Self { tasks, processors: processors as usize, ranks, now: 0, states }
    }

    /// Runs the most urgent jobs until the next event, `end` at the latest.
    fn advance(&mut self, end: Ticks) {
        let running = self.most_urgent();
        let arrivals = self.tasks.iter().zip(&self.states).map(|(task, state)| state.arrived * task.period);
        let completions = running.iter().map(|&task| self.now + self.states[task].left);
        let next = arrivals.chain(completions).fold(end, Ticks::min);
        for (index, state) in self.states.iter_mut().enumerate() {
            let share = if running.contains(&index) { next - self.now } else { 0 };
            state.pass(share, next, &self.tasks[index]);
        }
        self.now = next;
    }

    /// Tasks whose oldest job runs now.
    fn most_urgent(&self) -> Vec<usize> {
        let mut ready: Vec<usize> =
            (0..self.tasks.len()).filter(|&task| self.states[task].arrived > self.states[task].done).collect();
        ready.sort_by_key(|&task| (self.rank(task), !self.states[task].running, task));
        ready.truncate(self.processors);
        ready
    }

    fn rank(&self, task: usize) -> Ticks {
        match self.ranks {
            Some(ranks) => ranks[task] as Ticks,
            None => self.states[task].done * self.tasks[task].period + self.tasks[task].deadline,
        }
    }
}

impl State {
    /// The oldest job ran for `share`, and it is `now`.
    fn pass(&mut self, share: Ticks, now: Ticks, task: &Task) {
        self.left -= share;
        self.running = share > 0 && self.left > 0;
        if self.left == 0 {
            self.done += 1;
            self.left = task.cost;
        }
        self.arrived += u64::from(self.arrived * task.period == now);
    }
}
