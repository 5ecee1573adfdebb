//! "It never takes longer than": every observed maximum lies below a latency. Observed, so it says nothing of the unobserved.

use super::{Judge, Judgement, each_of};
use crate::evidence::Evidence;
use crate::figure::Figures;
use crate::toml_values;
use prazo_core::time::Duration;
use prazo_verdict::claim::{Name, Undecidable};
use serde::Deserialize;

/// `max-below = { cells, below }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaxBelow {
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    cells: Vec<Name>,
    #[serde(deserialize_with = "toml_values::duration")]
    below: Duration,
}

impl Judge for MaxBelow {
    fn cells(&self) -> Vec<&Name> {
        self.cells.iter().collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        each_of(self.cells.iter().map(|cell| self.one(&cell.id, evidence.figures(cell)?)))
    }
}

impl MaxBelow {
    fn one(&self, cell: &str, figures: &Figures) -> Result<(bool, String), Undecidable> {
        let max = figures.latencies.max().ok_or_else(|| Undecidable(format!("{cell} has no sample")))?;
        let is_below = max.at_least_ns < self.below.as_ns() as i64;
        if is_below && !max.is_exact() {
            return Err(Undecidable(format!("the maximum of {cell} lies beyond its histogram: {max}")));
        }
        Ok((is_below, format!("{cell}: observed maximum {max} ({})", figures.basis())))
    }
}
