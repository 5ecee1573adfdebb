//! What a run counts: response times, tardiness, preemptions, migrations and misses, task by task.
//!
//! Observed values, never bounds. A job counts as missed when its deadline passes and it has not ended, whether it ends
//! later or not within the run; response times are those of the jobs that ended.

use prazo_core::time::{Duration, Instant};

/// The most misses that a run describes one by one; all are counted.
pub const MISSES_KEPT: usize = 16;

/// One task's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskFigures {
    /// Jobs that were released.
    pub released: u64,
    /// Jobs that ended.
    pub completed: u64,
    /// Jobs that missed their deadline.
    pub missed: u64,
    /// Jobs that were aborted at their deadline.
    pub aborted: u64,
    /// Jobs that were left out after an earlier one was late; not among the released.
    pub skipped: u64,
    /// Jobs of low criticality that were dropped in high mode; those that arrived in high mode are not among the released.
    pub dropped: u64,
    /// How often its server's budget was used up and the deadline that it ranks by was postponed.
    pub postponements: u64,
    /// Number of preemptions: a job lost its processor to another job.
    pub preemptions: u64,
    /// Number of migrations: a job continued on another processor.
    pub migrations: u64,
    /// Number of times that a job suspended itself.
    pub suspensions: u64,
    /// How long its jobs have suspended themselves in all, in nanoseconds.
    pub suspended_ns: u128,
    /// Number of times that a job waited for a lock, or for a ceiling to go down.
    pub lock_waits: u64,
    /// The shortest response time; means nothing where no job ended.
    pub response_min: Duration,
    /// The longest response time.
    pub response_max: Duration,
    /// The sum of the response times, in nanoseconds: it may not fit into a [`Duration`].
    pub response_sum_ns: u128,
    /// The longest that a job ended after its deadline, or was behind it at the end of the run.
    pub tardiness_max: Duration,
}

/// A job that missed its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Miss {
    /// The task.
    pub task: usize,
    /// Number of the task's job.
    pub job: u64,
    /// When it arrived.
    pub arrival: Instant,
    /// When it should have ended.
    pub deadline: Instant,
}

/// A whole run's figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Number of releases, dispatches, preemptions and completions.
    pub events: u64,
    /// By task.
    pub tasks: Vec<TaskFigures>,
    /// The first misses, in the order of their deadlines.
    pub misses: Vec<Miss>,
    /// How long the tasks had no processor in all, because of their supply.
    pub unsupplied: Duration,
    /// How often high mode began, where the set has two criticalities.
    pub mode_changes: u64,
}

impl Figures {
    /// Nothing counted yet of so many tasks.
    pub fn new(tasks: usize) -> Self {
        let none = TaskFigures { response_min: Duration::from_ns(u64::MAX), ..TaskFigures::default() };
        Self { events: 0, tasks: vec![none; tasks], misses: Vec::new(), unsupplied: Duration::ZERO, mode_changes: 0 }
    }

    /// The sum of `count` over the tasks.
    pub fn total(&self, count: impl Fn(&TaskFigures) -> u64) -> u64 {
        self.tasks.iter().map(count).sum()
    }

    /// The longest tardiness of any task.
    pub fn tardiness_max(&self) -> Duration {
        self.tasks.iter().map(|task| task.tardiness_max).max().unwrap_or_default()
    }

    /// A job of `task` ended this long after its arrival, and this long after its deadline.
    pub(crate) fn completed(&mut self, task: usize, response: Duration, tardiness: Duration) {
        let figures = &mut self.tasks[task];
        figures.completed += 1;
        figures.response_min = figures.response_min.min(response);
        figures.response_max = figures.response_max.max(response);
        figures.response_sum_ns += u128::from(response.as_ns());
        figures.tardiness_max = figures.tardiness_max.max(tardiness);
    }

    /// A deadline passed.
    pub(crate) fn missed(&mut self, miss: Miss) {
        self.tasks[miss.task].missed += 1;
        if self.misses.len() < MISSES_KEPT {
            self.misses.push(miss);
        }
    }
}
