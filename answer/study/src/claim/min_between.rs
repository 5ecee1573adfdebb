//! "At best it takes": every minimum lies in a range, ends included.

use super::{Judge, Judgement, each_of};
use crate::evidence::Evidence;
use crate::figure::Figures;
use crate::toml_values;
use prazo_core::time::{Duration, Offset};
use prazo_verdict::claim::{Name, Undecidable};
use serde::Deserialize;

/// `min-between = { cells, from, to }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MinBetween {
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    cells: Vec<Name>,
    #[serde(deserialize_with = "toml_values::duration")]
    from: Duration,
    #[serde(deserialize_with = "toml_values::duration")]
    to: Duration,
}

impl Judge for MinBetween {
    fn cells(&self) -> Vec<&Name> {
        self.cells.iter().collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        each_of(self.cells.iter().map(|cell| self.one(&cell.id, evidence.figures(cell)?)))
    }

    fn contradiction(&self) -> Option<&'static str> {
        (self.from > self.to).then_some("`from` is above `to`; exchange them")
    }
}

impl MinBetween {
    fn one(&self, cell: &str, figures: &Figures) -> Result<(bool, String), Undecidable> {
        let none = || Undecidable(format!("{cell} has no sample in the histogram's range"));
        let min = figures.latencies.min_ns().ok_or_else(none)?;
        let range = self.from.as_ns() as i64..=self.to.as_ns() as i64;
        Ok((range.contains(&min), format!("{cell}: minimum {} ({})", Offset::from_ns(min), figures.basis())))
    }
}
