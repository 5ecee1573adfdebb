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

/// One cause-effect chain. Times are in ticks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChainRow {
    /// Its name.
    pub name: String,
    /// Indices of its tasks, from the first to the last.
    pub tasks: Vec<usize>,
    /// `implicit` or `let`.
    pub communication: &'static str,
    /// From an event to the first output that it has influenced.
    pub reaction: ChainBoundRow,
    /// Age of an output when it is written: the time since its input was read.
    pub age: ChainBoundRow,
}

/// What is known of one time of a chain.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChainBoundRow {
    /// Proven upper bound; null where there is none.
    pub at_most: Option<Ticks>,
    /// Legal arrivals approach or reach this time; 0 if nothing is known.
    pub at_least: Ticks,
    /// The requirement; null where there is none.
    pub required: Option<Ticks>,
    /// `proven`, `disproven` or `unknown`; null without a requirement.
    pub verdict: Option<&'static str>,
    /// Why there is no bound; null where there is one.
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
