//! How late jobs can be under global scheduling when they may be late: bounds for soft real time, one file each.
//!
//! With U <= m and no task above one processor, global EDF is never late by more than a constant, although it may miss
//! every other deadline. Above U = m nothing bounds tardiness, whatever the policy: see [`overload`]. A cluster is bounded
//! like a machine of its size, by its own tasks.
//!
//! The bounds hold for arrivals at any real instant: the theorems are about real time, and only their result is rounded up to a
//! tick.

pub mod compliant_vector;
pub mod devi_anderson;
pub mod overload;

use crate::exact::compare_sum;
use crate::{TaskSet, Ticks};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;
use std::fmt;

/// Why there is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBound {
    /// U > m: tardiness grows without bound.
    Overload,
    /// This task has u > 1: its own tardiness grows without bound.
    TaskAboveOne(usize),
    /// The bound is published for D = T only.
    DeadlinesNotImplicit,
    /// The bound is published for tasks without release jitter.
    Jitter,
    /// Sums of costs too long for exact arithmetic.
    TooLong,
    /// No bound was asked for: overheads could not be charged, and without them it would be too small.
    NotCharged,
    /// The bound is published for tasks that do not block each other and do not come in bursts.
    Behaviours,
    /// No bound was asked for: some task has no processor, in no packing that was found.
    NoPlace,
}

impl fmt::Display for NoBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overload => f.write_str("the utilization exceeds the number of processors, so tardiness grows \
                                           without bound"),
            Self::TaskAboveOne(task) => {
                write!(f, "task {task} needs more than one processor, so its tardiness grows without bound")
            }
            Self::DeadlinesNotImplicit => f.write_str("this bound holds for deadlines equal to periods only"),
            Self::Jitter => f.write_str("this bound holds for tasks without release jitter only"),
            Self::NotCharged => {
                f.write_str("the overheads could not be charged, and a bound without overheads would be too small")
            }
            Self::Behaviours => {
                f.write_str(
                    "this bound does not cover non-preemptive parts, critical sections, bursts, self-suspension, supplies or mixed criticality",
                )
            }
            Self::NoPlace => f.write_str("no assignment of all tasks to processors was found"),
            Self::TooLong => f.write_str("costs multiplied by the number of processors are too large; write the set in \
                                          a coarser unit"),
        }
    }
}

impl std::error::Error for NoBound {}

/// What every bound needs: U <= m, each u <= 1, no jitter.
fn check_bounded(tasks: TaskSet<'_>, processors: u32) -> Result<(), NoBound> {
    if let Some(task) = tasks.iter().position(|task| task.cost > task.period) {
        return Err(NoBound::TaskAboveOne(task));
    }
    if !utilization_is_within(tasks, processors.into()) {
        return Err(NoBound::Overload);
    }
    if tasks.has_jitter() { Err(NoBound::Jitter) } else { Ok(()) }
}

fn utilization_is_within(tasks: TaskSet<'_>, bound: Ticks) -> bool {
    let utilizations = tasks.iter().map(|task| (task.cost, task.period));
    compare_sum(utilizations, Ratio::whole(bound)) != Ordering::Greater
}
