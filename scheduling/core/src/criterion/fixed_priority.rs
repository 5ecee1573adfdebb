//! Fixed priority: the number that the task was given decides; equal numbers by task index.

use super::Criterion;
use crate::job::{Job, Parameters, TaskIndex};
use crate::rank::Rank;
use crate::time::Instant;

/// The lowest priority number goes first.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixedPriority;

impl Criterion for FixedPriority {
    const DYNAMIC: bool = false;
    const PREEMPTIVE: bool = true;
    const TIMED: bool = false;

    #[inline]
    fn rank(&self, task: TaskIndex, parameters: &Parameters, _job: &Job, _now: Instant) -> Rank {
        Rank::strict(u64::from(parameters.priority), task)
    }
}
