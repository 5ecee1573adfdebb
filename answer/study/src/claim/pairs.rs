//! The quantiles of two cells side by side, with the sentence that tells them.

use crate::evidence::Evidence;
use crate::figure::Spread;
use prazo_verdict::claim::Name;
use prazo_verdict::claim::Undecidable;
use prazo_verdict::claim::figures;

/// Quantiles of two cells, and what they rest on.
pub(super) struct Pairs {
    /// The quantile, and its spread in the first and the second cell.
    pub of: Vec<(f64, Spread, Spread)>,
    bases: [String; 2],
}

impl Pairs {
    /// The quantiles `q` of both cells; undecidable where one of them is not there or does not support a quantile.
    pub(super) fn at(q: &[f64], cells: [&Name; 2], evidence: &Evidence) -> Result<Self, Undecidable> {
        let [a, b] = cells;
        let (of_a, of_b) = (evidence.figures(a)?, evidence.figures(b)?);
        let pair = |q: &f64| Ok((*q, of_a.quantile(*q)?, of_b.quantile(*q)?));
        let of: Result<_, String> = q.iter().map(pair).collect();
        let bases = [format!("{} ({})", a.id, of_a.basis()), format!("{} ({})", b.id, of_b.basis())];
        Ok(Self { of: of.map_err(Undecidable)?, bases })
    }

    /// "A (n = 5) against B (n = 7): quantile 0.5: 3us against 4us".
    pub(super) fn told(&self, word: &str) -> String {
        let figures = self.of.iter().map(|(q, a, b)| format!("quantile {q}: {a} {word} {b}"));
        format!("{} {word} {}: {}", self.bases[0], self.bases[1], figures::list(figures))
    }
}
