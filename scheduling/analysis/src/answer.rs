//! What one test says of one task set: proven, disproven or unknown, with the reason and the margin.
//!
//! A sufficient test that fails answers Unknown; only a demand that no schedule could serve, or a job seen to miss, answers
//! Disproven. With D > T, Proven means: dispatched by the task's own D, jobs of a task in sequence.

use crate::overheads::Overload;
use prazo_core::behaviour::CriticalityMode;
use prazo_core::task::Ticks;

pub use prazo_core::verdict::Verdict;

/// What one test found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The test's name, as the literature calls it: "GFB", "QPA", "FF-DBF".
    pub test: &'static str,
    /// Its verdict.
    pub verdict: Verdict,
    /// Index of the task at which the test failed or the margin is smallest; `None` if the test speaks of the whole set.
    pub task: Option<usize>,
    /// The two sides of the test's inequality where it is tightest, or where it failed.
    pub margin: Option<Margin>,
    /// The reason.
    pub reason: Reason,
    /// With two criticalities, the mode in which a condition does not hold or a job misses; else `None`.
    pub mode: Option<CriticalityMode>,
    /// Evaluated terms, the unit of [`crate::Budget`].
    pub work: u64,
}

/// A bound on a task's response time, or the job that takes longer than the deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// No job takes longer than this, and this is within the deadline.
    Within(Ticks),
    /// This job of a busy window takes longer than the deadline: so long at least.
    Beyond {
        /// Which job of the busy window, from 0.
        job: u64,
        /// A response time that it reaches or exceeds.
        at_least: u128,
    },
}

/// The two sides of an inequality `demand <= capacity`, for a reader: no verdict is decided by these floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// The demand.
    pub demand: f64,
    /// The capacity.
    pub capacity: f64,
    /// What the two are.
    pub of: Quantity,
}

/// What a margin's sides measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Sum of C/T.
    Utilization,
    /// Sum of C/min(D,T), or a maximum of demand over time.
    Density,
    /// Ticks of processor time in a window of this length.
    Work {
        /// The window in ticks.
        window: Ticks,
    },
    /// A response time against a deadline, in ticks.
    ResponseTime,
}

/// Why a test says what it says.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The test's condition holds.
    Holds,
    /// The test's condition does not hold; being sufficient only, that decides nothing.
    DoesNotHold,
    /// The test says nothing about such sets; the text says which and what would help.
    NotApplicable(&'static str),
    /// The work budget was spent before the condition was decided.
    BudgetSpent,
    /// The platform's overheads leave some task, or all of them, no room; they are upper bounds, so this decides nothing.
    Overloaded(Overload),
    /// More is asked in an interval than the processors can give: no schedule at all can serve it.
    Overdemand {
        /// Length of the interval in ticks; `None` if it is the long run (U > m).
        window: Option<Ticks>,
    },
    /// A job of a legal arrival sequence misses its deadline under this very policy.
    Missed(MissedJob),
    /// A job misses when jobs arrive at these instants, under this very policy.
    MissedIn(Box<LatePattern>),
    /// A job of a periodic set on one clock misses when its jobs are released at these instants and need this much.
    MissedBy(Box<LateExecution>),
    /// A job misses where it is blocked for as long as it can be, and all more urgent tasks are released with it.
    Late(LateJob),
}

/// A job that is late in the busy interval that begins when its task and all above it are released together, as late as they
/// may, just after the longest part that can block it has begun, or as the longest gap of the supply begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateJob {
    /// Index of its task.
    pub task: usize,
    /// Which of its task's jobs in that interval, from 0.
    pub job: u64,
}

/// A job that misses its deadline when all tasks arrive at instant 0 and then as often as they may.
///
/// With release jitter, instants count from the first arrival of the job's own task, and all first jobs are released together
/// when that one is, at its latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissedJob {
    /// Index of its task.
    pub task: usize,
    /// Number of the task's job, from 0.
    pub job: u64,
    /// When it arrives.
    pub arrival: Ticks,
    /// Its absolute deadline.
    pub deadline: Ticks,
}

/// A legal pattern of arrivals in which a job is late. Its instants are in parts of a tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatePattern {
    /// How many parts a tick has; 1 where all arrivals are at whole ticks.
    pub parts: u64,
    /// All arrivals up to the late job's deadline, in the order of time.
    pub arrivals: Vec<Arrival>,
    /// The late job; its instants are in parts of a tick too.
    pub job: MissedJob,
}

/// One arrival of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Index of the task.
    pub task: usize,
    /// When its job arrives, in parts of a tick.
    pub at: Ticks,
}

/// An execution of a periodic set in which a job is late. Its times are in parts of a tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateExecution {
    /// How many parts a tick has.
    pub parts: u64,
    /// All jobs that arrive up to the late job's deadline, in the order of their arrival.
    pub jobs: Vec<ExecutedJob>,
    /// The late job; its instants are in parts of a tick too.
    pub late: MissedJob,
}

/// One job of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutedJob {
    /// Index of the task.
    pub task: usize,
    /// When it arrives, in parts of a tick.
    pub arrival: Ticks,
    /// When it may start, at most its jitter later.
    pub release: Ticks,
    /// What it needs, in parts of a tick.
    pub cost: Ticks,
}

impl Finding {
    fn new(test: &'static str, verdict: Verdict, reason: Reason, work: u64) -> Self {
        Self { test, verdict, task: None, margin: None, reason, mode: None, work }
    }

    /// The test's condition holds everywhere; the margin is the tightest.
    pub fn proven(test: &'static str, task: Option<usize>, margin: Option<Margin>, work: u64) -> Self {
        Self { task, margin, ..Self::new(test, Verdict::Proven, Reason::Holds, work) }
    }

    /// The condition fails for `task` with these two sides.
    pub fn does_not_hold(test: &'static str, task: Option<usize>, margin: Option<Margin>, work: u64) -> Self {
        Self { task, margin, ..Self::new(test, Verdict::Unknown, Reason::DoesNotHold, work) }
    }

    /// The test does not speak of such sets.
    pub fn not_applicable(test: &'static str, why: &'static str) -> Self {
        Self::new(test, Verdict::Unknown, Reason::NotApplicable(why), 0)
    }

    /// The budget was spent.
    pub fn budget_spent(test: &'static str, work: u64) -> Self {
        Self::new(test, Verdict::Unknown, Reason::BudgetSpent, work)
    }

    /// The platform costs more than there is.
    pub fn overloaded(test: &'static str, overload: Overload, work: u64) -> Self {
        let task = match overload {
            Overload::Task { task, .. } | Overload::Latency { task } | Overload::ReleaseJitter { task } => Some(task),
            Overload::Interrupts | Overload::Unusable(_) => None,
        };
        Self { task, ..Self::new(test, Verdict::Unknown, Reason::Overloaded(overload), work) }
    }

    /// No schedule can serve what is asked.
    pub fn overdemand(test: &'static str, window: Option<Ticks>, margin: Option<Margin>, work: u64) -> Self {
        Self { margin, ..Self::new(test, Verdict::Disproven, Reason::Overdemand { window }, work) }
    }

    /// A job misses.
    pub fn missed(test: &'static str, job: MissedJob, work: u64) -> Self {
        Self { task: Some(job.task), ..Self::new(test, Verdict::Disproven, Reason::Missed(job), work) }
    }

    /// A job misses when jobs arrive as `pattern` says.
    pub fn late_in(test: &'static str, pattern: LatePattern, work: u64) -> Self {
        let task = Some(pattern.job.task);
        Self { task, ..Self::new(test, Verdict::Disproven, Reason::MissedIn(Box::new(pattern)), work) }
    }

    /// A job misses in `execution`.
    pub fn late_execution(test: &'static str, execution: LateExecution, work: u64) -> Self {
        let task = Some(execution.late.task);
        Self { task, ..Self::new(test, Verdict::Disproven, Reason::MissedBy(Box::new(execution)), work) }
    }

    /// The same of a larger set: a task is named by what `index_of` makes of its index.
    pub fn with_tasks(mut self, index_of: impl Fn(usize) -> usize) -> Self {
        self.task = self.task.map(&index_of);
        match &mut self.reason {
            Reason::Missed(MissedJob { task, .. })
            | Reason::Late(LateJob { task, .. })
            | Reason::Overloaded(
                Overload::Task { task, .. } | Overload::Latency { task } | Overload::ReleaseJitter { task },
            ) => *task = index_of(*task),
            Reason::MissedIn(pattern) => {
                let LatePattern { arrivals, job, .. } = &mut **pattern;
                job.task = index_of(job.task);
                arrivals.iter_mut().for_each(|arrival| arrival.task = index_of(arrival.task));
            }
            Reason::MissedBy(execution) => {
                let LateExecution { jobs, late, .. } = &mut **execution;
                late.task = index_of(late.task);
                jobs.iter_mut().for_each(|job| job.task = index_of(job.task));
            }
            _ => {}
        }
        self
    }

    /// The same, said of one mode of tasks with two criticalities.
    pub fn in_mode(self, mode: CriticalityMode) -> Self {
        Self { mode: Some(mode), ..self }
    }

    /// What was found of charged tasks, said of the tasks themselves: charges are upper bounds, so nothing is disproven, and
    /// the first `interrupts` of the charged tasks are none of the set's.
    pub fn of_uncharged(mut self, interrupts: usize) -> Self {
        if self.verdict == Verdict::Disproven {
            (self.verdict, self.reason) = (Verdict::Unknown, Reason::DoesNotHold);
        }
        self.task = self.task.and_then(|task| task.checked_sub(interrupts));
        self
    }

    /// True if the test proves the set.
    pub fn is_proven(&self) -> bool {
        self.verdict == Verdict::Proven
    }
}
