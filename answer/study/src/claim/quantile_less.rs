//! "It is better at": one quantile is less than another, per served wake-up, and their intervals do not overlap.

use super::pairs::Pairs;
use super::{ClaimFinding, Judge, Judgement};
use crate::evidence::Evidence;
use crate::toml_values;
use prazo_core::time::Duration;
use prazo_stats::Estimate;
use prazo_stats::level::Level;
use prazo_verdict::claim::{Name, Undecidable};
use serde::Deserialize;

/// `quantile-less = { a, b, q, by }`: at each quantile, that of `a` is less than that of `b` by at least `by` (1 ns).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuantileLess {
    a: Name,
    b: Name,
    #[serde(deserialize_with = "toml_values::quantiles")]
    q: Vec<Level>,
    #[serde(default = "nanosecond", deserialize_with = "toml_values::duration")]
    by: Duration,
}

impl Judge for QuantileLess {
    fn cells(&self) -> Vec<&Name> {
        vec![&self.a, &self.b]
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let pairs = Pairs::at(&self.q, [&self.a, &self.b], evidence)?;
        decide(pairs.of.iter().map(|(_, a, b)| self.is_less(a, b)), pairs.told("against"))
    }
}

impl QuantileLess {
    /// `None` where the two intervals overlap.
    fn is_less(&self, a: &Estimate, b: &Estimate) -> Option<bool> {
        let by = self.by.as_ns() as i64;
        let ((a_low, a_high), (b_low, b_high)) = (a.ends_ns(), b.ends_ns());
        if a_high.saturating_add(by) <= b_low {
            Some(true)
        } else if a_low.saturating_add(by) > b_high {
            Some(false)
        } else {
            None
        }
    }
}

/// One clear no is a no; otherwise one open answer leaves it open.
pub(super) fn decide(answers: impl Iterator<Item = Option<bool>>, evidence: String) -> Judgement {
    let answers: Vec<Option<bool>> = answers.collect();
    if answers.contains(&Some(false)) {
        return Ok(ClaimFinding { holds: false, evidence });
    }
    if answers.contains(&None) {
        return Err(Undecidable(format!("the confidence intervals are too wide to decide the claim: {evidence}")));
    }
    Ok(ClaimFinding { holds: true, evidence })
}

fn nanosecond() -> Duration {
    Duration::from_ns(1)
}
