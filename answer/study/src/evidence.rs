//! What claims are checked on: the figures of every cell, or the reason why a cell has none.
//!
//! A claim about a cell without figures cannot be decided. Neither can one about a run with a fatal caveat, for such a run
//! does not show what it claims to show.

use crate::cell::{Cell, CellSource};
use crate::cost::StatedPenalty;
use crate::figure::Figures;
use crate::seeds;
use crate::stated::Stated;
use crate::statistic::{Known, Statistic};
use prazo_run::run::Quantity;
use prazo_run::{Run, Severity};
use prazo_stats::Latencies;
use prazo_stats::observed_range::Ends;
use prazo_verdict::claim::{Name, Undecidable};
use std::collections::{BTreeMap, BTreeSet};

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
    /// The seeds of its trajectories, where all its runs are guests' under counted time.
    fn seeds(&self) -> BTreeSet<u64> {
        match self.runs.iter().all(seeds::is_counted) {
            true => self.runs.iter().filter_map(seed).collect(),
            false => BTreeSet::new(),
        }
    }

    /// The trajectory of a seed; the entry as it is where its runs have none.
    fn of_seed(&self, cell: &str, wanted: u64) -> Result<Self, Undecidable> {
        if self.seeds().is_empty() {
            return Ok(self.clone());
        }
        let run = self.runs.iter().find(|run| seed(run) == Some(wanted));
        let run = run.ok_or_else(|| Undecidable(format!("cell {cell} has no run of seed {wanted}")))?;
        Ok(Self { runs: vec![run.clone()], figures: Figures::of(std::slice::from_ref(run), None) })
    }
}

fn seed(run: &Run) -> Option<u64> {
    run.plan.as_ref().map(|plan| plan.seed)
}

impl Evidence {
    /// Adds the runs of a cell.
    pub fn add(&mut self, cell: &Cell, runs: Vec<Run>) {
        let import = match &cell.source {
            CellSource::Import(import) => Some(import),
            CellSource::Measure { .. } => None,
        };
        let figures = Figures::of(&runs, import);
        let has_workloads = runs.iter().any(|run| !run.workloads.is_empty());
        let entry = if figures.histogram.is_empty() && !has_workloads {
            Err(Undecidable(format!("cell {} has no sample", cell.id)))
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
    pub fn known(&self, cell: &Name, quantity: Quantity, statistic: Statistic) -> Result<Known, Undecidable> {
        match self.stated.get(&cell.id) {
            Some(stated) => Known::stated(&cell.id, stated, quantity, statistic),
            None => Known::measured(&cell.id, self.sound(&cell.id)?, quantity, statistic),
        }
    }

    /// The penalty that a paper states.
    pub fn stated_penalty(&self, cell: &Name) -> Result<f64, Undecidable> {
        let found = self.stated.get(&cell.id).and_then(|stated| stated.penalty);
        found.ok_or_else(|| Undecidable(format!("cell {} has no penalty that a paper states", cell.id)))
    }

    /// The penalties that papers state.
    pub fn stated_penalties(&self) -> Vec<StatedPenalty> {
        let of = |stated: &Stated| {
            let (id, origin) = (stated.id.get_ref().clone(), stated.origin.clone());
            let repeated_by = stated.repeated_by.as_ref().map(|cell| cell.id.clone());
            Some(StatedPenalty { id, origin, penalty: stated.penalty?, repeated_by })
        };
        self.stated.values().filter_map(of).collect()
    }

    /// Notes why a cell has no runs.
    pub fn lack(&mut self, cell: &str, reason: &str) {
        self.cells.insert(cell.to_owned(), Err(Undecidable(format!("cell {cell} has no figures: {reason}"))));
    }

    /// A cell's runs and figures, whatever their caveats.
    pub fn entry(&self, cell: &str) -> Result<&Entry, Undecidable> {
        match self.cells.get(cell) {
            Some(entry) => entry.as_ref().map_err(Clone::clone),
            None if self.stated.contains_key(cell) => {
                Err(Undecidable(format!("cell {cell} has only the figures that a paper states, and no samples")))
            }
            None => Err(Undecidable(format!("cell {cell} was not measured yet"))),
        }
    }

    /// The runs by cell.
    pub fn into_runs(self) -> BTreeMap<String, Vec<Run>> {
        self.cells.into_iter().filter_map(|(cell, entry)| Some((cell, entry.ok()?.runs))).collect()
    }

    /// The figures that a claim may rest on.
    pub fn figures(&self, cell: &Name) -> Result<&Figures, Undecidable> {
        Ok(&self.sound(&cell.id)?.figures)
    }

    /// The figures of several cells, each with its name.
    pub fn all<'a>(&'a self, cells: &'a [Name]) -> Result<Vec<(&'a str, &'a Figures)>, Undecidable> {
        cells.iter().map(|cell| Ok((cell.id.as_str(), self.figures(cell)?))).collect()
    }

    /// The seeds of the trajectories that these cells have, together.
    pub fn seeds(&self, cells: &[&Name]) -> BTreeSet<u64> {
        cells.iter().filter_map(|cell| self.entry(&cell.id).ok()).flat_map(Entry::seeds).collect()
    }

    /// The evidence of one seed: of each cell under counted time the run of that seed alone.
    pub fn of_seed(&self, seed: u64, cells: &[&Name]) -> Self {
        let named = |id: &String| cells.iter().any(|cell| cell.id == *id);
        let alone = |(id, entry): (&String, &Result<Entry, Undecidable>)| {
            (id.clone(), entry.as_ref().map_err(Clone::clone).and_then(|entry| entry.of_seed(id, seed)))
        };
        let cells = self.cells.iter().filter(|(id, _)| named(id)).map(alone).collect();
        Self { cells, stated: self.stated.clone() }
    }

    /// A cell's entry, unless a run of it has a fatal caveat.
    pub fn sound(&self, cell: &str) -> Result<&Entry, Undecidable> {
        let entry = self.entry(cell)?;
        let fatal = entry.runs.iter().flat_map(|run| &run.caveats).find(|caveat| caveat.severity == Severity::Fatal);
        match fatal {
            Some(caveat) => Err(Undecidable(format!("cell {cell} is not valid ({}: {})", caveat.id, caveat.what))),
            None => Ok(entry),
        }
    }
}

impl Known {
    /// Over the runs of a measured cell.
    fn measured(cell: &str, entry: &Entry, quantity: Quantity, of: Statistic) -> Result<Self, Undecidable> {
        let lacks = || Undecidable(format!("the {} of a run of cell {cell} is unknown", of.of_quantity(quantity)));
        let runs: Vec<Latencies> =
            entry.runs.iter().map(|run| Latencies::of(std::slice::from_ref(run), quantity)).collect();
        let Ends { low_ns: low, high_ns: high } = Ends::of(runs.iter().map(|run| of.of(run))).ok_or_else(lacks)?;
        Ok(Self { low, high, count: runs.iter().map(Latencies::count).min(), runs: runs.len() })
    }

    /// As a paper states it.
    fn stated(cell: &str, stated: &Stated, quantity: Quantity, of: Statistic) -> Result<Self, Undecidable> {
        let value = stated.row(quantity).and_then(|row| row.get(of));
        let lacks = || Undecidable(format!("cell {cell} has no stated {}", of.of_quantity(quantity)));
        let value = value.ok_or_else(lacks)?;
        Ok(Self { low: value, high: value, count: stated.count, runs: 0 })
    }
}
