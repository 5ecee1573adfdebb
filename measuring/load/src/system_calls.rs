//! How many system calls the processes of a load make: the kernel's tracepoint `raw_syscalls:sys_enter`, counted by perf.
//!
//! While a counter is open, every system call of every process on the machine takes a longer way through the kernel, those of
//! measured threads too. So a measurement counts none; a comparison of two loads does, for both alike.

use prazo_platform::Root;
use prazo_platform::perf_counter::{CounterKind, PerfCounter};
use prazo_platform::tracefs::event_number;
use serde::{Deserialize, Serialize};

/// The counter of the calling process's descendants; the process itself, which executes no program, is not counted.
#[derive(Debug)]
pub(super) enum SystemCalls {
    NotRequested,
    Open(PerfCounter),
    Missing(String),
}

impl SystemCalls {
    /// Begins to count: every child that is started from now on, from its exec on, and all that it forks.
    pub(super) fn open() -> Self {
        let number = event_number(&Root::system(), "raw_syscalls/sys_enter").map_err(|error| error.to_string());
        let counter = number.and_then(|number| {
            PerfCounter::open(CounterKind::Tracepoint, number, std::process::id()).map_err(|error| error.to_string())
        });
        counter.map_or_else(Self::Missing, Self::Open)
    }

    /// The system calls so far; whole once all that is counted has ended.
    pub(super) fn read(&self) -> SystemCallCount {
        match self {
            Self::NotRequested => SystemCallCount::NotRequested,
            Self::Missing(why) => SystemCallCount::Missing(why.clone()),
            Self::Open(counter) => {
                let count = counter.read().map_err(|error| error.to_string());
                count.map_or_else(SystemCallCount::Missing, SystemCallCount::Count)
            }
        }
    }
}

/// System calls of a load's processes, or why there is no count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SystemCallCount {
    #[default]
    NotRequested,
    Count(u64),
    Missing(String),
}

impl SystemCallCount {
    pub(super) fn count(&self) -> Option<u64> {
        if let Self::Count(count) = self { Some(*count) } else { None }
    }

    pub(super) fn missing(&self) -> Option<&str> {
        if let Self::Missing(why) = self { Some(why) } else { None }
    }

    /// Both counts made one; what either lacks is missing in the result.
    pub(super) fn combined(&self, other: &Self, with: fn(u64, u64) -> u64) -> Self {
        match (self, other) {
            (Self::Count(a), Self::Count(b)) => Self::Count(with(*a, *b)),
            (Self::Missing(why), _) | (_, Self::Missing(why)) => Self::Missing(why.clone()),
            _ => Self::NotRequested,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_either_count_lacks_is_missing_in_both_together() {
        let count = SystemCallCount::Count;
        let missing = SystemCallCount::Missing("why".into());
        assert_eq!(count(7).combined(&count(5), u64::saturating_sub), count(2));
        assert_eq!(missing.combined(&count(5), u64::saturating_sub), missing);
        assert_eq!(count(5).combined(&missing, u64::saturating_add), missing);
        let none = SystemCallCount::NotRequested;
        assert_eq!(
            (none.combined(&count(5), u64::saturating_add), none.count(), none.missing()),
            (none.clone(), None, None)
        );
    }
}
