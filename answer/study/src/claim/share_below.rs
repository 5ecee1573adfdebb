//! "So many of all activations": at least a share of the samples lies at or below a latency, overflow counted as above.

use super::{Judge, Judgement, each_of};
use crate::evidence::Evidence;
use crate::figure::Figures;
use crate::toml_values;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_verdict::claim::{Name, figures};
use serde::Deserialize;

/// `share-below = { cells, below, at_least }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShareBelow {
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    cells: Vec<Name>,
    #[serde(deserialize_with = "toml_values::duration")]
    below: Duration,
    #[serde(deserialize_with = "toml_values::share")]
    at_least: f64,
}

impl Judge for ShareBelow {
    fn cells(&self) -> Vec<&Name> {
        self.cells.iter().collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        each_of(self.cells.iter().map(|cell| Ok(self.one(&cell.id, evidence.figures(cell)?))))
    }
}

impl ShareBelow {
    fn one(&self, cell: &str, figures: &Figures) -> (bool, String) {
        let above = figures.latencies.above(self.below.as_ns() as i64);
        let allowed = (1.0 - self.at_least) * figures.count() as f64;
        let share = figures::share(above, figures.count());
        (
            above as f64 <= allowed,
            format!("{cell}: {} above {}, {share} ({})", counted(above, "sample"), self.below, figures.basis()),
        )
    }
}
