//! How a question is to be answered: which tests and heuristics, how overheads are charged, how much work it may cost.

use crate::gedf;
use crate::partition::{Heuristic, Order, Strategy};

/// When overheads are charged to tasks that are packed into bins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inflate {
    /// For each bin by the tasks in it, again whenever one joins.
    #[default]
    PerBin,
    /// Once, as if all tasks shared one queue, before packing; what Vitor 2013 words.
    WholeSetOnce,
}

prazo_core::words!(Inflate: PerBin => "per-bin", WholeSetOnce => "whole-set-once");

/// When the test of a cluster is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Clusters are filled up to their capacity, then each is tested; Vitor 2013 section IV-C.
    CapacityThenTest,
    /// A task joins a cluster only if the test still accepts it.
    TestEachStep,
    /// The first way, and where it fails the second.
    Both,
}

prazo_core::words!(Packing: CapacityThenTest => "capacity-then-test", TestEachStep => "test-each-step", Both => "both");

/// How to answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// Tests for global EDF, tried in this order.
    pub tests: Vec<gedf::Test>,
    /// Ask all tests and heuristics even when one has decided.
    pub all_tests: bool,
    /// Packing heuristics with the order in which they take tasks.
    pub heuristics: Vec<Strategy>,
    /// When overheads are charged while packing.
    pub inflate: Inflate,
    /// When clusters of several processors are tested.
    pub packing: Packing,
    /// Work each test may cost, in evaluated terms.
    pub budget: u64,
    /// Work that a packing may cost for each queue, and for each test that may be asked about it; its tests included.
    pub packing_budget: u64,
    /// Look for a miss where nothing proves the set.
    pub disprove: bool,
    /// How many jobs of the synchronous schedule to look at for a miss.
    pub simulated_jobs: u64,
    /// Work for a search of all states of a small set that shares several processors, where no test decides; 0 for none.
    pub states: u64,
    /// Work for a search through all assignments to processors, where the heuristics fail; 0 for none.
    pub search: u64,
    /// Split tasks over processors where no packing is proven; only under EDF with one queue for each processor.
    pub split: bool,
}

impl Default for Method {
    fn default() -> Self {
        Self {
            tests: gedf::Test::VALUES.to_vec(),
            all_tests: false,
            heuristics: Heuristic::USUAL.map(|heuristic| Strategy { heuristic, order: Order::default() }).to_vec(),
            inflate: Inflate::default(),
            packing: Packing::Both,
            budget: Self::BUDGET,
            packing_budget: Self::BUDGET,
            disprove: true,
            simulated_jobs: 20_000,
            states: Self::BUDGET,
            search: 100_000,
            split: false,
        }
    }
}

impl Method {
    /// Evaluated terms that each test, and a packing for each queue, may cost unless said otherwise.
    pub const BUDGET: u64 = 5_000_000;

    /// These tests alone: a set that they leave open stays open, though a search of all its states might prove it.
    #[must_use]
    pub fn with_tests(self, tests: Vec<gedf::Test>) -> Self {
        Self { tests, states: 0, ..self }
    }

    /// With at most this much work, in evaluated terms: for each test, for a packing in each queue, and for the search of all
    /// states.
    #[must_use]
    pub fn with_budget(self, budget: u64) -> Self {
        Self { budget, packing_budget: budget, states: budget, ..self }
    }
}
