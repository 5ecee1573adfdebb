//! "It lies within": one statistic of one quantity of every cell, against fixed ends.

use super::{Judge, Judgement, each_of};
use crate::evidence::Evidence;
use crate::statistic::Statistic;
use crate::toml_values;
use prazo_core::time::Duration;
use prazo_run::run::Quantity;
use prazo_verdict::claim::{Name, Undecidable};
use serde::Deserialize;

/// `statistic-between = { quantity, statistic, cells, from, to }`, both ends included; either may be left out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatisticBetween {
    quantity: Quantity,
    statistic: Statistic,
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    cells: Vec<Name>,
    #[serde(default, deserialize_with = "toml_values::maybe_duration")]
    from: Option<Duration>,
    #[serde(default, deserialize_with = "toml_values::maybe_duration")]
    to: Option<Duration>,
}

impl Judge for StatisticBetween {
    fn cells(&self) -> Vec<&Name> {
        self.cells.iter().collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        each_of(self.cells.iter().map(|cell| self.one(cell, evidence)))
    }

    fn contradiction(&self) -> Option<&'static str> {
        let is_empty = self.from.zip(self.to).is_some_and(|(from, to)| from > to);
        (is_empty || (self.from.is_none() && self.to.is_none()))
            .then_some("give `from`, `to` or both; `from` must not exceed `to`")
    }

    fn takes_all_runs(&self) -> bool {
        true
    }
}

impl StatisticBetween {
    /// Whether all runs of a cell lie inside; undecidable where only some do.
    fn one(&self, cell: &Name, evidence: &Evidence) -> Result<(bool, String), Undecidable> {
        let known = evidence.known(cell, self.quantity, self.statistic)?;
        let from = self.from.map_or(f64::MIN, |from| from.as_ns() as f64);
        let to = self.to.map_or(f64::MAX, |to| to.as_ns() as f64);
        let text = format!("{}: {} {known}", cell.id, self.statistic.of_quantity(self.quantity));
        match () {
            () if known.low >= from && known.high <= to => Ok((true, text)),
            () if known.high < from || known.low > to => Ok((false, text)),
            () => Err(Undecidable(format!("the runs' values lie on both sides of a limit: {text}"))),
        }
    }
}
