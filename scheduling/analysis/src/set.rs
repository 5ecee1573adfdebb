//! A task set that the tests may compute with: non-empty, no zero where a formula divides, nothing that could overflow.

use crate::exact::compare_sum;
use prazo_core::ratio::Ratio;
use prazo_core::task::{DeadlineKind, TICKS_MAX, Task};
use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;

/// The most tasks one set may have; sums of this many 96-bit products stay within 128 bits.
pub const TASKS_MAX: usize = 1 << 16;

/// Tasks with 1 <= C, T, D <= 2^48 and J <= 2^48.
///
/// C may exceed min(D, T): that is an answer (Disproven), not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskSet<'a>(&'a [Task]);

/// Why tasks cannot be analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetError {
    /// There is no task.
    Empty,
    /// More than [`TASKS_MAX`] tasks.
    TooMany(usize),
    /// The named field of this task is zero.
    Zero(usize, &'static str),
    /// The named field of this task is above 2^48 ticks.
    TooLong(usize, &'static str),
    /// The shape has no processor, or a cluster without one.
    NoProcessor,
    /// There are not as many behaviours as tasks.
    Behaviours {
        /// How many tasks.
        tasks: usize,
        /// How many behaviours.
        behaviours: usize,
    },
    /// The cost of this task in high mode is below its cost in low mode.
    HighCost(usize),
    /// What this task does cannot be: its last non-preemptive part exceeds its longest, or its burst does not fit.
    Behaviour(usize),
    /// The supply has no budget or rate, more than its period or the processor, or a time above 2^48 ticks.
    Supply,
    /// There are not as many priorities as tasks.
    Priorities {
        /// How many tasks.
        tasks: usize,
        /// How many priorities.
        ranks: usize,
    },
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("there is no task; give at least one"),
            Self::TooMany(count) => write!(f, "{count} tasks are more than the {TASKS_MAX} that one set may have"),
            Self::Zero(task, field) => write!(f, "task {task} has a {field} of zero; give it at least one tick"),
            Self::TooLong(task, field) => {
                write!(f, "the {field} of task {task} is above 2^48 ticks; write the set in a coarser unit")
            }
            Self::NoProcessor => {
                f.write_str("a set needs at least one processor, and so does every cluster; state how many")
            }
            Self::Behaviours { tasks, behaviours } => {
                write!(f, "{behaviours} behaviours were given for {tasks} tasks; give one for each task, or none")
            }
            Self::Supply => {
                f.write_str("a supply needs a budget from 1 tick up to its period, or a rate above 0 up to 1, with times of at most 2^48 ticks")
            }
            Self::HighCost(task) => {
                write!(f, "the cost of task {task} in high mode is below its cost in low mode; make it at least as long")
            }
            Self::Behaviour(task) => {
                write!(
                    f,
                    "the burst, the arrivals or the non-preemptive parts of task {task} are impossible; a burst must fit into its \
                     window, and the number of its jobs times the cost must be at most 2^48 ticks"
                )
            }
            Self::Priorities { tasks, ranks } => {
                write!(f, "{ranks} priorities were given for {tasks} tasks; give one for each task")
            }
        }
    }
}

impl std::error::Error for SetError {}

impl<'a> TaskSet<'a> {
    /// Checks `tasks`.
    pub fn new(tasks: &'a [Task]) -> Result<Self, SetError> {
        match tasks.len() {
            0 => return Err(SetError::Empty),
            count if count > TASKS_MAX => return Err(SetError::TooMany(count)),
            _ => {}
        }
        if !tasks.iter().all(is_in_range) {
            return Err(Self::why_not(tasks));
        }
        Ok(Self(tasks))
    }

    /// What is wrong with the first task that cannot be computed with.
    #[cold]
    fn why_not(tasks: &[Task]) -> SetError {
        for (index, task) in tasks.iter().enumerate() {
            let fields = [("cost", task.cost), ("period", task.period), ("deadline", task.deadline)];
            for (name, value) in fields {
                if value == 0 {
                    return SetError::Zero(index, name);
                }
            }
            for (name, value) in fields.into_iter().chain([("jitter", task.jitter)]) {
                if value > TICKS_MAX {
                    return SetError::TooLong(index, name);
                }
            }
        }
        unreachable!("some task is out of range")
    }

    /// The tasks, for as long as they were lent.
    pub fn tasks(self) -> &'a [Task] {
        self.0
    }

    /// How deadlines relate to periods.
    pub fn deadlines(self) -> DeadlineKind {
        DeadlineKind::of(self.0)
    }

    /// The fewest processors that the utilization does not rule out: the smallest whole number, not zero, that is not below U.
    pub fn utilization_ceil(self) -> u64 {
        const BITS: u32 = 48;
        let below: u128 = self.0.iter().map(|task| (u128::from(task.cost) << BITS) / u128::from(task.period)).sum();
        // Each term lost less than 2^-48, all of them less than one: the ceiling is this number or one of the next two.
        let least = u64::try_from(below >> BITS).unwrap_or(u64::MAX).max(1);
        let terms = || self.0.iter().map(|task| (task.cost, task.period));
        (least..).find(|whole| compare_sum(terms(), Ratio::whole(*whole)) != Ordering::Greater).unwrap_or(u64::MAX)
    }

    /// True if some task has release jitter.
    pub fn has_jitter(self) -> bool {
        self.0.iter().any(|task| task.jitter > 0)
    }
}

/// 1 <= C, T, D <= 2^48 and J <= 2^48: one less is below 2^48, which a zero less one is not.
fn is_in_range(task: &Task) -> bool {
    const { assert!(TICKS_MAX.is_power_of_two()) };
    let one_less = |time: u64| time.wrapping_sub(1);
    one_less(task.cost) | one_less(task.period) | one_less(task.deadline) < TICKS_MAX && task.jitter <= TICKS_MAX
}

impl Deref for TaskSet<'_> {
    type Target = [Task];
    fn deref(&self) -> &[Task] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_divide_by_zero_or_overflow_is_refused() {
        let good = Task::implicit(1, 2);
        assert_eq!(TaskSet::new(&[]), Err(SetError::Empty));
        assert_eq!(TaskSet::new(&[good, Task::new(0, 2, 2)]), Err(SetError::Zero(1, "cost")));
        assert_eq!(TaskSet::new(&[Task::new(1, 0, 2)]), Err(SetError::Zero(0, "period")));
        assert_eq!(TaskSet::new(&[Task::new(1, 2, TICKS_MAX + 1)]), Err(SetError::TooLong(0, "deadline")));
        let longest = Task { jitter: TICKS_MAX, ..Task::new(TICKS_MAX, TICKS_MAX, TICKS_MAX) };
        assert!(TaskSet::new(&[longest]).is_ok());
        let late = Task { jitter: TICKS_MAX + 1, ..good };
        assert_eq!(TaskSet::new(&[late]), Err(SetError::TooLong(0, "jitter")));
        assert_eq!(TaskSet::new(&[Task::new(u64::MAX, 1, 1)]), Err(SetError::TooLong(0, "cost")));
    }

    #[test]
    fn the_fewest_processors_are_counted_exactly() {
        let ceil = |tasks: &[Task]| TaskSet::new(tasks).unwrap().utilization_ceil();
        // A sum of floats passes one here.
        let ninths = [1, 5, 1, 1, 1].map(|cost| Task::implicit(cost, 9));
        assert!(ninths.iter().map(|task| task.cost as f64 / task.period as f64).sum::<f64>() > 1.0);
        assert_eq!(ceil(&ninths), 1);
        assert_eq!(ceil(&[&ninths[..], &[Task::implicit(1, TICKS_MAX)]].concat()), 2);
        assert_eq!(ceil(&[Task::implicit(1, TICKS_MAX)]), 1);
        assert_eq!(ceil(&[Task::implicit(TICKS_MAX, 1); 2]), 1 << 49);
    }
}
