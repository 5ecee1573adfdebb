//! How far the runs of a study's cells lie apart: what a difference between two cells must exceed to mean anything.

use super::{Cell, Section, Table};
use crate::evidence::{Evidence, SeedRow, SpreadRow};
use crate::words;

/// The spreads, and each run for itself.
pub fn section(evidence: &Evidence) -> Section {
    Section::new("spreads", "Spread over seeds").show(spreads(evidence)).show(each(evidence))
}

fn spreads(evidence: &Evidence) -> Table {
    let columns = ["Cell", "Of", "Runs", "#Mean", "#Median", "#p99", "#p99.9", "#p99.999", "#Max observed"];
    let one = evidence.spreads.iter().any(|row| row.counted && row.runs.len() == 1);
    let trajectory = "One seed is one trajectory: it repeats itself to the last bit, and shows no variation.";
    Table::new("Smallest and largest value that a run has", &columns)
        .with(evidence.spreads.iter().map(spread))
        .note("A range of what was seen, and no interval; a figure is missing where a run has too few samples for it.")
        .note(if one { trajectory } else { "" })
}

fn spread(row: &SpreadRow) -> Vec<Cell> {
    let figures = [row.mean_ns, row.median_ns, row.q99_ns, row.q999_ns, row.q99999_ns, row.max_ns];
    let head = [row.cell.as_str().into(), words::quantity(row.quantity).into(), runs(row).into()];
    head.into_iter().chain(figures.map(ends)).collect()
}

/// "3 seeds", or "2 runs" of a real machine.
fn runs(row: &SpreadRow) -> String {
    words::counted(row.runs.len() as u64, if row.counted { "seed" } else { "run" })
}

fn ends(ends: Option<(f64, f64)>) -> Cell {
    match ends {
        None => Cell::absent(),
        Some((low, high)) if low >= high => words::latency_f64(low).into(),
        Some((low, high)) => format!("{} to {}", words::latency_f64(low), words::latency_f64(high)).into(),
    }
}

fn each(evidence: &Evidence) -> Table {
    let columns = ["Cell", "Of", "Seed", "#Count", "#Mean", "#Median", "#p99", "#p99.9", "#p99.999", "#Max observed"];
    let rows = evidence.spreads.iter().flat_map(|row| row.runs.iter().map(move |run| one(row, run)));
    Table::new("Each run for itself", &columns).with(rows).folded()
}

fn one(row: &SpreadRow, run: &SeedRow) -> Vec<Cell> {
    let seed = run.seed.map_or_else(Cell::absent, |seed| Cell::code(seed.to_string()));
    let head = [row.cell.as_str().into(), words::quantity(row.quantity).into(), seed, Cell::count(Some(run.count))];
    let quantiles = [run.median_ns, run.q99_ns, run.q999_ns, run.q99999_ns, run.max_ns];
    head.into_iter().chain([Cell::mean(run.mean_ns)]).chain(quantiles.map(Cell::latency)).collect()
}
