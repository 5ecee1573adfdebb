//! What a platform costs, charged to the tasks: tests that know no overheads then speak of a platform that has them.
//!
//! Two accountings, one file each. [`preemption_centric()`] holds wherever a job's priority is fixed once it is released
//! (EDF and fixed priorities, any number of processors); [`fixed_priority()`] is finer, for fixed priorities on one
//! processor, where each interrupt becomes a task of its own. Both depend on who shares the processor, so a packing
//! heuristic charges a bin anew whenever a task joins: [`PreemptionCentric`] and [`FixedPriority`] look the tables up once
//! for a whole set and then cost a few multiplications for each task of a bin.
//!
//! Terms and accountings as in Brandenburg 2011, chapter 3. Costs are rounded up to whole ticks, periods and deadlines down.
//!
//! The accountings count interrupts in real intervals, with amounts that are fractions of a tick, so they hold for arrivals at
//! any real instant. Rounding makes the charged tasks ask for more, never for less.

mod amounts;
pub mod fixed_priority;
mod number;
pub mod preemption_centric;

pub use fixed_priority::{FixedPriority, fixed_priority};
pub use preemption_centric::{PreemptionCentric, preemption_centric};

use crate::{Task, Ticks};
use std::fmt;

/// Tasks as they look once the platform's costs are charged to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charged {
    /// Interrupts as tasks of their own where there are any, most urgent first; then the real tasks in the order given.
    pub tasks: Vec<Task>,
    /// How many tasks of `tasks` are interrupts.
    pub first_real: usize,
    /// True if an amount lies beyond the last point of its table.
    pub extrapolated: bool,
}

/// Why no task set comes out: the platform costs more than there is.
///
/// The accounting is an upper bound, so this shows that it proves nothing, not that a job must miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overload {
    /// Ticks and releases alone take all of a processor.
    Interrupts,
    /// This task's charged cost does not fit into its charged window min(D', T').
    Task {
        /// Its index among the tasks given.
        task: usize,
        /// C' in ticks, rounded up; `Ticks::MAX` stands for that and more.
        cost: Ticks,
        /// min(D', T') in ticks, rounded down.
        window: Ticks,
    },
    /// The event latency, with fixed priorities the whole delay before its release, leaves this task no time at all.
    Latency {
        /// Its index among the tasks given.
        task: usize,
    },
    /// Preemption-centric accounting counts releases that come at least a period apart; this task's jitter lets two come
    /// closer, and each of them interrupts.
    ReleaseJitter {
        /// Its index among the tasks given.
        task: usize,
    },
    /// This overhead has no amount to compute with: its table is empty, it needs more than 128 bits, or it is above 2^48
    /// ticks. A tick period is unusable at zero, too.
    Unusable(&'static str),
}

impl fmt::Display for Overload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupts => f.write_str("tick and release interrupts alone take the whole processor"),
            Self::Task { task, cost, window } => {
                write!(f, "with overheads, task {task} needs {cost} ticks within {window} ticks")
            }
            Self::Latency { task } => {
                write!(f, "with overheads, the release delay may leave task {task} no time before its deadline")
            }
            Self::ReleaseJitter { task } => {
                write!(
                    f,
                    "task {task} has release jitter, and the accounting of overheads does not charge release \
                     interrupts that are less than a period apart"
                )
            }
            Self::Unusable(overhead) => write!(f, "the overhead table has no usable {overhead}"),
        }
    }
}

impl std::error::Error for Overload {}

/// An accounting that looks its tables up once, for tasks that are charged again and again in changing company.
pub trait Accounting {
    /// Charges the tasks that share a queue of `processors` processors; `members` are their indices in the set that the
    /// accounting was made for, in the order of `tasks`.
    fn charge(&mut self, tasks: &[Task], members: &[usize], processors: u32) -> Result<Charged, Overload>;
}
