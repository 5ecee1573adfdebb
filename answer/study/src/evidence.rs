//! What claims are checked on: the figures of every cell, or the reason why a cell has none.
//!
//! A claim about a cell without figures cannot be decided. Neither can one about a run with a fatal caveat, for such a run
//! does not show what it claims to show.

use crate::cell::{Cell, Way};
use crate::edge::CellName;
use crate::figure::Figures;
use crate::seeds;
use crate::stated::Stated;
use crate::statistic::{Known, Statistic};
use prazo_run::run::Quantity;
use prazo_run::{Run, Severity};
use std::collections::BTreeMap;

/// Why a claim cannot be decided: one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecidable(pub String);

/// The evidence of one study.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    cells: BTreeMap<String, Result<Entry, Undecidable>>,
    stated: BTreeMap<String, Stated>,
}

/// A cell's runs and their figures.
#[derive(Clone, Debug)]
pub struct Entry {
    /// One run for each repeat.
    pub runs: Vec<Run>,
    /// All of them together.
    pub figures: Figures,
}

impl Entry {
    /// How many trajectories of a guest under counted time it holds; none where a run is something else.
    fn trajectories(&self) -> usize {
        if self.runs.iter().all(seeds::is_counted) { self.runs.len() } else { 0 }
    }

    /// One of its trajectories; the entry as it is where there is but one, or none.
    fn of_seed(&self, number: usize) -> Self {
        match (self.trajectories(), self.runs.get(number)) {
            (2.., Some(run)) => Self { runs: vec![run.clone()], figures: Figures::of(std::slice::from_ref(run), None) },
            _ => self.clone(),
        }
    }
}

impl Evidence {
    /// Adds the runs of a cell.
    pub fn add(&mut self, cell: &Cell, runs: Vec<Run>) {
        let import = match &cell.way {
            Way::Import(import) => Some(import),
            Way::Measure { .. } => None,
        };
        let figures = Figures::of(&runs, import);
        let entry = if figures.histogram.is_empty() {
            Err(Undecidable(format!("cell {} holds no sample", cell.id)))
        } else {
            Ok(Entry { runs, figures })
        };
        self.cells.insert(cell.id.clone(), entry);
    }

    /// Adds a cell that a paper states.
    pub fn state(&mut self, stated: &Stated) {
        self.stated.insert(stated.id.get_ref().clone(), stated.clone());
    }

    /// A statistic of one quantity of a cell, measured or stated.
    pub fn known(&self, cell: &CellName, quantity: Quantity, statistic: Statistic) -> Result<Known, Undecidable> {
        match self.stated.get(&cell.id) {
            Some(stated) => Known::stated(&cell.id, stated, quantity, statistic),
            None => Known::measured(&cell.id, self.sound(cell)?, quantity, statistic),
        }
    }

    /// Notes why a cell has no runs.
    pub fn lack(&mut self, cell: &str, reason: &str) {
        self.cells.insert(cell.to_owned(), Err(Undecidable(format!("cell {cell} was not measured: {reason}"))));
    }

    /// A cell's runs and figures, whatever their caveats.
    pub fn entry(&self, cell: &str) -> Result<&Entry, Undecidable> {
        match self.cells.get(cell) {
            Some(entry) => entry.as_ref().map_err(Clone::clone),
            None if self.stated.contains_key(cell) => {
                Err(Undecidable(format!("of cell {cell} a paper states figures, and there are no samples")))
            }
            None => Err(Undecidable(format!("cell {cell} was not measured yet"))),
        }
    }

    /// The runs by cell.
    pub fn into_runs(self) -> BTreeMap<String, Vec<Run>> {
        self.cells.into_iter().filter_map(|(cell, entry)| Some((cell, entry.ok()?.runs))).collect()
    }

    /// The figures that a claim may rest on.
    pub fn figures(&self, cell: &CellName) -> Result<&Figures, Undecidable> {
        Ok(&self.sound(cell)?.figures)
    }

    /// The figures of several cells, each with its name.
    pub fn all<'a>(&'a self, cells: &'a [CellName]) -> Result<Vec<(&'a str, &'a Figures)>, Undecidable> {
        cells.iter().map(|cell| Ok((cell.id.as_str(), self.figures(cell)?))).collect()
    }

    /// How many seeds there are of these cells together: the most runs that one of them has under counted time, else none.
    pub fn seeds(&self, cells: &[&CellName]) -> usize {
        let runs = |cell: &&CellName| self.entry(&cell.id).ok().map(Entry::trajectories);
        cells.iter().filter_map(runs).max().unwrap_or(0)
    }

    /// The evidence of one seed, counted from zero: of each cell under counted time the run of that seed alone.
    pub fn of_seed(&self, number: usize, cells: &[&CellName]) -> Self {
        let named = |id: &String| cells.iter().any(|cell| cell.id == *id);
        let alone = |(id, entry): (&String, &Result<Entry, Undecidable>)| {
            (id.clone(), entry.as_ref().map(|entry| entry.of_seed(number)).map_err(Clone::clone))
        };
        let cells = self.cells.iter().filter(|(id, _)| named(id)).map(alone).collect();
        Self { cells, stated: self.stated.clone() }
    }

    /// A cell's entry, unless a run of it has a fatal caveat.
    pub fn sound(&self, cell: &CellName) -> Result<&Entry, Undecidable> {
        let entry = self.entry(&cell.id)?;
        let fatal = entry.runs.iter().flat_map(|run| &run.caveats).find(|caveat| caveat.severity == Severity::Fatal);
        match fatal {
            Some(caveat) => Err(Undecidable(format!(
                "cell {} does not show what it should ({}: {})",
                cell.id, caveat.id, caveat.what
            ))),
            None => Ok(entry),
        }
    }
}
