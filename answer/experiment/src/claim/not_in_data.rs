//! "Nobody can tell from these curves": what a paper says and no experiment of ours can decide, with the reason.

use super::{Evidence, Judge};
use prazo_verdict::claim::{Judgement, Name, Undecidable};
use serde::Deserialize;

/// `not-in-data = { why }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotInData {
    why: String,
}

impl Judge for NotInData {
    fn curves(&self) -> Vec<&Name> {
        vec![]
    }

    fn judge(&self, _: &Evidence) -> Judgement {
        Err(Undecidable(self.why.clone()))
    }
}
