//! What the jobs of a study brought, cell by cell, until it becomes evidence.

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::result::{CellResult, CellState};
use prazo_run::Run;
use std::collections::BTreeMap;

/// What became of one job.
pub(crate) struct Done {
    /// How the cell came to it.
    pub state: CellState,
    /// The run, or why there is none.
    pub run: Result<Run, String>,
}

/// What the jobs brought, by cell.
#[derive(Default)]
pub(crate) struct Gathered {
    cells: BTreeMap<String, CellGathered>,
}

/// What the jobs of one cell brought.
#[derive(Default)]
struct CellGathered {
    runs: Vec<Run>,
    files: Vec<String>,
    state: Option<CellState>,
    reason: Option<String>,
}

impl Gathered {
    /// Files one job under its cell.
    pub(crate) fn add(&mut self, cell: &str, file: &str, done: Done) {
        let gathered = self.cells.entry(cell.to_owned()).or_default();
        match done.run {
            Ok(run) => {
                gathered.runs.push(run);
                gathered.files.push(file.to_owned());
                // One run that was measured now makes the cell one that was measured now.
                match gathered.state {
                    Some(CellState::Reused) | None => gathered.state = Some(done.state),
                    Some(_) => {}
                }
            }
            Err(reason) => {
                gathered.state = Some(if done.state == CellState::Imported { CellState::Failed } else { done.state });
                gathered.reason = Some(reason);
            }
        }
    }

    /// The cell's row, with its evidence filed. A cell that lacks one of its repeats is not decided on the others.
    pub(crate) fn cell(&mut self, cell: &Cell, evidence: &mut Evidence) -> CellResult {
        let CellGathered { runs, files, state, reason } = self.cells.remove(&cell.id).unwrap_or_default();
        let interrupted = reason.is_none() && runs.len() < cell.repeats();
        let state = if interrupted { CellState::Missing } else { state.unwrap_or(CellState::Missing) };
        let why = "the study was interrupted before this cell was complete";
        let lacks = if interrupted { Some(why.to_owned()) } else { reason };
        match &lacks {
            Some(reason) => evidence.lack(&cell.id, reason),
            None => evidence.add(cell, runs),
        }
        CellResult::of(cell, state, lacks, files, evidence)
    }
}
