//! "Nobody can tell from these files": a question that the study keeps open, with the reason.

use super::{Judge, Judgement};
use crate::evidence::Evidence;
use prazo_verdict::claim::{Name, Undecidable};
use serde::Deserialize;

/// `not-in-data = { cells, why }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotInData {
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    cells: Vec<Name>,
    why: String,
}

impl Judge for NotInData {
    fn cells(&self) -> Vec<&Name> {
        self.cells.iter().collect()
    }

    fn judge(&self, _: &Evidence) -> Judgement {
        Err(Undecidable(self.why.clone()))
    }

    fn takes_all_runs(&self) -> bool {
        true
    }
}
