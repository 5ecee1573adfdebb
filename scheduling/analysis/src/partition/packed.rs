//! What a heuristic made of a set: who is where, and what is said of each bin.

use super::open_bin::OpenBin;
use super::{BinTest, Strategy};
use crate::{Finding, Task, Verdict};

/// Who chose the bin of each task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlacedBy {
    /// A heuristic, in its order.
    Heuristic(Strategy),
    /// The search through all assignments.
    Search,
    /// The author of the task set, who tied every task to a bin.
    Author,
}

impl PlacedBy {
    /// Its word: a heuristic's name, `search` or `author`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Heuristic(strategy) => strategy.heuristic.name(),
            Self::Search => "search",
            Self::Author => "author",
        }
    }
}

/// What one heuristic made of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed {
    /// Who chose the bins.
    pub placed_by: PlacedBy,
    /// Bin of each task; `None` where it fitted nowhere (later tasks are still placed).
    pub assignment: Vec<Option<u32>>,
    /// The bins in order.
    pub bins: Vec<Bin>,
    /// The tasks that fitted nowhere, in the order in which they were tried.
    pub misfits: Vec<Misfit>,
    /// True if every task is placed and every bin proven.
    pub proven: bool,
    /// True if the work allowed was used up before every task had been offered to every bin that might take it.
    pub budget_spent: bool,
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
    /// A packing that somebody else chose: every bin is judged by `test`, each of whose tests may cost `budget`.
    pub fn given(
        placed_by: PlacedBy,
        tasks: &[Task],
        sizes: &[u32],
        places: &[u32],
        test: &mut impl BinTest,
        budget: u64,
    ) -> Self {
        let empty = |size: &u32| Bin { processors: *size, tasks: Vec::new(), inflated: None, finding: None };
        let mut bins: Vec<Bin> = sizes.iter().map(empty).collect();
        places.iter().enumerate().for_each(|(task, bin)| bins[*bin as usize].tasks.push(task));
        let assignment = places.iter().copied().map(Some).collect();
        let mut packed =
            Self { placed_by, assignment, bins, misfits: Vec::new(), proven: false, budget_spent: false, work: 0 };
        packed.judge(tasks, test, budget);
        packed
    }

    /// Asks `test` about every bin as it now is, as one does after packing by capacity alone. `tasks` is the set packed;
    /// each test of a bin may cost `budget`.
    ///
    /// Whoever tied tasks to a bin may have overfilled it, which no test is asked about.
    pub fn judge(&mut self, tasks: &[Task], test: &mut impl BinTest, budget: u64) {
        for bin in self.bins.iter_mut().filter(|bin| !bin.tasks.is_empty()) {
            let mut filled = OpenBin::with(bin.processors, &bin.tasks, tasks);
            let is_within = filled.within_capacity();
            let fit = if is_within { test.fits(&filled.candidate(budget)) } else { filled.overdemand().into() };
            self.work += fit.work;
            bin.finding = fit.finding.map(|finding| finding.with_tasks(|position| bin.tasks[position]));
            bin.inflated = if test.charges() { test.inflated(&filled.candidate(budget)) } else { None };
        }
        self.proven = self.misfits.is_empty() && self.bins.iter().all(Bin::is_proven);
    }

    /// What shows that a bin cannot serve its tasks, if anything does.
    pub fn disproof(&self) -> Option<&Finding> {
        self.bins.iter().filter_map(|bin| bin.finding.as_ref()).find(|finding| finding.verdict == Verdict::Disproven)
    }

    /// The same of tasks that were `charged` with overheads before they were packed.
    pub fn of_charged(mut self, charged: &[Task]) -> Self {
        for bin in self.bins.iter_mut().filter(|bin| !bin.tasks.is_empty()) {
            bin.inflated = Some(bin.tasks.iter().map(|&task| charged[task]).collect());
            bin.finding = bin.finding.take().map(|finding| finding.of_uncharged(0));
        }
        for refusal in self.misfits.iter_mut().filter_map(|misfit| misfit.refusal.as_mut()) {
            refusal.finding = refusal.finding.clone().of_uncharged(0);
        }
        self
    }
}

impl Bin {
    /// Pseudo-tasks for interrupts, then its tasks with overheads charged, in the order of `tasks`; `None` where
    /// nothing is charged.
    pub fn charged(&self) -> Option<(&[Task], &[Task])> {
        let inflated = self.inflated.as_deref()?;
        Some(inflated.split_at(inflated.len().saturating_sub(self.tasks.len())))
    }

    /// True if it is empty or its test proves it.
    pub fn is_proven(&self) -> bool {
        self.tasks.is_empty() || self.finding.as_ref().is_some_and(Finding::is_proven)
    }
}
