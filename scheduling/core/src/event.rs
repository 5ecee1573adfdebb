//! What happens in a schedule, in one vocabulary for simulator, kernel and report.
//!
//! A trace is a sequence of these. Simulator and kernel agree on a scenario if, queue by queue, their sequences of
//! `(kind, task, job)` are equal; instants and processors may differ, since a real switch takes time.

use crate::cpu::Cpu;
use crate::job::TaskIndex;
use crate::time::Instant;

/// One event of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The instant.
    pub at: Instant,
    /// The task.
    pub task: TaskIndex,
    /// Number of the task's job.
    pub job: u64,
    /// Its kind.
    pub kind: EventKind,
}

/// The kinds of event, each with what only it has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The event that calls for a job occurs.
    Arrival,
    /// The job becomes ready; behind the arrival by its jitter.
    Release,
    /// The job gets a processor, for the first time or again.
    Dispatch {
        /// The processor.
        cpu: Cpu,
    },
    /// The job goes on elsewhere than where it last ran; comes just before the dispatch.
    Migration {
        /// Where it last ran.
        from: Cpu,
        /// Where it runs now.
        to: Cpu,
    },
    /// A more urgent job takes the processor.
    Preemption {
        /// The processor.
        cpu: Cpu,
    },
    /// The job gives the processor away though it could go on: its quantum has ended, or it yields.
    Yield {
        /// The processor.
        cpu: Cpu,
    },
    /// The supply ended while the job ran. The job keeps its place and continues when the supply begins again.
    Withdrawal {
        /// The processor.
        cpu: Cpu,
    },
    /// The job waits for something else than a processor.
    Suspension,
    /// What it waited for has come.
    Resumption,
    /// The job has done all it had to do.
    Completion {
        /// Where it ran last.
        cpu: Cpu,
    },
    /// The absolute deadline has passed and the job has not ended.
    Miss,
    /// The job wants to run longer than it was granted. The overrun policy or the change to high mode decides what follows.
    Overrun,
    /// The policy ended the job before its time.
    Abortion,
    /// The policy leaves this job out.
    Skip,
    /// The server has nothing left to give until its deadline is postponed.
    BudgetExhaustion,
    /// The server's budget is full again.
    Replenishment {
        /// The server's new absolute deadline, by which the job ranks from now on.
        absolute_deadline: Instant,
    },
    /// The job runs at the urgency of one that waits for its mutex.
    Inheritance,
    /// The job is back at its own urgency.
    Disinheritance,
}

impl EventKind {
    /// The word that traces are written with.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Arrival => "arrival",
            Self::Release => "release",
            Self::Dispatch { .. } => "dispatch",
            Self::Migration { .. } => "migration",
            Self::Preemption { .. } => "preemption",
            Self::Yield { .. } => "yield",
            Self::Withdrawal { .. } => "withdrawal",
            Self::Suspension => "suspension",
            Self::Resumption => "resumption",
            Self::Completion { .. } => "completion",
            Self::Miss => "miss",
            Self::Overrun => "overrun",
            Self::Abortion => "abortion",
            Self::Skip => "skip",
            Self::BudgetExhaustion => "budget_exhaustion",
            Self::Replenishment { .. } => "replenishment",
            Self::Inheritance => "inheritance",
            Self::Disinheritance => "disinheritance",
        }
    }

    /// The processor it happens on, for the kinds that happen on one.
    pub const fn cpu(self) -> Option<Cpu> {
        match self {
            Self::Dispatch { cpu }
            | Self::Preemption { cpu }
            | Self::Yield { cpu }
            | Self::Withdrawal { cpu }
            | Self::Completion { cpu }
            | Self::Migration { to: cpu, .. } => Some(cpu),
            _ => None,
        }
    }

    /// True for the kinds that rates are given in (TERMS: an event is a release, dispatch, preemption or completion).
    pub const fn counts_in_rates(self) -> bool {
        matches!(self, Self::Release | Self::Dispatch { .. } | Self::Preemption { .. } | Self::Completion { .. })
    }
}
