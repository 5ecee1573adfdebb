//! First come, first served: the job that has been ready the longest goes first, and runs until it ends.

use super::Criterion;
use crate::job::{Job, Parameters, TaskIndex};
use crate::rank::Rank;
use crate::time::Instant;

/// The earliest release goes first; nobody is preempted.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstComeFirstServed;

impl Criterion for FirstComeFirstServed {
    const DYNAMIC: bool = true;
    const PREEMPTIVE: bool = false;
    const TIMED: bool = false;

    #[inline]
    fn rank(&self, _task: TaskIndex, _parameters: &Parameters, job: &Job, _now: Instant) -> Rank {
        Rank::new(job.release.as_ns())
    }
}
