//! "This one does about as well as that one": the area between two curves is small, in utilization on average.

use super::{Evidence, Judge, distance};
use crate::claim::{Finding, Judgement};
use crate::edge::{self, CellName};
use crate::evidence::Undecidable;
use serde::Deserialize;

/// `about = { curve, other, within }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    curve: CellName,
    other: CellName,
    /// How far apart on average, in utilization, to count as about the same.
    #[serde(deserialize_with = "edge::not_negative")]
    within: f64,
}

impl Judge for About {
    fn curves(&self) -> Vec<&CellName> {
        vec![&self.curve, &self.other]
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let distance = distance(&evidence.common(&self.curve, &self.other)?);
        let text = format!("{} over {}: {distance} on average", self.curve.id, self.other.id);
        if distance.low >= -self.within && distance.high <= self.within {
            Ok(Finding { holds: true, evidence: text })
        } else if distance.low > self.within || distance.high < -self.within {
            Ok(Finding { holds: false, evidence: text })
        } else {
            Err(Undecidable(format!("{text}, on both sides of {}", self.within)))
        }
    }
}
