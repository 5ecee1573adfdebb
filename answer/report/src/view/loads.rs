//! The disturbances: what was asked of each load and what it really reached.

use super::{Cell, Section, Table, Tone};
use crate::evidence::{Evidence, RunEvidence};
use crate::words;
use prazo_run::run::LoadRecord;

/// The table of loads.
pub fn section(evidence: &Evidence) -> Section {
    let columns = ["Run", "Load", "#Asked", "#Reached", "#On for", "Generator", "How it was counted", "Contained by"];
    let rows = evidence.runs.iter().flat_map(|run| run.run.loads.iter().map(|load| row(run, load)));
    Section::new("loads", "Loads").show(Table::new("Loads with the rates asked and reached", &columns).with(rows))
}

fn row(run: &RunEvidence, load: &LoadRecord) -> Vec<Cell> {
    vec![
        run.run.name.as_str().into(),
        Cell::code(&load.name),
        load.asked.map_or_else(|| "as much as it can".into(), |asked| rate(asked, &load.unit).into()),
        load.reached
            .map_or_else(|| Cell::toned("not measured", Tone::Unsure), |reached| rate(reached, &load.unit).into()),
        on_for(load).into(),
        Cell::code(&load.generator),
        load.note.as_str().into(),
        load.contained.as_str().into(),
    ]
}

fn rate(rate: f64, unit: &str) -> String {
    let whole = rate.is_finite() && rate.abs() >= 1_000.0 && rate.abs() < 1e15;
    match whole {
        true if rate > 0.0 => format!("{} {unit}", words::count(rate.round() as u64)),
        _ => format!("{} {unit}", words::decimals(rate, 2)),
    }
}

fn on_for(load: &LoadRecord) -> String {
    let total: f64 = load.on_s.iter().map(|(start, end)| (end - start).max(0.0)).sum();
    format!("{} s in {}", words::decimals(total, 1), words::counted(load.on_s.len() as u64, "interval"))
}
