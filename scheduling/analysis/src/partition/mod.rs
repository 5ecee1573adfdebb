//! Packing tasks into processors or clusters, one file a heuristic.
//!
//! A heuristic says in which order the bins are tried, an [`Order`] which task comes next, and a [`BinTest`] whether a bin
//! takes it. Capacity is looked at first and exactly: a bin never holds more utilization than it has processors. A task that
//! fits nowhere is noted and the later ones are still placed, so that the answer shows all that is left over.
//!
//! Bins share nothing, so a packing is proven for the arrivals that each bin's test is proven for; utilization alone knows no tick.

mod bin_test;
mod capacity;
mod filling;
mod inflating;
mod open_bin;
mod order;
mod packed;
pub mod placement;
pub mod search;
pub mod split;
mod utilization;

mod best_fit;
mod first_fit;
mod next_fit;
mod worst_fit;

pub use bin_test::{BinTest, Candidate, Fit, Sums, SureFit};
pub use capacity::Capacity;
pub use inflating::Inflating;
pub use order::Order;
pub use packed::{Bin, Misfit, Packed, PlacedBy, Refusal};
pub use utilization::UtilizationFirst;
pub(crate) use utilization::sure_fit as sure_fit_of_edf;

use crate::Task;
use filling::Filling;
use open_bin::Newcomer;
pub(crate) use open_bin::OpenBin;
use std::cmp::Ordering;

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

prazo_core::words!(Heuristic:
    FirstFit => "first-fit",
    WorstFit => "worst-fit",
    BestFit => "best-fit",
    NextFit => "next-fit",
);

impl Heuristic {
    /// Those that are asked where none is named; next fit wastes most.
    pub const USUAL: [Self; 3] = [Self::FirstFit, Self::WorstFit, Self::BestFit];

    /// Which of two bins is tried first, given how their spare capacities compare; equal if only their numbers count.
    fn compare(self, spare: impl FnOnce() -> Ordering) -> Ordering {
        match self {
            Self::FirstFit => first_fit::compare(),
            Self::WorstFit => worst_fit::compare(spare()),
            Self::BestFit => best_fit::compare(spare()),
            Self::NextFit => next_fit::compare(),
        }
    }

    /// True if [`Self::compare`] asks how spare capacities compare.
    const fn compares_spare(self) -> bool {
        match self {
            Self::WorstFit | Self::BestFit => true,
            Self::FirstFit | Self::NextFit => false,
        }
    }

    /// The first bin that is tried, in the order of [`Self::compare`]; `last` is the bin that took the task before.
    const fn first(self, last: usize) -> usize {
        match self {
            Self::NextFit => next_fit::first(last),
            Self::FirstFit | Self::WorstFit | Self::BestFit => 0,
        }
    }
}

/// What packing may cost, in evaluated terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Each test of a bin.
    pub each_test: u64,
    /// All of it: ordering tasks, comparing bins, offers, and the tests of the bins.
    pub all: u64,
}

impl Allowance {
    /// As much as anyone could wait for; for twins and tests.
    pub const UNLIMITED: Self = Self { each_test: u64::MAX, all: u64::MAX };
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
    /// Packs `tasks` into bins of so many processors each; what finds no place within the allowance is left over.
    pub fn pack(self, tasks: &[Task], sizes: &[u32], test: &mut impl BinTest, allowance: Allowance) -> Packed {
        self.pack_around(tasks, sizes, &[], test, allowance)
    }

    /// The same where some tasks have their bin already: those are put there unasked, and each bin is judged at the end.
    /// `places` has one entry a task, or none at all; every bin named there exists.
    pub fn pack_around(
        self,
        tasks: &[Task],
        sizes: &[u32],
        places: &[Option<u32>],
        test: &mut impl BinTest,
        allowance: Allowance,
    ) -> Packed {
        let tied = places.iter().any(Option::is_some);
        let mut assignment = places.to_vec();
        assignment.resize(tasks.len(), None);
        let mut filling = Filling::new(self.heuristic, opened(tasks, sizes, places), test, allowance);
        // Each task is read and put into its order once.
        filling.spend(tasks.len() as u64);
        let mut misfits = Vec::new();
        for index in self.order.of(tasks) {
            if assignment[index].is_some() {
                continue;
            }
            match filling.place(&Newcomer::new(index, tasks)) {
                Some(bin) => assignment[index] = Some(bin as u32),
                None => misfits.push(Misfit { task: index, refusal: filling.take_refusal() }),
            }
        }
        let budget_spent = filling.is_spent() && !misfits.is_empty();
        let (bins, work) = filling.close();
        let proven = misfits.is_empty() && bins.iter().all(Bin::is_proven);
        let placed_by = PlacedBy::Heuristic(self);
        let mut packed = Packed { placed_by, assignment, bins, misfits, proven, budget_spent, work };
        if tied {
            packed.judge(tasks, test, allowance.each_test);
        }
        packed
    }

    /// How many bins of `processors` each it takes when one is opened only for a task that fits into no open one; `None` if
    /// a task does not even fit into an empty bin, or the allowance is used up.
    pub fn bins_needed(
        self,
        tasks: &[Task],
        processors: u32,
        test: &mut impl BinTest,
        allowance: Allowance,
    ) -> Option<u32> {
        let mut filling = Filling::new(self.heuristic, Vec::new(), test, allowance);
        filling.spend(tasks.len() as u64);
        for index in self.order.of(tasks) {
            let newcomer = Newcomer::new(index, tasks);
            if filling.place(&newcomer).is_none() && !filling.place_in_new(OpenBin::new(processors, tasks), &newcomer) {
                return None;
            }
        }
        Some(filling.count() as u32)
    }
}

#[cfg(test)]
mod tests;

/// Bins of these sizes, each with the tasks that are tied to it.
fn opened<'a>(tasks: &'a [Task], sizes: &[u32], places: &[Option<u32>]) -> Vec<OpenBin<'a>> {
    let mut bins: Vec<OpenBin<'a>> = sizes.iter().map(|size| OpenBin::new(*size, tasks)).collect();
    for (task, place) in places.iter().enumerate() {
        if let Some(bin) = place {
            bins[*bin as usize].insert(&Newcomer::new(task, tasks));
        }
    }
    bins
}
