//! Packing tasks into processors or clusters, one file a heuristic.
//!
//! A heuristic says in which order the bins are tried, an [`Order`] which task comes next, and a [`BinTest`] whether a bin
//! takes it. Capacity is looked at first and exactly: a bin never holds more utilization than it has processors. A task that
//! fits nowhere is noted and the later ones are still placed, so that the answer shows all that is left over.

mod bin_test;
mod capacity;
mod filling;
mod inflating;
mod open_bin;
mod order;
mod packed;
mod utilization;

mod best_fit;
mod first_fit;
mod next_fit;
mod worst_fit;

pub use bin_test::{BinTest, Candidate, Fit};
pub use capacity::Capacity;
pub use inflating::Inflating;
pub use order::Order;
pub use packed::{Bin, Misfit, Packed, Refusal};
pub use utilization::UtilizationFirst;

use crate::Task;
use filling::Filling;
use open_bin::{Newcomer, OpenBin};

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

impl Heuristic {
    /// As the literature calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FirstFit => "first-fit",
            Self::WorstFit => "worst-fit",
            Self::BestFit => "best-fit",
            Self::NextFit => "next-fit",
        }
    }

    /// Leaves in `preferred` the bins to try, in turn; `last` is the bin that took the task before.
    fn prefer(self, bins: &[OpenBin], last: usize, preferred: &mut Vec<usize>) {
        match self {
            Self::FirstFit => first_fit::prefer(bins, preferred),
            Self::WorstFit => worst_fit::prefer(bins, preferred),
            Self::BestFit => best_fit::prefer(bins, preferred),
            Self::NextFit => next_fit::prefer(bins, last, preferred),
        }
    }
}

/// A heuristic and the order in which it takes tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Strategy {
    /// Which bin is tried first.
    pub heuristic: Heuristic,
    /// Which task is placed first.
    pub order: Order,
}

impl Strategy {
    /// Packs `tasks` into bins of so many processors each.
    pub fn pack(self, tasks: &[Task], sizes: &[u32], test: &mut impl BinTest) -> Packed {
        let bins = sizes.iter().map(|size| OpenBin::new(*size)).collect();
        let mut filling = Filling::new(self.heuristic, bins, test);
        let mut assignment = vec![None; tasks.len()];
        let mut misfits = Vec::new();
        for index in self.order.of(tasks) {
            match filling.place(&Newcomer::new(index, tasks)) {
                Some(bin) => assignment[index] = Some(bin as u32),
                None => misfits.push(Misfit { task: index, refusal: filling.take_refusal() }),
            }
        }
        let (bins, work) = filling.close();
        let proven = misfits.is_empty() && bins.iter().all(Bin::is_proven);
        Packed { heuristic: self.heuristic, order: self.order, assignment, bins, misfits, proven, work }
    }

    /// How many bins of `processors` each it takes when one is opened only for a task that fits into no open one; `None` if
    /// a task does not even fit into an empty bin.
    pub fn bins_needed(self, tasks: &[Task], processors: u32, test: &mut impl BinTest) -> Option<u32> {
        let mut filling = Filling::new(self.heuristic, Vec::new(), test);
        for index in self.order.of(tasks) {
            let newcomer = Newcomer::new(index, tasks);
            if filling.place(&newcomer).is_none() && !filling.place_in_new(OpenBin::new(processors), &newcomer) {
                return None;
            }
        }
        Some(filling.count() as u32)
    }
}

#[cfg(test)]
mod tests;
