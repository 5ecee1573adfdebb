//! "It is better everywhere": the share of samples above any latency is nowhere larger than others'.
//!
//! One odd sample must not overturn two hours, so a place counts against the claim only where at least [`VALUES_ABOVE_MIN`]
//! samples lie above it and their share exceeds the other's by more than `within`.

use super::{ClaimFinding, Judge, Judgement};
use crate::evidence::Evidence;
use crate::figure::Figures;
use prazo_core::text::grouped;
use prazo_core::time::Offset;
use prazo_run::Histogram;
use prazo_stats::level::VALUES_ABOVE_MIN;
use prazo_verdict::claim::Name;
use serde::Deserialize;
use std::collections::BTreeSet;

/// `dominates = { a, b, within }`: `a` is nowhere worse than each of `b`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dominates {
    a: Name,
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    b: Vec<Name>,
    #[serde(default = "a_tenth", deserialize_with = "prazo_verdict::claim::document::not_negative")]
    within: f64,
}

/// The latency at which the claim fails most, with the samples above it on either side.
struct Worst {
    at_ns: i64,
    own: u64,
    other: u64,
    /// Lowest latency from which on it fails somewhere.
    first_ns: i64,
}

impl Judge for Dominates {
    fn cells(&self) -> Vec<&Name> {
        std::iter::once(&self.a).chain(&self.b).collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let own = evidence.figures(&self.a)?;
        let parts = evidence.all(&self.b)?.into_iter().map(|(cell, other)| self.one(own, cell, other));
        let found = super::each(parts.collect());
        Ok(ClaimFinding { evidence: format!("{} ({}) {}", self.a.id, own.basis(), found.evidence), ..found })
    }
}

impl Dominates {
    fn one(&self, own: &Figures, cell: &str, other: &Figures) -> (bool, String) {
        match self.worst(own, other) {
            None => (
                true,
                format!("is not worse than {cell} ({}) at any latency by more than the claim allows", other.basis()),
            ),
            Some(worst) => (
                false,
                format!(
                    "is worse than {cell} ({}), first at {}; largest difference: {}",
                    other.basis(),
                    Offset::from_ns(worst.first_ns),
                    worst.text(own, other)
                ),
            ),
        }
    }

    fn worst(&self, own: &Figures, other: &Figures) -> Option<Worst> {
        let mut found: Option<(f64, Worst)> = None;
        for (at_ns, own_above, other_above) in exceedances(&own.histogram, &other.histogram) {
            let excess = own_above as f64 / own.count() as f64 / (other_above as f64 / other.count() as f64) - 1.0;
            if own_above < VALUES_ABOVE_MIN || excess <= self.within {
                continue;
            }
            let first_ns = found.as_ref().map_or(at_ns, |(_, worst)| worst.first_ns);
            if found.as_ref().is_none_or(|(most, _)| excess > *most) {
                found = Some((excess, Worst { at_ns, own: own_above, other: other_above, first_ns }));
            }
        }
        found.map(|(_, worst)| worst)
    }
}

impl Worst {
    fn text(&self, own: &Figures, other: &Figures) -> String {
        let side = |above: u64, figures: &Figures| format!("{} of {}", grouped(above), grouped(figures.count()));
        let (own, other) = (side(self.own, own), side(self.other, other));
        format!("{own} against {other} samples lie above {}", Offset::from_ns(self.at_ns))
    }
}

/// Every latency at which either curve steps, with the samples above it on both sides, ascending.
fn exceedances(a: &Histogram, b: &Histogram) -> Vec<(i64, u64, u64)> {
    let steps: BTreeSet<i64> = a.cells().chain(b.cells()).map(|(value, _)| value).collect();
    let (mut a_left, mut b_left) = (a.total(), b.total());
    let (mut a_cells, mut b_cells) = (a.cells().peekable(), b.cells().peekable());
    let mut out = Vec::with_capacity(steps.len());
    for at in steps {
        a_left -= a_cells.next_if(|(value, _)| *value == at).map_or(0, |(_, count)| count);
        b_left -= b_cells.next_if(|(value, _)| *value == at).map_or(0, |(_, count)| count);
        out.push((at, a_left, b_left));
    }
    out
}

fn a_tenth() -> f64 {
    0.1
}
