//! A study's outcome as plain text: the claims, each under its outcome, and the cells they rest on.

use crate::result::{CellResult, CellState, QuantityResult, StudyResult};
use crate::seeds::Seeds;
use crate::statistic::quantity_name;
use prazo_core::text::{counted, grouped};
use prazo_run::run::Quantity;
use prazo_stats::observed_range::Ends;
use prazo_verdict::claim::{Tally, figures};
use std::fmt::{self, Display, Formatter};

impl Display for StudyResult {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}\n{}\n", self.name, self.title, self.question)?;
        if !self.complete {
            writeln!(
                f,
                "Incomplete: some cells have no figures; their rows give the reason. Run the study again to measure those that this machine can measure.\n"
            )?;
        }
        cells(f, &self.cells)?;
        self.write_beside(f)?;
        self.cost.iter().try_for_each(|cost| write!(f, "{cost}"))?;
        writeln!(f)?;
        self.claims.iter().try_for_each(|claim| write!(f, "{claim}"))?;
        if !self.claims.is_empty() {
            writeln!(f, "{}", Tally::of(&self.claims))?;
        }
        if let Some(sentence) = self.cited() {
            writeln!(f, "{sentence}")?;
        }
        self.gate.iter().try_for_each(|gate| writeln!(f, "\n{gate}"))
    }
}

impl StudyResult {
    /// Where the rest of the paper is answered; `None` where it is answered here.
    pub fn cited(&self) -> Option<String> {
        let commands: Vec<String> = self.cites.iter().map(|name| format!("`prazo study show {name}`")).collect();
        let sentence = || format!("Questions that this study leaves open are answered by {}.", commands.join(" and "));
        (!commands.is_empty()).then(sentence)
    }
}

impl Display for CellState {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Measured => "measured",
            Self::Reused => "reused",
            Self::Imported => "imported",
            Self::Stated => "stated",
            Self::Failed => "failed",
            Self::Missing => "missing",
        })
    }
}

fn cells(f: &mut Formatter<'_>, cells: &[CellResult]) -> fmt::Result {
    let width = cells.iter().map(|cell| cell.id.len()).max().unwrap_or(0).max("cell".len());
    writeln!(
        f,
        "{:<width$}  {:<8} {:>11} {:>10} {:>10} {:>10} {:>10}",
        "cell", "state", "samples", "min µs", "median µs", "99.9 % µs", "max µs"
    )?;
    let own = cells.iter().filter(|cell| cell.state != CellState::Stated);
    let own: Vec<&CellResult> = own.collect();
    for (place, cell) in own.iter().enumerate() {
        let same = own[..place].iter().find(|other| cell.reason.is_some() && other.reason == cell.reason);
        match same {
            Some(other) => writeln!(f, "{:<width$}  {:<8} for the same reason as {}", cell.id, cell.state, other.id)?,
            None => row(f, cell, width)?,
        }
    }
    if cells.iter().any(|cell| !cell.quantities.is_empty()) {
        quantities(f, cells, width)?;
    }
    over_seeds(f, cells, width)
}

/// How far the runs of each cell lie apart: of guests always, of real machines where they were repeated.
fn over_seeds(f: &mut Formatter<'_>, cells: &[CellResult], width: usize) -> fmt::Result {
    let rows: Vec<_> = cells.iter().flat_map(with_seeds).filter(|(.., seeds)| seeds.tells()).collect();
    if rows.is_empty() {
        return Ok(());
    }
    write!(f, "\n{:<width$}  {:<18} {:<8}", "smallest..largest, µs", "quantity", "runs")?;
    ["mean", "median", "99.9 %", "99.999 %", "max"].iter().try_for_each(|name| write!(f, " {name:>19}"))?;
    writeln!(f)?;
    rows.iter().try_for_each(|(cell, of, seeds)| seeds_row(f, &format!("{cell:<width$}  {of:<18}"), seeds))?;
    match rows.iter().any(|(.., seeds)| seeds.counted && seeds.runs.len() == 1) {
        true => writeln!(f, "One seed gives one trajectory, which repeats exactly; it shows no variation."),
        false => Ok(()),
    }
}

fn with_seeds(cell: &CellResult) -> Vec<(&str, String, &Seeds)> {
    let own = cell.seeds.iter().map(|seeds| (cell.id.as_str(), quantity_name(Quantity::ResponseLatency), seeds));
    let part = |part: &'_ QuantityResult| quantity_name(part.quantity);
    let parts = cell.quantities.iter().filter_map(|of| Some((cell.id.as_str(), part(of), of.seeds.as_ref()?)));
    own.chain(parts).collect()
}

fn seeds_row(f: &mut Formatter<'_>, head: &str, seeds: &Seeds) -> fmt::Result {
    let us = |ends: Ends| match ends.width() > 0.0 {
        true => format!("{}..{}", figures::us(ends.low_ns), figures::us(ends.high_ns)),
        false => figures::us(ends.low_ns),
    };
    let (n, noun) = (seeds.runs.len(), if seeds.counted { "seed" } else { "run" });
    let runs = counted(n as u64, noun).to_string();
    write!(f, "{head} {runs:<8}")?;
    let figures = [seeds.mean, seeds.median, seeds.q999, seeds.q99999, seeds.max];
    let figures = figures.map(|ends| ends.map_or("-".into(), us));
    figures.iter().try_for_each(|figure| write!(f, " {figure:>19}"))?;
    writeln!(f)
}

/// The parts of latencies, measured and stated, a line each.
fn quantities(f: &mut Formatter<'_>, cells: &[CellResult], width: usize) -> fmt::Result {
    writeln!(
        f,
        "\n{:<width$}  {:<8} {:<18} {:>11} {:>10} {:>10} {:>10} {:>10}",
        "cell", "state", "quantity", "samples", "min µs", "mean µs", "SD µs", "max µs"
    )?;
    let rows = cells.iter().flat_map(|cell| cell.quantities.iter().map(move |quantity| (cell, quantity)));
    rows.into_iter().try_for_each(|(cell, quantity)| quantity_row(f, cell, quantity, width))
}

fn quantity_row(f: &mut Formatter<'_>, cell: &CellResult, of: &QuantityResult, width: usize) -> fmt::Result {
    let us = |value: Option<f64>| value.map_or("-".into(), figures::us);
    let count = of.count.map_or("-".into(), |count| grouped(count).to_string());
    write!(f, "{:<width$}  {:<8} {:<18} {count:>11}", cell.id, cell.state, quantity_name(of.quantity))?;
    [of.min_ns, of.mean_ns, of.deviation_ns, of.max_ns]
        .map(us)
        .iter()
        .try_for_each(|figure| write!(f, " {figure:>10}"))?;
    writeln!(f)
}

fn row(f: &mut Formatter<'_>, cell: &CellResult, width: usize) -> fmt::Result {
    if let Some(reason) = &cell.reason {
        return writeln!(f, "{:<width$}  {:<8} {reason}", cell.id, cell.state);
    }
    let us = |value: Option<i64>| value.map_or("-".into(), |ns| figures::us(ns as f64));
    let count = cell.count.map_or("-".into(), |count| grouped(count).to_string());
    let figures = [cell.min_ns, cell.median_ns, cell.q999_ns, cell.max_ns].map(us);
    write!(f, "{:<width$}  {:<8} {count:>11}", cell.id, cell.state)?;
    figures.iter().try_for_each(|figure| write!(f, " {figure:>10}"))?;
    writeln!(f)
}
