//! What a scheduler knows of a task and of its one job that may run.
//!
//! Jobs of a task run in sequence, so a queue holds one job of a task at most: the oldest that has not ended. Who keeps the
//! backlog of later ones is the driver, simulator or kernel.

use crate::time::{Duration, Instant};

/// The most tasks one scheduler may know; an index above would be mistaken for "nobody".
pub const TASKS_MAX: usize = 1 << 15;

/// A task by its place in the task set, below [`TASKS_MAX`]: the second thing, after the rank, that decides who goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskIndex(u16);

impl TaskIndex {
    /// Task `number`; `None` at or beyond [`TASKS_MAX`].
    pub const fn new(number: usize) -> Option<Self> {
        if number < TASKS_MAX { Some(Self(number as u16)) } else { None }
    }

    /// The index as it is stored.
    #[inline]
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The index as a table wants it.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The task that a queue has stored under `number`.
    #[inline]
    pub(crate) const fn stored(number: u16) -> Self {
        Self(number)
    }
}

/// What a criterion may ask of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// T: distance of two arrivals.
    pub period: Duration,
    /// D: relative deadline, counted from the arrival.
    pub relative_deadline: Duration,
    /// Priority for the criterion that has nothing else to go by: 0 is the most urgent.
    pub priority: u32,
}

impl Parameters {
    /// A task whose deadline is its period, of the most urgent priority.
    pub const fn implicit(period: Duration) -> Self {
        Self { period, relative_deadline: period, priority: 0 }
    }
}

/// One activation of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Which of its task's jobs, the first is 0.
    pub number: u64,
    /// When the event occurred.
    pub arrival: Instant,
    /// When the job became ready.
    pub release: Instant,
    /// When it should have ended; a server may postpone it.
    pub absolute_deadline: Instant,
}

impl Job {
    /// Job `number` of a task, released when it arrives.
    #[inline]
    pub fn arriving(number: u64, arrival: Instant, parameters: &Parameters) -> Self {
        Self { number, arrival, release: arrival, absolute_deadline: arrival + parameters.relative_deadline }
    }
}
