//! "They are the same": two distributions agree at given quantiles, within a share of the larger one.

use super::pairs::Pairs;
use super::quantile_less::decide;
use super::{Judge, Judgement};
use crate::edge;
use crate::evidence::Evidence;
use crate::figure::Spread;
use prazo_verdict::claim::Name;
use serde::Deserialize;

/// `equivalent = { a, b, q, within }`: `within = 0.05` allows a twentieth.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equivalent {
    a: Name,
    b: Name,
    #[serde(deserialize_with = "edge::quantiles")]
    q: Vec<f64>,
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
    fn is_alike(&self, a: &Spread, b: &Spread) -> Option<bool> {
        let allowed = (self.within * a.point.ns.abs().max(b.point.ns.abs()) as f64) as i64;
        let farthest = a.high.saturating_sub(b.low).max(b.high.saturating_sub(a.low));
        let nearest = a.low.saturating_sub(b.high).max(b.low.saturating_sub(a.high));
        if farthest <= allowed {
            Some(true)
        } else if nearest > allowed {
            Some(false)
        } else {
            None
        }
    }
}
