//! "This one does about as well as that one": the area between two curves is small, in utilization on average.

use super::{Evidence, Judge, distance};
use prazo_verdict::claim::{ClaimFinding, Judgement, Name, Undecidable, document};
use serde::Deserialize;

/// `about = { curve, other, within }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    curve: Name,
    other: Name,
    /// How far apart on average, in utilization, to count as about the same.
    #[serde(deserialize_with = "document::not_negative")]
    within: f64,
}

impl Judge for About {
    fn curves(&self) -> Vec<&Name> {
        vec![&self.curve, &self.other]
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let distance = distance(&evidence.common(&self.curve, &self.other)?);
        let text =
            format!("curve {} minus curve {}: {distance} in utilization on average", self.curve.id, self.other.id);
        if distance.low >= -self.within && distance.high <= self.within {
            Ok(ClaimFinding { holds: true, evidence: text })
        } else if distance.low > self.within || distance.high < -self.within {
            Ok(ClaimFinding { holds: false, evidence: text })
        } else {
            Err(Undecidable(format!("{text}; the confidence interval is only partly within ±{}", self.within)))
        }
    }
}
