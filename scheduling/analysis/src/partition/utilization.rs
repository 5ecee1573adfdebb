//! EDF on one processor where every deadline is its period: a utilization of at most one is exact (Liu and Layland, JACM
//! 20(1), 1973), so nothing else needs to be asked.

use super::{BinTest, Candidate, Fit, Sums, SureFit};
use crate::{Finding, Task};

/// For EDF: decides such bins by what the packing knows already, and asks the test `F` about all others.
///
/// To charge overheads, put this inside [`super::Inflating`]; that it cannot be put around it is why `F` is a function.
#[derive(Clone, Copy, Debug)]
pub struct UtilizationFirst<F>(pub F);

impl<F: FnMut(&Candidate<'_>) -> Finding> BinTest for UtilizationFirst<F> {
    fn fits(&mut self, candidate: &Candidate<'_>) -> Fit {
        let sums = candidate.sums();
        let known = sure_fit(&sums).and_then(|sure_fit| sure_fit.finding(&sums));
        known.unwrap_or_else(|| self.0(candidate)).into()
    }

    fn sure_fit(&self, sums: &Sums) -> Option<SureFit> {
        sure_fit(sums)
    }
}

/// For EDF: one processor, on which every deadline is a period.
pub(crate) fn sure_fit(sums: &Sums) -> Option<SureFit> {
    (sums.processors == 1 && sums.implicit).then_some(SureFit::Utilization)
}

/// D = T, counted from the release.
pub(super) fn ends_with_its_period(task: &Task) -> bool {
    task.deadline == task.period && task.jitter == 0
}
