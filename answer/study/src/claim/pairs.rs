//! The quantiles of two cells side by side, with the sentence that tells them.

use crate::evidence::Evidence;
use prazo_stats::Estimate;
use prazo_stats::level::Level;
use prazo_verdict::claim::{Name, Undecidable, figures};

/// Quantiles of two cells, and what they rest on.
pub(super) struct Pairs {
    /// The quantile, and what it is in the first and the second cell.
    pub of: Vec<(Level, Estimate, Estimate)>,
    bases: [String; 2],
}

impl Pairs {
    /// The quantiles `q` of both cells; undecidable where one of them is not there or does not support a quantile.
    pub(super) fn at(q: &[Level], cells: [&Name; 2], evidence: &Evidence) -> Result<Self, Undecidable> {
        let [a, b] = cells;
        let (of_a, of_b) = (evidence.figures(a)?, evidence.figures(b)?);
        let first = of_a.quantiles(q).map_err(|why| why.of(&a.id))?;
        let second = of_b.quantiles(q).map_err(|why| why.of(&b.id))?;
        let of = q.iter().zip(first).zip(second).map(|((q, a), b)| (*q, a, b)).collect();
        let bases = [format!("{} ({})", a.id, of_a.basis()), format!("{} ({})", b.id, of_b.basis())];
        Ok(Self { of, bases })
    }

    /// "A (n = 5) against B (n = 7): quantile 0.5: 3us against 4us".
    pub(super) fn told(&self, word: &str) -> String {
        let figures = self.of.iter().map(|(q, a, b)| format!("quantile {q}: {a} {word} {b}"));
        format!("{} {word} {}: {}", self.bases[0], self.bases[1], figures::list(figures))
    }
}
