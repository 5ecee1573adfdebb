//! "It costs so much more": the quantile of one cell exceeds that of another by an amount in a range, ends included.

use super::quantile_less::decide;
use super::{Judge, Judgement};
use crate::evidence::Evidence;
use crate::toml_values;
use prazo_core::time::{Duration, Offset};
use prazo_stats::Estimate;
use prazo_stats::level::Level;
use prazo_verdict::claim::Name;
use serde::Deserialize;

/// `quantile-difference = { a, b, q, from, to }`: the quantile of `a` minus that of `b`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuantileDifference {
    a: Name,
    b: Name,
    #[serde(deserialize_with = "toml_values::quantile")]
    q: Level,
    #[serde(deserialize_with = "toml_values::duration")]
    from: Duration,
    #[serde(deserialize_with = "toml_values::duration")]
    to: Duration,
}

impl Judge for QuantileDifference {
    fn cells(&self) -> Vec<&Name> {
        vec![&self.a, &self.b]
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let (a, b) = (evidence.figures(&self.a)?, evidence.figures(&self.b)?);
        let top = a.quantile(self.q).map_err(|why| why.of(&self.a.id))?;
        let base = b.quantile(self.q).map_err(|why| why.of(&self.b.id))?;
        let difference = Offset::from_ns(top.value.at_least_ns - base.value.at_least_ns);
        let basis = (a.basis(), b.basis());
        let text = format!(
            "quantile {} of {}: {top} ({}), of {}: {base} ({}), difference {difference}",
            self.q, self.a.id, basis.0, self.b.id, basis.1
        );
        decide([self.is_inside(&top, &base)].into_iter(), text)
    }

    fn contradiction(&self) -> Option<&'static str> {
        (self.from > self.to).then_some("`from` is above `to`; exchange them")
    }
}

impl QuantileDifference {
    /// `None` where the difference's interval lies partly in the range.
    fn is_inside(&self, a: &Estimate, b: &Estimate) -> Option<bool> {
        let (from, to) = (self.from.as_ns() as i64, self.to.as_ns() as i64);
        let ((a_low, a_high), (b_low, b_high)) = (a.ends_ns(), b.ends_ns());
        let (least, most) = (a_low.saturating_sub(b_high), a_high.saturating_sub(b_low));
        if least >= from && most <= to {
            Some(true)
        } else if most < from || least > to {
            Some(false)
        } else {
            None
        }
    }
}
