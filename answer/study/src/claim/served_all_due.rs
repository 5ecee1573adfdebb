//! "It never skipped": every activation that was due was served, overflow included.

use super::{Judge, Judgement, each_of};
use crate::evidence::Evidence;
use crate::figure::Figures;
use prazo_core::text::grouped;
use prazo_verdict::claim::{Name, Undecidable};
use serde::Deserialize;

/// `served-all-due = { cells }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServedAllDue {
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    cells: Vec<Name>,
}

impl Judge for ServedAllDue {
    fn cells(&self) -> Vec<&Name> {
        self.cells.iter().collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        each_of(self.cells.iter().map(|cell| {
            let (served, due) = served_of_due(&cell.id, evidence.figures(cell)?, None)?;
            Ok((served == due, sentence(&cell.id, served, due)))
        }))
    }
}

/// Served and due activations, `due` being the claim's own count; undecidable where nobody says how many were due.
pub(super) fn served_of_due(cell: &str, figures: &Figures, due: Option<u64>) -> Result<(u64, u64), Undecidable> {
    let due = due
        .or(figures.due)
        .ok_or_else(|| Undecidable(format!("the source does not state how many activations of {cell} were due")))?;
    Ok((figures.served, due))
}

/// "X served of Y due".
pub(super) fn sentence(cell: &str, served: u64, due: u64) -> String {
    let missing = match due.checked_sub(served) {
        Some(0) => String::new(),
        Some(fewer) => format!(", {} fewer", grouped(fewer)),
        None => ", more than were due".into(),
    };
    format!("{cell}: {} activations served of {} due{missing}", grouped(served), grouped(due))
}
