//! What a task does beyond being sporadic, independent and preemptable, as its author wrote it.

use prazo_core::behaviour::{ArrivalCurve, Burst, NonPreemptive};
use prazo_core::task::Ticks;

/// What one task does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskBehaviour {
    /// Where its jobs can be preempted.
    pub preemption: Preemption,
    /// How many of its jobs may arrive close together.
    pub burst: Option<Burst>,
    /// How many of its jobs may arrive in intervals of several lengths.
    pub curve: Option<ArrivalCurve>,
    /// How long a job suspends itself in all, at most; 0 if never.
    pub suspension: Ticks,
    /// What a job needs at most in high mode, if the task is of high criticality; `None` if it is of low criticality.
    pub cost_high: Option<Ticks>,
    /// Its longest critical section of each resource, no resource twice.
    pub sections: Vec<ResourceUse>,
}

/// Where a task's jobs can be preempted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Preemption {
    /// At any instant.
    #[default]
    Anywhere,
    /// Not once they have started.
    Never,
    /// Anywhere but in parts of at most this length, which may lie anywhere.
    Floating(Ticks),
    /// Only between these parts, which make up a job.
    Between(Vec<Ticks>),
}

/// The longest use of one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceUse {
    /// The resource's name.
    pub resource: String,
    /// How long a job holds it at most.
    pub length: Ticks,
    /// How often a job requests it at most, from 1.
    pub requests: u32,
}

impl Preemption {
    /// The lengths that analysis computes with.
    pub fn non_preemptive(&self) -> NonPreemptive {
        match self {
            Self::Anywhere => NonPreemptive::default(),
            Self::Never => NonPreemptive::WHOLE,
            Self::Floating(longest) => NonPreemptive::floating(*longest),
            Self::Between(parts) => NonPreemptive {
                longest: parts.iter().copied().max().unwrap_or(0),
                last: parts.last().copied().unwrap_or(0),
            },
        }
    }
}
