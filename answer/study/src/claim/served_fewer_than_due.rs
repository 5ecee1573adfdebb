//! "It left some out": fewer activations were served than were due, so that its percentiles miss the latest ones.

use super::served_all_due::{sentence, served_of_due};
use super::{Judge, Judgement, each_of};
use crate::evidence::Evidence;
use prazo_verdict::claim::Name;
use serde::Deserialize;

/// `served-fewer-than-due = { cells, due }`; `due` says how many a grid would have had, where a relative sleep has none.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServedFewerThanDue {
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    cells: Vec<Name>,
    due: Option<u64>,
}

impl Judge for ServedFewerThanDue {
    fn cells(&self) -> Vec<&Name> {
        self.cells.iter().collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        each_of(self.cells.iter().map(|cell| {
            let (served, due) = served_of_due(&cell.id, evidence.figures(cell)?, self.due)?;
            Ok((served < due, sentence(&cell.id, served, due)))
        }))
    }
}
