//! Policies: how a job ranks, and what is known of a policy before anything runs. One file each.
//!
//! A criterion never asks the clock or the processor: `now` comes in, a rank goes out. Whether jobs migrate is not its
//! business either; that is the shape's. G-EDF, C-EDF, P-EDF and P-RM are a criterion with a shape, and no code of their own.

pub mod deadline_monotonic;
pub mod earliest_deadline_first;
pub mod first_come_first_served;
pub mod fixed_priority;
pub mod rate_monotonic;
pub mod round_robin;

pub use deadline_monotonic::DeadlineMonotonic;
pub use earliest_deadline_first::EarliestDeadlineFirst;
pub use first_come_first_served::FirstComeFirstServed;
pub use fixed_priority::FixedPriority;
pub use rate_monotonic::RateMonotonic;
pub use round_robin::RoundRobin;

use crate::job::{Job, Parameters, TaskIndex};
use crate::rank::Rank;
use crate::time::Instant;

/// A scheduling policy.
pub trait Criterion {
    /// True if jobs of one task may differ in rank.
    const DYNAMIC: bool;
    /// True if a more urgent job takes the processor from a running one.
    const PREEMPTIVE: bool;
    /// True if a running job must yield at the end of a quantum; how long that is, the driver knows.
    const TIMED: bool;

    /// The rank of `task`'s job, which joins the queue at `now`.
    fn rank(&self, task: TaskIndex, parameters: &Parameters, job: &Job, now: Instant) -> Rank;
}
