//! One activation of a watched thread: when it was due, was released, and ended.

use super::record::Faults;

/// One activation, on CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Activation {
    /// Its number among the served of this wait, from 0.
    pub number: u64,
    /// When it was due on the wait's own clock; `None` where nothing is due.
    pub due_own_ns: Option<i64>,
    /// The same on CLOCK_MONOTONIC; when it was released where nothing is due.
    pub from_ns: u64,
    /// The wait began.
    pub wait_ns: u64,
    /// The wait was over.
    pub released_ns: u64,
    /// The next wait began.
    pub end_ns: u64,
    /// Page faults of the thread: until it was released, and once it has ended those since.
    pub faults: Faults,
}

impl Activation {
    /// From due to running.
    pub(super) fn latency_ns(&self) -> u64 {
        self.released_ns.saturating_sub(self.from_ns)
    }

    /// From due to the next wait.
    pub(super) fn response_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.from_ns)
    }
}
