//! "It is no worse than": a quantile of one cell is at most those of others, with a margin for what does not matter.

use super::quantile_less::decide;
use super::{Judge, Judgement};
use crate::evidence::Evidence;
use crate::toml_values;
use prazo_stats::Estimate;
use prazo_stats::level::Level;
use prazo_verdict::claim::Name;
use serde::Deserialize;

/// `not-worse = { a, b, q, within }`: the quantile of `a` is at most `1 + within` times that of each of `b`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotWorse {
    a: Name,
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    b: Vec<Name>,
    #[serde(deserialize_with = "toml_values::quantile")]
    q: Level,
    #[serde(deserialize_with = "prazo_verdict::claim::document::not_negative")]
    within: f64,
}

impl Judge for NotWorse {
    fn cells(&self) -> Vec<&Name> {
        std::iter::once(&self.a).chain(&self.b).collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let a = evidence.figures(&self.a)?;
        let own = a.quantile(self.q).map_err(|why| why.of(&self.a.id))?;
        let mut text = format!("quantile {} of {}: {own} ({})", self.q, self.a.id, a.basis());
        let mut answers = Vec::new();
        for (cell, figures) in evidence.all(&self.b)? {
            let other = figures.quantile(self.q).map_err(|why| why.of(cell))?;
            text.push_str(&format!("; of {cell}: {other} ({})", figures.basis()));
            answers.push(self.is_not_worse(&own, &other));
        }
        decide(answers.into_iter(), text)
    }
}

impl NotWorse {
    /// `None` where the intervals leave it open.
    fn is_not_worse(&self, own: &Estimate, other: &Estimate) -> Option<bool> {
        let allowed = |ns: i64| ns.saturating_add((self.within * ns.unsigned_abs() as f64) as i64);
        let ((low, high), (other_low, other_high)) = (own.ends_ns(), other.ends_ns());
        if high <= allowed(other_low) {
            Some(true)
        } else if low > allowed(other_high) {
            Some(false)
        } else {
            None
        }
    }
}
