//! Rate monotonic: the shorter the period, the more urgent; equal periods by task index.
//!
//! Optimal among fixed priorities on one processor where D = T (Liu and Layland 1973).

use super::Criterion;
use crate::job::{Job, Parameters, TaskIndex};
use crate::rank::Rank;
use crate::time::Instant;

/// The shortest period goes first.
#[derive(Clone, Copy, Debug, Default)]
pub struct RateMonotonic;

impl Criterion for RateMonotonic {
    const DYNAMIC: bool = false;
    const PREEMPTIVE: bool = true;
    const TIMED: bool = false;

    #[inline]
    fn rank(&self, task: TaskIndex, parameters: &Parameters, _job: &Job, _now: Instant) -> Rank {
        Rank::strict(parameters.period.as_ns(), task)
    }
}
