//! What a run counts: response times, tardiness, preemptions, migrations and misses, task by task.
//!
//! Observed values, never bounds. A job counts as missed when its deadline passes and it has not ended, whether it ends
//! later or not within the run; response times are those of the jobs that ended.

/// The most misses that a run describes one by one; all are counted.
pub const MISSES_KEPT: usize = 16;

/// One task's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskFigures {
    /// Jobs that were released.
    pub released: u64,
    /// Jobs that ended.
    pub completed: u64,
    /// Jobs whose deadline passed before they ended.
    pub missed: u64,
    /// Jobs that were ended at their deadline.
    pub aborted: u64,
    /// Jobs that were left out after an earlier one was late; not among the released.
    pub skipped: u64,
    /// How often its server's budget was used up and the deadline that it ranks by was postponed.
    pub postponements: u64,
    /// How often a job lost its processor to another.
    pub preemptions: u64,
    /// How often a job went on elsewhere than it had run before.
    pub migrations: u64,
    /// The shortest response time; means nothing where no job ended.
    pub response_ns_min: u64,
    /// The longest response time.
    pub response_ns_max: u64,
    /// The sum of the response times.
    pub response_ns_sum: u128,
    /// The longest that a job ended after its deadline, or was behind it at the end of the run.
    pub tardiness_ns_max: u64,
}

/// A job that missed its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Miss {
    /// Whose.
    pub task: usize,
    /// Which of the task's jobs.
    pub job: u64,
    /// When it arrived.
    pub arrival_ns: u64,
    /// When it should have ended.
    pub deadline_ns: u64,
}

/// A whole run's figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Releases, dispatches, preemptions and completions.
    pub events: u64,
    /// By task.
    pub tasks: Vec<TaskFigures>,
    /// The first misses, in the order of their deadlines.
    pub misses: Vec<Miss>,
}

impl Figures {
    /// Nothing counted yet of so many tasks.
    pub fn new(tasks: usize) -> Self {
        let none = TaskFigures { response_ns_min: u64::MAX, ..TaskFigures::default() };
        Self { events: 0, tasks: vec![none; tasks], misses: Vec::new() }
    }

    /// The sum of `count` over the tasks.
    pub fn total(&self, count: impl Fn(&TaskFigures) -> u64) -> u64 {
        self.tasks.iter().map(count).sum()
    }

    /// The longest tardiness of any task.
    pub fn tardiness_ns_max(&self) -> u64 {
        self.tasks.iter().map(|task| task.tardiness_ns_max).max().unwrap_or(0)
    }

    /// A job of `task` ended this long after its arrival, and this long after its deadline.
    pub(crate) fn completed(&mut self, task: usize, response_ns: u64, tardiness_ns: u64) {
        let figures = &mut self.tasks[task];
        figures.completed += 1;
        figures.response_ns_min = figures.response_ns_min.min(response_ns);
        figures.response_ns_max = figures.response_ns_max.max(response_ns);
        figures.response_ns_sum += u128::from(response_ns);
        figures.tardiness_ns_max = figures.tardiness_ns_max.max(tardiness_ns);
    }

    /// A deadline passed.
    pub(crate) fn missed(&mut self, miss: Miss) {
        self.tasks[miss.task].missed += 1;
        if self.misses.len() < MISSES_KEPT {
            self.misses.push(miss);
        }
    }
}
