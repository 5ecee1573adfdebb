//! "Its maximum is so many times the other's", judged only where the counts cannot explain it.
//!
//! A maximum grows with the number of samples. A larger maximum of fewer samples is evidence; a larger maximum of more
//! samples may be nothing but patience.

use super::{ClaimFinding, Judge, Judgement};
use crate::evidence::Evidence;
use crate::figure::Figures;
use prazo_core::time::Offset;
use prazo_verdict::claim::counts::Counts;
use prazo_verdict::claim::{Name, Undecidable};
use serde::Deserialize;

/// `max-ratio = { a, b, at_least }`: the maximum of `a` is at least the given number of times that of `b`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaxRatio {
    a: Name,
    b: Name,
    #[serde(deserialize_with = "prazo_verdict::claim::document::not_negative")]
    at_least: f64,
}

impl Judge for MaxRatio {
    fn cells(&self) -> Vec<&Name> {
        vec![&self.a, &self.b]
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let (a, b) = (evidence.figures(&self.a)?, evidence.figures(&self.b)?);
        let (top_ns, base_ns) = (known_max(&self.a, a)?, known_max(&self.b, b)?);
        let (top, base) = (Offset::from_ns(top_ns), Offset::from_ns(base_ns));
        if base_ns <= 0 {
            let cell = &self.b.id;
            return Err(Undecidable(format!("the maximum of {cell} is {base}, so no ratio to it can be computed")));
        }
        let ratio = top_ns as f64 / base_ns as f64;
        let holds = ratio >= self.at_least;
        self.fair(holds, Counts { of: a.count(), against: b.count() })?;
        let (a_basis, b_basis) = (a.basis(), b.basis());
        let evidence = format!(
            "{}: maximum {top} ({a_basis}); {}: maximum {base} ({b_basis}); ratio {ratio:.1}",
            self.a.id, self.b.id
        );
        Ok(ClaimFinding { holds, evidence })
    }
}

fn known_max(cell: &Name, figures: &Figures) -> Result<i64, Undecidable> {
    figures.latencies.max_ns().ok_or_else(|| {
        Undecidable(format!(
            "the maximum of {} is unknown: it lies beyond the histogram, or the cell has no sample",
            cell.id
        ))
    })
}

impl MaxRatio {
    /// Refuses an answer that the counts alone could have brought about.
    fn fair(&self, holds: bool, counts: Counts) -> Result<(), Undecidable> {
        if if holds { counts.allow_more() } else { counts.allow_less() } {
            return Ok(());
        }
        let times = counts.of as f64 / counts.against as f64;
        Err(Undecidable(format!(
            "{} has {times:.2} times as many samples as {}, which alone can explain the result, so the maxima are not compared",
            self.a.id, self.b.id
        )))
    }
}
