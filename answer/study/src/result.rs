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

/// The result of one study; `prazo study run NAME --json` prints this object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyResult {
    /// Name of the study.
    pub name: String,
    /// Title of the study.
    pub title: String,
    /// The question that the study answers.
    pub question: String,
    /// The paper whose experiment the study repeats; null where it repeats none.
    pub paper: Option<String>,
    /// Names of the studies that answer questions which this study leaves open (`prazo study show NAME`).
    pub cites: Vec<String>,
    /// The study's seed, from which the seed of every run follows.
    pub seed: u64,
    /// Names of the run files in the planned order of measurement (ABBA: every second round runs backwards).
    pub order: Vec<String>,
    /// False if the study was interrupted before all cells were done; for `prazo study show`, false if any cell has no
    /// figures. Cells that failed or belong to another machine leave this true for `prazo study run`.
    pub complete: bool,
    /// The cells of the study: what was measured, imported or stated.
    pub cells: Vec<CellResult>,
    /// The claims of the study, each with its outcome.
    pub claims: Vec<ClaimResult>,
    /// Penalty, slowdown and counts of the workloads on each platform; null where no workload was measured.
    pub cost: Option<CostResult>,
    /// The comparison with a baseline; null where no baseline was given.
    pub gate: Option<GateResult>,
}

/// One cell of the study: a platform under one load with one probe, an import, or figures of a paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellResult {
    /// Id of the cell.
    pub id: String,
    /// Where the samples of the cell come from, or that there are none.
    pub state: CellState,
    /// The reason why the cell has no figures; null where it has figures.
    pub reason: Option<String>,
    /// Run files of the cell in the results folder, one for each repeat.
    pub files: Vec<String>,
    /// Number of samples, overflow included, warm-up excluded.
    pub count: Option<u64>,
    /// Number of skipped activations; null where they were not counted.
    pub skipped: Option<u64>,
    /// Smallest response latency.
    pub min_ns: Option<i64>,
    /// Mean response latency; a lower bound where samples lie beyond the histogram.
    pub mean_ns: Option<f64>,
    /// Median response latency; null where fewer than ten samples lie above it, or it lies beyond the histogram.
    pub median_ns: Option<i64>,
    /// The 99.9 % quantile of the response latency; null where fewer than ten samples lie above it, or it lies beyond
    /// the histogram.
    pub q999_ns: Option<i64>,
    /// Largest observed response latency; null where it is only known to lie beyond the histogram.
    pub max_ns: Option<i64>,
    /// Number of samples beyond the histogram.
    pub overflow: Option<u64>,
    /// All quantities that were measured in addition to the response latency, such as interrupt and activation latency;
    /// for a stated cell, all quantities that the paper states.
    pub quantities: Vec<QuantityResult>,
    /// Response latency in each run of the cell, and its spread over the runs; null where the cell has no run.
    pub seeds: Option<Seeds>,
    /// For a stated cell, the measured cell that repeats the paper's measurement; null where no cell does.
    pub repeated_by: Option<String>,
    /// Ids of the caveats of the cell's runs.
    pub caveats: Vec<String>,
}

/// Figures of one quantity of a cell, all runs together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuantityResult {
    /// The measured quantity, for example the interrupt latency.
    pub quantity: Quantity,
    /// Number of samples; null where the paper does not state it.
    pub count: Option<u64>,
    /// Smallest value of the quantity.
    pub min_ns: Option<f64>,
    /// Mean of the quantity; null where samples lie beyond the histogram.
    pub mean_ns: Option<f64>,
    /// Standard deviation of the quantity; null where samples lie beyond the histogram.
    pub deviation_ns: Option<f64>,
    /// Largest observed value of the quantity; null where it is only known to lie beyond the histogram.
    pub max_ns: Option<f64>,
    /// Figures of each run, and their spread over the runs; null where the figures are stated by a paper.
    pub seeds: Option<Seeds>,
}

/// Where a cell's samples come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CellState {
    /// The cell was measured by this invocation of prazo.
    Measured,
    /// The cell was measured or imported earlier, from the same plan or table; or its run files were copied from
    /// another machine.
    Reused,
    /// The cell was imported by this invocation of prazo.
    Imported,
    /// A paper states the figures of the cell; there are no samples.
    Stated,
    /// Measuring or importing the cell failed.
    Failed,
    /// The cell has not been measured yet, or only another machine can measure it.
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
