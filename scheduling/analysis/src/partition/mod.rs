//! Packing tasks into processors or clusters, one file a heuristic.

use crate::{Finding, Task};

/// Which bin a task goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Heuristic {
    /// The lowest-numbered bin that takes it.
    FirstFit,
    /// The bin with the largest spare capacity after placing it.
    WorstFit,
    /// The bin with the smallest spare capacity after placing it.
    BestFit,
    /// The bin used last, or else the next one; earlier bins are closed.
    NextFit,
}

/// The order in which tasks are placed; ties by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// As they stand.
    AsGiven,
    /// Largest C/T first.
    DecreasingUtilization,
    /// Largest C/min(D,T) first.
    DecreasingDensity,
    /// Shortest deadline first.
    IncreasingDeadline,
    /// Shortest period first.
    IncreasingPeriod,
}

/// What one heuristic made of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed {
    /// Which heuristic.
    pub heuristic: Heuristic,
    /// In which order.
    pub order: Order,
    /// Bin of each task; `None` where it fitted nowhere (later tasks are still placed).
    pub assignment: Vec<Option<u32>>,
    /// The bins in order.
    pub bins: Vec<Bin>,
    /// True if every task is placed and every bin proven.
    pub proven: bool,
    /// Evaluated terms.
    pub work: u64,
}

/// One processor or cluster with its tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct Bin {
    /// Processors in it.
    pub processors: u32,
    /// Indices of its tasks, ascending.
    pub tasks: Vec<usize>,
    /// Its tasks with overheads charged, in the order of `tasks` (for fixed priorities, after the interrupt pseudo-tasks);
    /// `None` where nothing is charged.
    pub inflated: Option<Vec<Task>>,
    /// What the test said of it; `None` for an empty bin.
    pub finding: Option<Finding>,
}
