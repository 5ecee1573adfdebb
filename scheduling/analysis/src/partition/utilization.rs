//! EDF on one processor where every deadline is its period: a utilization of at most one is exact (Liu and Layland, JACM
//! 20(1), 1973), so nothing else needs to be asked.

use super::{BinTest, Candidate, Fit};
use crate::{Finding, Margin, Quantity, Task};

/// For EDF: decides such bins by what the packing knows already, and asks the test `F` about all others.
///
/// To charge overheads, put this inside [`super::Inflating`]; that it cannot be put around it is why `F` is a function.
#[derive(Clone, Copy, Debug)]
pub struct UtilizationFirst<F>(pub F);

impl<F: FnMut(&Candidate<'_>) -> Finding> BinTest for UtilizationFirst<F> {
    fn fits(&mut self, candidate: &Candidate<'_>) -> Fit {
        if candidate.processors > 1 || !candidate.implicit {
            return self.0(candidate).into();
        }
        let margin = Margin { demand: candidate.utilization.to_f64(), capacity: 1.0, of: Quantity::Utilization };
        Finding::proven("EDF utilization", None, Some(margin), 0).into()
    }
}

/// D = T, counted from the release.
pub(super) fn ends_with_its_period(task: &Task) -> bool {
    task.deadline == task.period && task.jitter == 0
}
