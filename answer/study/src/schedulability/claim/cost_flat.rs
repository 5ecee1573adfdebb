//! "It does not depend on the number of threads": the largest amount of a line is hardly more than its smallest.

use super::{Evidence, Judge};
use crate::claim::{Finding, Judgement};
use crate::edge::{self, CellName};
use crate::schedulability::cost::Statistic;
use serde::Deserialize;

/// `cost-flat = { line, within, of }`; `of` is the maximum where it is not said.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostFlat {
    line: CellName,
    /// How many times the smallest the largest may be.
    #[serde(deserialize_with = "edge::not_negative")]
    within: f64,
    #[serde(default)]
    of: Statistic,
}

impl Judge for CostFlat {
    fn lines(&self) -> Vec<&CellName> {
        vec![&self.line]
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let amounts = evidence.amounts(&self.line, self.of)?;
        let largest = amounts.iter().fold(amounts[0], |a, b| if b.1 >= a.1 { *b } else { a });
        let smallest = amounts.iter().fold(amounts[0], |a, b| if b.1 < a.1 { *b } else { a });
        let said = format!(
            "{}, {}: from {:.3} us at {} threads to {:.3} us at {}",
            self.line.id, self.of, smallest.1, smallest.0, largest.1, largest.0
        );
        Ok(Finding { holds: largest.1 <= self.within * smallest.1, evidence: said })
    }
}
