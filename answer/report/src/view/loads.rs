//! The disturbances: what was asked of each load and what it really reached.

use super::{Cell, Section, Table, Tone};
use crate::content::{ReportContent, RunEvidence};
use crate::words;
use prazo_core::text::counted;
use prazo_run::run::LoadRecord;

/// The table of loads.
pub fn section(content: &ReportContent) -> Section {
    let columns =
        ["Run", "Load", "#Requested", "#Reached", "#On for", "Generator", "How the rate was counted", "Isolated by"];
    let rows = content.runs.iter().flat_map(|run| run.run.loads.iter().map(|load| row(run, load)));
    Section::new("loads", "Loads").show(Table::new("Loads with requested and reached rates", &columns).with(rows))
}

fn row(run: &RunEvidence, load: &LoadRecord) -> Vec<Cell> {
    vec![
        run.run.name.as_str().into(),
        Cell::code(&load.name),
        load.asked.map_or_else(|| "as much as possible".into(), |asked| rate(asked, &load.unit).into()),
        load.reached
            .map_or_else(|| Cell::toned("not measured", Tone::Unsure), |reached| rate(reached, &load.unit).into()),
        on_for(load).into(),
        Cell::code(&load.generator),
        load.note.as_str().into(),
        load.contained.as_str().into(),
    ]
}

/// One load as it ran in several runs.
pub struct Spread<'a> {
    /// The load's name.
    pub name: &'a str,
    /// Its records, one for each run that had it.
    pub records: Vec<&'a LoadRecord>,
}

/// Each load once, in the order in which the runs name them.
pub fn spreads(content: &ReportContent) -> Vec<Spread<'_>> {
    let mut spreads: Vec<Spread<'_>> = Vec::new();
    for load in content.runs.iter().flat_map(|run| &run.run.loads) {
        match spreads.iter_mut().find(|known| known.name == load.name) {
            Some(known) => known.records.push(load),
            None => spreads.push(Spread { name: &load.name, records: vec![load] }),
        }
    }
    spreads
}

/// Less than this share of what was asked is too little to be called that load; as the probe's caveat has it.
const ENOUGH: f64 = 0.9;

impl Spread<'_> {
    /// What was asked of it: `2 processors`.
    pub fn asked(&self) -> String {
        self.between(|load| load.asked).unwrap_or_else(|| "as much as possible".into())
    }

    /// What it reached: `0.18 to 0.34 processors`.
    pub fn reached(&self) -> String {
        self.between(|load| load.reached).unwrap_or_else(|| "not measured".into())
    }

    /// True where some run's load stayed clearly below what was asked, or nobody knows.
    pub fn fell_short(&self) -> bool {
        let short = |load: &&LoadRecord| match (load.asked, load.reached) {
            (Some(asked), Some(reached)) => reached < asked * ENOUGH,
            (_, reached) => reached.is_none(),
        };
        self.records.iter().any(short)
    }

    fn between(&self, of: fn(&LoadRecord) -> Option<f64>) -> Option<String> {
        let rates = || self.records.iter().filter_map(|load| of(load));
        let (low, high) = (rates().reduce(f64::min)?, rates().reduce(f64::max)?);
        let unit = &self.records[0].unit;
        let (from, to) = (rate(low, unit), rate(high, unit));
        Some(if from == to { to } else { format!("{} to {to}", from.trim_end_matches(unit.as_str()).trim_end()) })
    }
}

fn rate(rate: f64, unit: &str) -> String {
    format!("{} {unit}", figure(rate))
}

/// A rate without its unit: `4,255`, `0.29`.
pub fn figure(rate: f64) -> String {
    let whole = rate.is_finite() && rate.abs() >= 1_000.0 && rate.abs() < 1e15;
    match whole {
        true if rate > 0.0 => words::count(rate.round() as u64),
        _ => words::decimals(rate, 2),
    }
}

fn on_for(load: &LoadRecord) -> String {
    let total: f64 = load.on_s.iter().map(|(start, end)| (end - start).max(0.0)).sum();
    format!("{} s in {}", words::decimals(total, 1), counted(load.on_s.len() as u64, "interval"))
}
