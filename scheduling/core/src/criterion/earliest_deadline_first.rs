//! Earliest deadline first: the job whose absolute deadline comes first is the most urgent.
//!
//! Optimal on one processor (Liu and Layland 1973; Dertouzos 1974). Equal deadlines do not preempt each other.

use super::Criterion;
use crate::job::{Job, Parameters, TaskIndex};
use crate::rank::Rank;
use crate::time::Instant;

/// The earliest absolute deadline goes first.
#[derive(Clone, Copy, Debug, Default)]
pub struct EarliestDeadlineFirst;

impl Criterion for EarliestDeadlineFirst {
    const DYNAMIC: bool = true;
    const PREEMPTIVE: bool = true;
    const TIMED: bool = false;

    #[inline]
    fn rank(&self, _task: TaskIndex, _parameters: &Parameters, job: &Job, _now: Instant) -> Rank {
        Rank::new(job.absolute_deadline.as_ns())
    }
}
