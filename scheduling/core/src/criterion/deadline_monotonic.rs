//! Deadline monotonic: the shorter the relative deadline, the more urgent; equal deadlines by task index.
//!
//! Optimal among fixed priorities on one processor where D <= T (Leung and Whitehead 1982).

use super::Criterion;
use crate::job::{Job, Parameters, TaskIndex};
use crate::rank::Rank;
use crate::time::Instant;

/// The shortest relative deadline goes first.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeadlineMonotonic;

impl Criterion for DeadlineMonotonic {
    const DYNAMIC: bool = false;
    const PREEMPTIVE: bool = true;
    const TIMED: bool = false;

    #[inline]
    fn rank(&self, task: TaskIndex, parameters: &Parameters, _job: &Job, _now: Instant) -> Rank {
        Rank::strict(parameters.relative_deadline.as_ns(), task)
    }
}
