//! "All but a few take less than": a quantile of every cell lies below a latency, per served wake-up.

use super::{Judge, Judgement, each_of};
use crate::evidence::Evidence;
use crate::figure::Figures;
use crate::toml_values;
use prazo_core::time::Duration;
use prazo_stats::level::Level;
use prazo_verdict::claim::{Name, Undecidable};
use serde::Deserialize;

/// `quantile-below = { cells, q, below }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuantileBelow {
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    cells: Vec<Name>,
    #[serde(deserialize_with = "toml_values::quantile")]
    q: Level,
    #[serde(deserialize_with = "toml_values::duration")]
    below: Duration,
}

impl Judge for QuantileBelow {
    fn cells(&self) -> Vec<&Name> {
        self.cells.iter().collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        each_of(self.cells.iter().map(|cell| self.one(&cell.id, evidence.figures(cell)?)))
    }
}

impl QuantileBelow {
    fn one(&self, cell: &str, figures: &Figures) -> Result<(bool, String), Undecidable> {
        let limit = self.below.as_ns() as i64;
        let found = figures.quantile(self.q).map_err(|why| why.of(cell))?;
        let (low, high) = found.ends_ns();
        let text = format!("{cell}: quantile {} is {found} ({})", self.q, figures.basis());
        if high < limit {
            Ok((true, text))
        } else if low >= limit {
            Ok((false, text))
        } else {
            Err(Undecidable(format!("{text}; the confidence interval contains the claim's limit {}", self.below)))
        }
    }
}
