//! Whether one bin takes the tasks that a heuristic would put into it.

use crate::exact::Interval;
use crate::{Finding, Margin, Quantity, Task};

/// The tasks of one bin, the newcomer among them.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// In ascending order of their indices; where overheads are charged, interrupts as tasks of their own come before.
    pub tasks: &'a [Task],
    /// Index in the whole set of each real task.
    pub members: &'a [usize],
    /// How many of `tasks` are interrupts.
    pub interrupts: usize,
    /// Processors that share the bin's queue.
    pub processors: u32,
    /// Bounds of the sum of C/T, which is at most `processors`.
    pub utilization: Interval,
    /// True if every deadline is the end of the period, both counted from the release.
    pub implicit: bool,
    /// What each test may cost, in evaluated terms.
    pub budget: u64,
}

/// What is known of a bin without looking at its tasks.
#[derive(Clone, Copy, Debug)]
pub struct Sums {
    /// Processors that share the bin's queue.
    pub processors: u32,
    /// Bounds of the sum of C/T, which is at most `processors`.
    pub utilization: Interval,
    /// True if every deadline is the end of the period, both counted from the release.
    pub implicit: bool,
}

/// Why a test takes a bin whatever tasks make up its sums; [`BinTest::fits`] would say so at no cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SureFit {
    /// Only capacity is looked at.
    Capacity,
    /// EDF on one processor, each deadline a period: U <= 1 is exact.
    Utilization,
}

impl SureFit {
    /// The finding of [`BinTest::fits`] for a bin with these sums.
    pub(super) fn finding(self, sums: &Sums) -> Option<Finding> {
        match self {
            Self::Capacity => None,
            Self::Utilization => {
                let margin = Margin { demand: sums.utilization.to_f64(), capacity: 1.0, of: Quantity::Utilization };
                Some(Finding::proven("EDF utilization", None, Some(margin), 0))
            }
        }
    }
}

/// What a test says of a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// May the bin hold these tasks?
    pub takes: bool,
    /// Why; `None` where the test proves nothing, as when only capacity is looked at. A task is named by its place in
    /// [`Candidate::tasks`].
    pub finding: Option<Finding>,
    /// Evaluated terms.
    pub work: u64,
}

/// Takes what is proven.
impl From<Finding> for Fit {
    fn from(finding: Finding) -> Self {
        Self { takes: finding.is_proven(), work: finding.work, finding: Some(finding) }
    }
}

impl Candidate<'_> {
    /// What is known of it without looking at its tasks.
    pub(super) fn sums(&self) -> Sums {
        let Self { processors, utilization, implicit, .. } = *self;
        Sums { processors, utilization, implicit }
    }
}

/// A test of one bin; it is asked only about tasks whose exact utilization is at most the number of processors.
pub trait BinTest {
    /// Do `candidate.processors` take `candidate.tasks`?
    fn fits(&mut self, candidate: &Candidate<'_>) -> Fit;

    /// Why every bin with these sums is taken; `None` where the tasks must be looked at. A packing then asks for the finding once,
    /// when the bin is full.
    fn sure_fit(&self, sums: &Sums) -> Option<SureFit> {
        let _ = sums;
        None
    }

    /// True if overheads may be charged; else [`Self::inflated`] is never asked.
    fn charges(&self) -> bool {
        false
    }

    /// The tasks as the test sees them, overheads charged; `None` where nothing is charged or the charge is an overload.
    fn inflated(&mut self, candidate: &Candidate<'_>) -> Option<Vec<Task>> {
        let _ = candidate;
        None
    }
}

/// Any test that answers with a finding.
impl<F: FnMut(&Candidate<'_>) -> Finding> BinTest for F {
    fn fits(&mut self, candidate: &Candidate<'_>) -> Fit {
        self(candidate).into()
    }
}
