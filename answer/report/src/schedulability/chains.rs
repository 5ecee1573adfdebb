//! Cause-effect chains, as scripts read them.

use prazo_analysis::chain::{Bound, ChainBounds};
use prazo_analysis::{Ticks, Verdict};
use prazo_scenario::Chain;
use schemars::JsonSchema;
use serde::Serialize;

/// One chain with its bounds.
#[derive(Clone, Debug)]
pub struct AnsweredChain {
    /// The chain as it was written.
    pub chain: Chain,
    /// What is known of it.
    pub bounds: ChainBounds,
}

/// Bounds of one cause-effect chain; times are in ticks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChainRow {
    /// Name of the chain.
    pub name: String,
    /// Indices of the chain's tasks, from the first to the last.
    pub tasks: Vec<usize>,
    /// When the jobs of the chain read and write: `implicit` (at start and end) or `let` (at arrival and deadline).
    pub communication: &'static str,
    /// Reaction time of the chain: from an event to the first output that it has influenced.
    pub reaction: ChainBoundRow,
    /// Data age of the chain: from reading an input to writing the output that is made from it.
    pub age: ChainBoundRow,
}

/// Bounds on the reaction time or the data age of a chain.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChainBoundRow {
    /// Proven upper bound in ticks; null where there is none.
    pub at_most: Option<Ticks>,
    /// Proven lower bound on the maximum: with arrivals and execution times that the task set allows, the chain
    /// reaches this time or comes arbitrarily close to it; 0 if nothing is known.
    pub at_least: Ticks,
    /// Largest time that the scenario allows; null where it requires nothing.
    pub required: Option<Ticks>,
    /// Whether the chain meets its requirement: `proven`, `disproven` or `unknown`; null without a requirement.
    pub verdict: Option<&'static str>,
    /// Why there is no upper bound; null where there is one.
    pub reason: Option<String>,
}

impl ChainRow {
    /// The row of `answered`; `names` are those of the set's tasks.
    pub fn new(answered: &AnsweredChain, names: &[String]) -> Self {
        let AnsweredChain { chain, bounds } = answered;
        let row = |bound: &Bound| ChainBoundRow {
            at_most: bound.at_most.ok(),
            at_least: bound.at_least,
            required: bound.required,
            verdict: bound.verdict().map(Verdict::name),
            reason: bound.at_most.err().map(|why| why.sentence(|task| names[task].clone())),
        };
        Self {
            name: chain.name.clone(),
            tasks: chain.stages.iter().map(|stage| stage.task).collect(),
            communication: chain.communication.name(),
            reaction: row(&bounds.reaction),
            age: row(&bounds.age),
        }
    }
}
