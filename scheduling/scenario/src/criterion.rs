//! Who ranks jobs, by the word that flags and files use.

use crate::set::Priorities;

/// Who ranks jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Criterion {
    /// Earliest absolute deadline first.
    EarliestDeadlineFirst,
    /// Fixed priorities, as the tasks or the scenario state them, else deadline monotonic.
    FixedPriority,
    /// Fixed priorities, shorter period first.
    RateMonotonic,
    /// Fixed priorities, shorter relative deadline first.
    DeadlineMonotonic,
    /// In the order of release, never preempting.
    FirstComeFirstServed,
    /// In turn, a quantum each.
    RoundRobin,
}

prazo_core::words!(Criterion:
    EarliestDeadlineFirst => "edf",
    FixedPriority => "fp",
    RateMonotonic => "rm",
    DeadlineMonotonic => "dm",
    FirstComeFirstServed => "fcfs",
    RoundRobin => "rr",
);

impl Criterion {
    /// Where its fixed priorities come from, where the criterion says that itself.
    pub const fn priorities(self) -> Option<Priorities> {
        match self {
            Self::RateMonotonic => Some(Priorities::RateMonotonic),
            Self::DeadlineMonotonic => Some(Priorities::DeadlineMonotonic),
            Self::EarliestDeadlineFirst | Self::FixedPriority | Self::FirstComeFirstServed | Self::RoundRobin => None,
        }
    }

    /// True under fixed priorities, wherever they come from.
    pub const fn has_fixed_priorities(self) -> bool {
        match self {
            Self::FixedPriority | Self::RateMonotonic | Self::DeadlineMonotonic => true,
            Self::EarliestDeadlineFirst | Self::FirstComeFirstServed | Self::RoundRobin => false,
        }
    }

    /// True if the analysis has tests for it and Linux has it; the simulator has all.
    pub const fn is_analysed(self) -> bool {
        match self {
            Self::EarliestDeadlineFirst | Self::FixedPriority | Self::RateMonotonic | Self::DeadlineMonotonic => true,
            Self::FirstComeFirstServed | Self::RoundRobin => false,
        }
    }
}
