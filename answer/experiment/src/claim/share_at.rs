//! "At this utilization so many are accepted": the share's interval lies inside a range, or outside it.

use super::{Evidence, Judge};
use crate::decimal::{Decimal, text};
use prazo_verdict::claim::{ClaimFinding, Judgement, Name, Undecidable};
use serde::Deserialize;

/// `share-at = { curve, utilization, at_least, at_most }`; an end that is not named is 0 or 1.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShareAt {
    curve: Name,
    utilization: Decimal,
    #[serde(default)]
    at_least: f64,
    #[serde(default = "one")]
    at_most: f64,
}

fn one() -> f64 {
    1.0
}

impl Judge for ShareAt {
    fn curves(&self) -> Vec<&Name> {
        vec![&self.curve]
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let Decimal(at) = self.utilization;
        let point = evidence.curve(&self.curve)?.iter().find(|point| point.utilization == at);
        let absent = || Undecidable(format!("{} has no point at utilization {}", self.curve.id, text(at)));
        let point = point.ok_or_else(absent)?;
        let share = point.between(1);
        let said = format!(
            "{} at utilization {}: {} accepted, a share of {:.4} to {:.4} (95 % CI)",
            self.curve.id,
            point.name,
            point.counts(),
            share.low,
            share.high
        );
        if share.low >= self.at_least && share.high <= self.at_most {
            Ok(ClaimFinding { holds: true, evidence: said })
        } else if share.high < self.at_least || share.low > self.at_most {
            Ok(ClaimFinding { holds: false, evidence: said })
        } else {
            Err(Undecidable(format!(
                "{said}; the confidence interval is only partly within {} to {}",
                self.at_least, self.at_most
            )))
        }
    }
}
