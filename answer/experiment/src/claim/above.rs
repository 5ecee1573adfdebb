//! "These schedulers accept more than those": every upper curve lies above every lower one, and nowhere below it.
//!
//! Held where the area between the two is surely more than `by` (utilization, on average) and the lower one is surely above at
//! no point. Curves that coincide are therefore an answer: not held.

use super::{Evidence, Judge, Point, distance};
use prazo_verdict::claim::{ClaimFinding, Judgement, Name, Undecidable, document};
use serde::Deserialize;

/// `above = { upper, lower, by }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Above {
    #[serde(deserialize_with = "document::names")]
    upper: Vec<Name>,
    #[serde(deserialize_with = "document::names")]
    lower: Vec<Name>,
    /// How far apart on average, in utilization, to count as above.
    #[serde(deserialize_with = "document::not_negative")]
    by: f64,
}

impl Judge for Above {
    fn curves(&self) -> Vec<&Name> {
        self.upper.iter().chain(&self.lower).collect()
    }

    /// One pair that fails decides; else one that is open keeps all open.
    fn judge(&self, evidence: &Evidence) -> Judgement {
        let pairs = self.upper.iter().flat_map(|upper| self.lower.iter().map(move |lower| (upper, lower)));
        let judged: Vec<Judgement> = pairs.map(|(upper, lower)| self.pair(upper, lower, evidence)).collect();
        if judged.iter().any(|one| matches!(one, Ok(finding) if !finding.holds)) {
            let failed = judged.into_iter().flatten().filter(|finding| !finding.holds);
            return Ok(ClaimFinding {
                holds: false,
                evidence: prazo_verdict::claim::figures::list(failed.map(|finding| finding.evidence)),
            });
        }
        let held: Vec<ClaimFinding> = judged.into_iter().collect::<Result<_, _>>()?;
        Ok(ClaimFinding {
            holds: true,
            evidence: prazo_verdict::claim::figures::list(held.into_iter().map(|finding| finding.evidence)),
        })
    }
}

impl Above {
    fn pair(&self, upper: &Name, lower: &Name, evidence: &Evidence) -> Judgement {
        let pairs = evidence.common(upper, lower)?;
        let distance = distance(&pairs);
        let text = format!("curve {} minus curve {}: {distance} in utilization on average", upper.id, lower.id);
        if let Some((a, b)) = pairs.iter().find(|(a, b)| is_surely_below(a, b, pairs.len())) {
            let crossing = format!(
                "but at utilization {}, {} accepts {} task sets and {} accepts {}",
                a.name,
                upper.id,
                a.counts(),
                lower.id,
                b.counts()
            );
            return Ok(ClaimFinding { holds: false, evidence: format!("{text}, {crossing}") });
        }
        if distance.low > self.by {
            Ok(ClaimFinding { holds: true, evidence: text })
        } else if distance.high <= self.by {
            Ok(ClaimFinding { holds: false, evidence: format!("{text}; the claim needs more than {}", self.by) })
        } else {
            Err(Undecidable(format!("{text}; the confidence interval contains the claim's limit {}", self.by)))
        }
    }
}

fn is_surely_below(a: &Point, b: &Point, points: usize) -> bool {
    a.between(2 * points).high < b.between(2 * points).low
}
