//! What a study ends with, as scripts read it.

use crate::cell::Cell;
use crate::cost::CostResult;
use crate::evidence::{Entry, Evidence};
use crate::gate::GateResult;
use crate::seeds::Seeds;
use crate::stated::{Stated, StatedRow};
use crate::statistic::Statistic;
use prazo_run::Run;
use prazo_run::run::Quantity;
use prazo_stats::Latencies;
use prazo_stats::level::Level;
use prazo_verdict::claim::ClaimResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The outcome of one study; `prazo study run NAME --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyResult {
    /// The study's name.
    pub name: String,
    /// Its headline.
    pub title: String,
    /// The question that it answers.
    pub question: String,
    /// The paper whose experiment it repeats.
    pub paper: Option<String>,
    /// Studies that answer the questions which this one leaves open (`prazo study show NAME`).
    pub cites: Vec<String>,
    /// The seed of the loads' pauses.
    pub seed: u64,
    /// The files in the order in which they were measured (ABBA).
    pub order: Vec<String>,
    /// False where it was interrupted; running it again continues from there.
    pub complete: bool,
    /// The cells.
    pub cells: Vec<CellResult>,
    /// The claims.
    pub claims: Vec<ClaimResult>,
    /// What the platforms cost programs; null where no workload was measured.
    pub cost: Option<CostResult>,
    /// The comparison with a baseline; null where none was given.
    pub gate: Option<GateResult>,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellResult {
    /// Its id.
    pub id: String,
    /// Where its samples come from, or that it has none.
    pub state: CellState,
    /// Why the cell has no figures; null where it has some.
    pub reason: Option<String>,
    /// Its run files in the results folder, one for each repeat.
    pub files: Vec<String>,
    /// Samples, overflow included, warm-up excluded.
    pub count: Option<u64>,
    /// Skipped activations; null where they were not counted.
    pub skipped: Option<u64>,
    /// Smallest.
    pub min_ns: Option<i64>,
    /// Mean; with overflow a lower bound.
    pub mean_ns: Option<f64>,
    /// Order statistic at 0.5.
    pub median_ns: Option<i64>,
    /// Order statistic at 0.999; null where fewer than ten samples lie above it.
    pub q999_ns: Option<i64>,
    /// Largest observed; null where it is only known to lie beyond the histogram.
    pub max_ns: Option<i64>,
    /// Samples beyond the histogram.
    pub overflow: Option<u64>,
    /// Interrupt and activation latency, and whatever else its runs contain, or a paper states, in addition to the
    /// response latency.
    pub quantities: Vec<QuantityResult>,
    /// Each of its runs, and their spread; null where it has none.
    pub seeds: Option<Seeds>,
    /// For a stated cell, the measured cell that repeats it; null where none does.
    pub repeated_by: Option<String>,
    /// Ids of its runs' caveats.
    pub caveats: Vec<String>,
}

/// One quantity of a cell, all runs together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuantityResult {
    /// The quantity that was measured.
    pub quantity: Quantity,
    /// Samples; null where a paper does not say.
    pub count: Option<u64>,
    /// Smallest.
    pub min_ns: Option<f64>,
    /// Mean; null where overflow hides it.
    pub mean_ns: Option<f64>,
    /// Standard deviation; null where overflow hides it.
    pub deviation_ns: Option<f64>,
    /// Largest observed; null where overflow hides it.
    pub max_ns: Option<f64>,
    /// Figures of each run, and their spread; null where the figures are stated by a paper.
    pub seeds: Option<Seeds>,
}

/// Where a cell's samples come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CellState {
    /// The cell was measured by this invocation of prazo.
    Measured,
    /// Measured or imported by an earlier call with the same plan.
    Reused,
    /// Imported by this call.
    Imported,
    /// Figures that a paper states; there are no samples.
    Stated,
    /// Tried without success.
    Failed,
    /// Not measured yet, or on another machine.
    Missing,
}

impl CellResult {
    /// A cell's row; figures are null where there is no evidence.
    pub fn of(cell: &Cell, state: CellState, reason: Option<String>, files: Vec<String>, evidence: &Evidence) -> Self {
        let empty = Self::empty(cell.id.clone(), state, reason, files);
        let Ok(entry) = evidence.entry(&cell.id) else { return empty };
        let (figures, latencies) = (&entry.figures, &entry.figures.latencies);
        Self {
            count: Some(figures.count()),
            skipped: figures.skipped,
            min_ns: latencies.min_ns(),
            mean_ns: latencies.mean_range().map(|mean| mean.low_ns),
            median_ns: latencies.quantile_ns(Level::nines(2)),
            q999_ns: latencies.quantile_ns(Level::nines(1_000)),
            max_ns: latencies.max_ns(),
            overflow: Some(latencies.overflow()),
            quantities: quantities(entry),
            seeds: Seeds::of(&entry.runs, Quantity::ResponseLatency),
            caveats: caveats(&entry.runs),
            ..empty
        }
    }

    /// The row of a cell that a paper states.
    pub fn stated(stated: &Stated) -> Self {
        let of = |row| QuantityResult::stated(row, stated.count);
        let quantities = stated.figures.iter().map(of).collect();
        let repeated_by = stated.repeated_by.as_ref().map(|cell| cell.id.clone());
        Self { quantities, repeated_by, ..Self::empty(stated.id.get_ref().clone(), CellState::Stated, None, vec![]) }
    }

    fn empty(id: String, state: CellState, reason: Option<String>, files: Vec<String>) -> Self {
        Self {
            id,
            state,
            reason,
            files,
            count: None,
            skipped: None,
            min_ns: None,
            mean_ns: None,
            median_ns: None,
            q999_ns: None,
            max_ns: None,
            overflow: None,
            quantities: vec![],
            seeds: None,
            repeated_by: None,
            caveats: vec![],
        }
    }
}

impl QuantityResult {
    fn of(quantity: Quantity, runs: &[Run]) -> Self {
        let latencies = Latencies::of(runs, quantity);
        let [min_ns, mean_ns, deviation_ns, max_ns] = Statistic::ALL.map(|statistic| statistic.of(&latencies));
        let seeds = Seeds::of(runs, quantity);
        Self { quantity, count: Some(latencies.count()), min_ns, mean_ns, deviation_ns, max_ns, seeds }
    }

    /// No figure at all.
    pub fn none(quantity: Quantity) -> Self {
        Self { quantity, count: None, min_ns: None, mean_ns: None, deviation_ns: None, max_ns: None, seeds: None }
    }

    fn stated(row: &StatedRow, count: Option<u64>) -> Self {
        let [min_ns, mean_ns, deviation_ns, max_ns] = Statistic::ALL.map(|statistic| row.get(statistic));
        Self { quantity: row.quantity, count, min_ns, mean_ns, deviation_ns, max_ns, seeds: None }
    }
}

/// Everything that a cell's runs hold beside the response latency.
fn quantities(entry: &Entry) -> Vec<QuantityResult> {
    let kinds: BTreeSet<Quantity> = entry.runs.iter().flat_map(prazo_stats::quantities).collect();
    let of = |quantity| QuantityResult::of(quantity, &entry.runs);
    kinds.into_iter().filter(|quantity| *quantity != Quantity::ResponseLatency).map(of).collect()
}

/// The names of all caveats, each once.
fn caveats(runs: &[Run]) -> Vec<String> {
    let names: BTreeSet<&String> = runs.iter().flat_map(|run| &run.caveats).map(|caveat| &caveat.id).collect();
    names.into_iter().cloned().collect()
}
