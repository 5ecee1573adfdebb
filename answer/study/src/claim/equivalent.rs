//! "They are the same": two distributions agree at given quantiles, within a share of the larger one.

use super::pairs::Pairs;
use super::quantile_less::decide;
use super::{Judge, Judgement};
use crate::evidence::Evidence;
use crate::toml_values;
use prazo_stats::Estimate;
use prazo_stats::level::Level;
use prazo_verdict::claim::Name;
use serde::Deserialize;

/// `equivalent = { a, b, q, within }`: `within = 0.05` allows a twentieth.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equivalent {
    a: Name,
    b: Name,
    #[serde(deserialize_with = "toml_values::quantiles")]
    q: Vec<Level>,
    #[serde(deserialize_with = "prazo_verdict::claim::document::not_negative")]
    within: f64,
}

impl Judge for Equivalent {
    fn cells(&self) -> Vec<&Name> {
        vec![&self.a, &self.b]
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let pairs = Pairs::at(&self.q, [&self.a, &self.b], evidence)?;
        decide(pairs.of.iter().map(|(_, a, b)| self.is_alike(a, b)), pairs.told("and"))
    }
}

impl Equivalent {
    /// Alike where even the farthest ends are near; apart where even the nearest ends are far.
    fn is_alike(&self, a: &Estimate, b: &Estimate) -> Option<bool> {
        let allowed = (self.within * a.value.at_least_ns.abs().max(b.value.at_least_ns.abs()) as f64) as i64;
        let ((a_low, a_high), (b_low, b_high)) = (a.ends_ns(), b.ends_ns());
        let farthest = a_high.saturating_sub(b_low).max(b_high.saturating_sub(a_low));
        let nearest = a_low.saturating_sub(b_high).max(b_low.saturating_sub(a_high));
        if farthest <= allowed {
            Some(true)
        } else if nearest > allowed {
            Some(false)
        } else {
            None
        }
    }
}
