//! Round robin: who joined the queue first goes first, and at the end of a quantum joins it anew.

use super::Criterion;
use crate::job::{Job, Parameters, TaskIndex};
use crate::rank::Rank;
use crate::time::Instant;

/// The longest wait goes first; the end of a quantum sends a job behind all others.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundRobin;

impl Criterion for RoundRobin {
    const DYNAMIC: bool = true;
    const PREEMPTIVE: bool = false;
    const TIMED: bool = true;

    #[inline]
    fn rank(&self, _task: TaskIndex, _parameters: &Parameters, _job: &Job, now: Instant) -> Rank {
        Rank::new(now.as_ns())
    }
}
