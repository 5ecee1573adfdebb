//! "It can take longer than": every observed maximum lies above a latency.

use super::{Judge, Judgement, each_of};
use crate::evidence::Evidence;
use crate::figure::Figures;
use crate::toml_values;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_verdict::claim::{Name, Undecidable};
use serde::Deserialize;

/// `max-above = { cells, above }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaxAbove {
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    cells: Vec<Name>,
    #[serde(deserialize_with = "toml_values::duration")]
    above: Duration,
}

impl Judge for MaxAbove {
    fn cells(&self) -> Vec<&Name> {
        self.cells.iter().collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        each_of(self.cells.iter().map(|cell| self.one(&cell.id, evidence.figures(cell)?)))
    }
}

impl MaxAbove {
    fn one(&self, cell: &str, figures: &Figures) -> Result<(bool, String), Undecidable> {
        let limit = self.above.as_ns() as i64;
        let max = figures.latencies.max().ok_or_else(|| Undecidable(format!("{cell} has no sample")))?;
        let is_above = max.at_least_ns > limit;
        if !max.is_exact() && !is_above {
            return Err(Undecidable(format!("the maximum of {cell} lies beyond its histogram: {max}")));
        }
        let above = counted(figures.latencies.above(limit), "sample");
        let basis = figures.basis();
        Ok((is_above, format!("{cell}: {above} above {}, maximum {max} ({basis})", self.above)))
    }
}
