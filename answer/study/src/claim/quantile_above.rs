//! "A few take longer than": a quantile of every cell lies above a latency, per served wake-up.

use super::{Judge, Judgement, each_of};
use crate::evidence::Evidence;
use crate::figure::Figures;
use crate::toml_values;
use prazo_core::time::Duration;
use prazo_stats::level::Level;
use prazo_verdict::claim::{Name, Undecidable};
use serde::Deserialize;

/// `quantile-above = { cells, q, above }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuantileAbove {
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    cells: Vec<Name>,
    #[serde(deserialize_with = "toml_values::quantile")]
    q: Level,
    #[serde(deserialize_with = "toml_values::duration")]
    above: Duration,
}

impl Judge for QuantileAbove {
    fn cells(&self) -> Vec<&Name> {
        self.cells.iter().collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        each_of(self.cells.iter().map(|cell| self.one(&cell.id, evidence.figures(cell)?)))
    }
}

impl QuantileAbove {
    fn one(&self, cell: &str, figures: &Figures) -> Result<(bool, String), Undecidable> {
        let limit = self.above.as_ns() as i64;
        let found = figures.quantile(self.q).map_err(|why| why.of(cell))?;
        let (low, high) = found.ends_ns();
        let text = format!("{cell}: quantile {} is {found} ({})", self.q, figures.basis());
        if low > limit {
            Ok((true, text))
        } else if high <= limit {
            Ok((false, text))
        } else {
            Err(Undecidable(format!("{text}; the confidence interval contains the claim's limit {}", self.above)))
        }
    }
}
