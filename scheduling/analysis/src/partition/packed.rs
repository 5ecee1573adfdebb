//! What a heuristic made of a set: who is where, and what is said of each bin.

use super::open_bin::OpenBin;
use super::{BinTest, Heuristic, Order};
use crate::{Finding, Task};

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
    /// The tasks that fitted nowhere, in the order in which they were tried.
    pub misfits: Vec<Misfit>,
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
    /// What the test said of it, tasks named by their index in the whole set; `None` for an empty bin, and where only
    /// capacity was looked at.
    pub finding: Option<Finding>,
}

/// A task that fitted nowhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Misfit {
    /// Its index.
    pub task: usize,
    /// Who refused it last; `None` if no bin had the capacity.
    pub refusal: Option<Refusal>,
}

/// Why a bin with capacity left did not take a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Which bin.
    pub bin: u32,
    /// What its test said, tasks named by their index in the whole set.
    pub finding: Finding,
}

impl Packed {
    /// Asks `test` about every bin as it now is, as one does after packing by capacity alone. `tasks` is the set packed.
    pub fn judge(&mut self, tasks: &[Task], test: &mut impl BinTest) {
        for bin in self.bins.iter_mut().filter(|bin| !bin.tasks.is_empty()) {
            let filled = OpenBin::with(bin.processors, &bin.tasks, tasks);
            let fit = test.fits(&filled.candidate());
            self.work += fit.work;
            bin.finding = fit.finding.map(|finding| finding.with_tasks(|position| bin.tasks[position]));
            bin.inflated = test.inflated(&filled.candidate());
        }
        self.proven = self.misfits.is_empty() && self.bins.iter().all(Bin::is_proven);
    }
}

impl Bin {
    /// True if it is empty or its test proves it.
    pub fn is_proven(&self) -> bool {
        self.tasks.is_empty() || self.finding.as_ref().is_some_and(Finding::is_proven)
    }
}
