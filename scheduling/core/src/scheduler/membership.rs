//! What a cluster remembers of one task, in the queue or out of it.

use crate::cpu::Cpu;
use crate::job::{Job, Parameters};
use crate::rank::Rank;
use crate::time::{Duration, Instant};

/// Where a task's job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Membership {
    /// The task is not of this cluster.
    Elsewhere,
    /// No job of it is pending.
    Dormant,
    /// Its job waits for something else than a processor.
    Suspended,
    /// Its job waits for a processor.
    Waiting,
    /// Its job runs at the head of this number.
    Running(u8),
}

/// One task as its cluster sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub parameters: Parameters,
    /// Out of date where no job is pending.
    pub job: Job,
    /// When the job last joined the queue of its own accord.
    pub joined: Instant,
    pub place: Membership,
    /// Where it last ran.
    pub last_cpu: Option<Cpu>,
    /// The urgency lent to it, or nobody's.
    pub inherited: Rank,
}

impl Member {
    /// The place of a task that is not there.
    pub(super) const NOBODY: Member = Member {
        parameters: Parameters::implicit(Duration::ZERO),
        job: Job {
            number: 0,
            arrival: Instant::from_ns(0),
            release: Instant::from_ns(0),
            absolute_deadline: Instant::from_ns(0),
        },
        joined: Instant::from_ns(0),
        place: Membership::Elsewhere,
        last_cpu: None,
        inherited: Rank::NOBODY,
    };
}
