//! What is known of each chain of cause and effect: a row for readers, an object for scripts.

use super::dossier::Dossier;
use super::sections::tone;
use crate::view::{Cell, Section, Table};
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

/// One chain of cause and effect. Times are in ticks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChainRow {
    /// Its name.
    pub name: String,
    /// Indices of its tasks from cause to effect.
    pub tasks: Vec<usize>,
    /// `implicit` or `let`.
    pub communication: &'static str,
    /// From an event to the first output that it has influenced.
    pub reaction: ChainBoundRow,
    /// Age of an output when it is written, from when the input was read that it is made from.
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

/// A row for each time of each chain.
pub(super) fn section(dossier: &Dossier<'_>) -> Section {
    if dossier.chains.is_empty() {
        return Section::default();
    }
    let columns = ["chain", "time", "#bound", "#required", "verdict", "#headroom", "tasks"];
    let rows = dossier.chains.iter().flat_map(|one| {
        let ChainBounds { reaction, age } = one.bounds;
        [row(dossier, one, "reaction", reaction), row(dossier, one, "data age", age)]
    });
    let table = Table::new("From cause to effect", &columns).with(rows).note(
        "Reaction: from an event to the first output that it has influenced. Data age: of an output when it is written.",
    );
    let whys = dossier.chains.iter().flat_map(|one| whys(dossier, one));
    whys.fold(Section::new("chains", "Chains").show(table), Section::say)
}

fn row(dossier: &Dossier<'_>, one: &AnsweredChain, time: &'static str, bound: Bound) -> Vec<Cell> {
    let names: Vec<&str> = one.chain.stages.iter().map(|stage| dossier.name(stage.task)).collect();
    let known = |time: Option<Ticks>| time.map_or_else(Cell::absent, |ticks| dossier.time(ticks).into());
    let verdict = bound.verdict().map_or_else(Cell::absent, |verdict| Cell::toned(verdict.name(), tone(verdict)));
    let headroom = bound.at_most.ok().zip(bound.required).map(|(at_most, required)| {
        super::sections::percent((required as f64 - at_most as f64) / required.max(1) as f64).into()
    });
    vec![
        one.chain.name.as_str().into(),
        time.into(),
        known(bound.at_most.ok()),
        known(bound.required),
        verdict,
        headroom.unwrap_or_else(Cell::absent),
        names.join(" > ").into(),
    ]
}

/// Why there is no bound, or what shows that a requirement is not kept.
fn whys(dossier: &Dossier<'_>, one: &AnsweredChain) -> Vec<String> {
    let of = |(time, bound): (&str, Bound)| {
        let name = &one.chain.name;
        match (bound.at_most, bound.verdict()) {
            (_, Some(Verdict::Disproven)) => {
                let least = dossier.time(bound.at_least);
                Some(format!("{time} of '{name}' is disproven: legal arrivals come as close to {least} as one likes, or reach it."))
            }
            (Err(why), _) => {
                let why = why.sentence(|task| dossier.name(task).to_owned());
                Some(format!("No bound on the {} of '{name}': {why}.", time.to_lowercase()))
            }
            _ => None,
        }
    };
    [("Reaction", one.bounds.reaction), ("Data age", one.bounds.age)].into_iter().filter_map(of).collect()
}
