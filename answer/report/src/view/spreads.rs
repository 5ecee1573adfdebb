//! How far the runs of a study's cells lie apart: what a difference between two cells must exceed to mean anything.

use super::{Cell, Section, Table};
use crate::content::{ReportContent, SpreadRow};
use crate::words;
use prazo_core::text::counted;
use prazo_stats::observed_range::Ends;
use prazo_study::seeds::RunFigures;

/// The spreads, and each run for itself.
pub fn section(content: &ReportContent) -> Section {
    Section::new("spreads", "Spread over seeds").show(spreads(content)).show(each(content))
}

fn spreads(content: &ReportContent) -> Table {
    let columns = ["Cell", "Quantity", "Runs", "#Mean", "#Median", "#p99", "#p99.9", "#p99.999", "#Max observed"];
    let one = content.spreads.iter().any(|row| row.seeds.counted && row.seeds.runs.len() == 1);
    let trajectory = "One seed gives one trajectory, which repeats exactly; it shows no variation.";
    Table::new("Smallest and largest value over the runs of each cell", &columns)
        .with(content.spreads.iter().map(spread))
        .note("Ranges are observed; they are not confidence intervals. A figure is missing where a run has too few samples for it, or where it lies beyond the histogram.")
        .note(if one { trajectory } else { "" })
}

fn spread(row: &SpreadRow) -> Vec<Cell> {
    let seeds = &row.seeds;
    let figures = [seeds.mean, seeds.median, seeds.q99, seeds.q999, seeds.q99999, seeds.max];
    let head = [row.cell.as_str().into(), words::quantity(row.quantity).into(), runs(row).into()];
    head.into_iter().chain(figures.map(ends)).collect()
}

/// "3 seeds", or "2 runs" of a real machine.
fn runs(row: &SpreadRow) -> String {
    counted(row.seeds.runs.len() as u64, if row.seeds.counted { "seed" } else { "run" }).to_string()
}

fn ends(ends: Option<Ends>) -> Cell {
    match ends {
        None => Cell::absent(),
        Some(Ends { low_ns, high_ns }) if low_ns >= high_ns => words::latency_f64(low_ns).into(),
        Some(Ends { low_ns, high_ns }) => {
            format!("{} to {}", words::latency_f64(low_ns), words::latency_f64(high_ns)).into()
        }
    }
}

fn each(content: &ReportContent) -> Table {
    let columns =
        ["Cell", "Quantity", "Seed", "#Count", "#Mean", "#Median", "#p99", "#p99.9", "#p99.999", "#Max observed"];
    let rows = content.spreads.iter().flat_map(|row| row.seeds.runs.iter().map(move |run| one(row, run)));
    Table::new("Figures of each run", &columns).with(rows).folded()
}

fn one(row: &SpreadRow, run: &RunFigures) -> Vec<Cell> {
    let seed = run.seed.map_or_else(Cell::absent, |seed| Cell::code(seed.to_string()));
    let head = [row.cell.as_str().into(), words::quantity(row.quantity).into(), seed, Cell::count(Some(run.count))];
    let quantiles = [run.median_ns, run.q99_ns, run.q999_ns, run.q99999_ns, run.max_ns];
    head.into_iter().chain([Cell::mean(run.mean_ns)]).chain(quantiles.map(Cell::latency)).collect()
}
