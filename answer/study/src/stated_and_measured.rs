//! A paper's figures beside those of the cells that repeat its experiment: one row a quantity.

use crate::result::{CellResult, QuantityResult, StudyResult};
use crate::statistic::quantity_name;
use prazo_run::run::Quantity;
use prazo_verdict::claim::figures;
use std::fmt::{self, Formatter};

/// What a paper states of one quantity of a cell, and what was measured in the cell that repeats it.
#[derive(Clone, Debug)]
pub struct StatedAndMeasured<'a> {
    /// The paper's cell.
    pub stated: &'a CellResult,
    /// Its figures.
    pub theirs: &'a QuantityResult,
    /// The measured cell.
    pub cell: &'a CellResult,
    /// Its figures, all runs together.
    pub ours: QuantityResult,
}

impl StudyResult {
    /// All of them, in the order of the paper's cells; what was not measured has no row.
    pub fn stated_and_measured(&self) -> Vec<StatedAndMeasured<'_>> {
        self.cells.iter().flat_map(|stated| self.rows(stated)).collect()
    }

    fn rows<'a>(&'a self, stated: &'a CellResult) -> impl Iterator<Item = StatedAndMeasured<'a>> {
        let cell = self.cells.iter().find(|cell| stated.repeated_by.as_ref() == Some(&cell.id));
        let of = move |theirs: &'a QuantityResult| {
            let cell = cell?;
            let ours = measured(cell, theirs.quantity)?;
            Some(StatedAndMeasured { stated, theirs, cell, ours })
        };
        stated.quantities.iter().filter_map(of)
    }

    /// The rows as a table of text; nothing where there is none.
    pub(crate) fn write_beside(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let rows = self.stated_and_measured();
        let width = rows.iter().map(|row| row.stated.id.len().max(row.cell.id.len())).max().unwrap_or(0);
        if rows.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "\nCompared with the paper: mean, deviation, minimum and maximum, as stated and as measured, in µs"
        )?;
        rows.iter().try_for_each(|row| {
            writeln!(
                f,
                "{:<width$}  {:<18} {}",
                row.stated.id,
                quantity_name(row.theirs.quantity),
                figures(row.theirs)
            )?;
            writeln!(f, "{:<width$}  {:<18} {}", row.cell.id, "", figures(&row.ours))
        })
    }
}

/// A cell has its response latency in fields of its own, which have no deviation; all else is among its quantities.
fn measured(cell: &CellResult, quantity: Quantity) -> Option<QuantityResult> {
    if quantity != Quantity::ResponseLatency {
        return cell.quantities.iter().find(|ours| ours.quantity == quantity).cloned();
    }
    cell.count.filter(|count| *count > 0)?;
    // Where samples lie beyond the histogram, a cell's mean is a lower bound.
    let is_whole = cell.overflow == Some(0);
    Some(QuantityResult {
        count: cell.count,
        min_ns: cell.min_ns.map(|ns| ns as f64),
        mean_ns: cell.mean_ns.filter(|_| is_whole),
        max_ns: cell.max_ns.filter(|_| is_whole).map(|ns| ns as f64),
        seeds: cell.seeds.clone(),
        ..QuantityResult::none(quantity)
    })
}

fn figures(of: &QuantityResult) -> String {
    let ns = |value: Option<f64>| format!(" {:>12}", value.map_or("-".into(), figures::us));
    [of.mean_ns, of.deviation_ns, of.min_ns, of.max_ns].map(ns).concat()
}
