//! Exceedance curves against each other: who is evidently worse, and where they cross.
//!
//! At a latency x, a side is evidently worse if a larger share of its samples lies above x than of the other's above x plus
//! the resolution, if at least [`EVIDENCE_MIN`] samples show it, and if the difference is large beside its error with
//! dependent samples counted as one. So a single slow sample, or one stall, flips nothing.

use super::Dominance;
use super::side::Side;
use crate::distribution::{Distribution, Vague, gather};
use crate::level::VALUES_ABOVE_MIN;
use crate::misses::DEPENDENCE_MIN;
use prazo_core::text::counted;
use std::cmp::Ordering;

/// Samples above a latency that it takes to call a side worse there.
const EVIDENCE_MIN: u64 = VALUES_ABOVE_MIN;
/// Standard errors that it takes.
const ERRORS_MIN: f64 = 3.0;

/// What the curves say.
pub(super) struct Curves {
    pub dominance: Dominance,
    pub crossings_ns: Vec<i64>,
    /// What the values known by count alone do to it, where there are any.
    pub remark: Option<String>,
}

/// Which side a latency speaks against.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Worse {
    Reference,
    Other,
}

/// Compares the curves of two distributions of `reference` and `other`.
pub(super) fn compare(reference: &Side<'_>, other: &Side<'_>, a: &Distribution, b: &Distribution) -> Curves {
    let pair = Pair {
        a: Curve::new(a),
        b: Curve::new(b),
        tolerance_ns: reference.resolution_ns().max(other.resolution_ns()) - 1,
        dependence: reference.dependence().zip(other.dependence()).map_or(DEPENDENCE_MIN, |(a, b)| a.max(b)),
    };
    let (seen, crossings_ns) = pair.walk();
    Curves { dominance: dominance(seen), crossings_ns, remark: remark(a.vague_count() + b.vague_count()) }
}

fn dominance(seen: [bool; 2]) -> Dominance {
    match seen {
        [false, false] => Dominance::Equal,
        [false, true] => Dominance::ReferenceBetter,
        [true, false] => Dominance::OtherBetter,
        [true, true] => Dominance::Neither,
    }
}

fn remark(vague: u64) -> Option<String> {
    (vague > 0).then(|| {
        format!(
            "{} without an exact value; a difference between the exceedance curves counts only where it holds for \
             every possible value of these samples",
            counted(vague, "sample")
        )
    })
}

/// How many samples lie above a latency.
struct Steps {
    cells: Vec<(i64, u64)>,
    /// Samples from a cell on.
    from: Vec<u64>,
}

impl Steps {
    fn new(cells: Vec<(i64, u64)>) -> Self {
        let cells = gather(cells);
        let mut sum = 0;
        let mut from = vec![0];
        for (_, count) in cells.iter().rev() {
            sum += count;
            from.push(sum);
        }
        from.reverse();
        Self { cells, from }
    }

    fn above(&self, x: i64) -> u64 {
        self.from[self.cells.partition_point(|(value, _)| *value <= x)]
    }
}

/// One exceedance curve, with its bracketed values once at their lower and once at their upper end.
struct Curve {
    certain: Steps,
    possible: Steps,
    total: u64,
}

impl Curve {
    fn new(distribution: &Distribution) -> Self {
        let with = |end: fn(&Vague) -> i64| {
            let vague = distribution.vague().iter().map(|part| (end(part), part.count));
            Steps::new(distribution.exact().iter().copied().chain(vague).collect())
        };
        Self {
            certain: with(|part| part.at_least_ns),
            possible: with(|part| part.at_most_ns.unwrap_or(i64::MAX)),
            total: distribution.count(),
        }
    }

    fn share(&self, above: u64) -> f64 {
        above as f64 / self.total.max(1) as f64
    }
}

struct Pair {
    a: Curve,
    b: Curve,
    tolerance_ns: i64,
    dependence: f64,
}

impl Pair {
    /// Which sides are evidently worse somewhere, and where the evidence changes sides.
    fn walk(&self) -> ([bool; 2], Vec<i64>) {
        let (mut seen, mut crossings_ns) = ([false; 2], Vec::new());
        let (mut last, mut lean): (Option<Worse>, Option<(Worse, i64)>) = (None, None);
        for x in self.thresholds() {
            lean = self.leaning(x).map(|side| lean.filter(|(held, _)| *held == side).unwrap_or((side, x)));
            let Some(worse) = self.evidently_worse(x) else { continue };
            seen[worse as usize] = true;
            if last.is_some_and(|last| last != worse) {
                // The curves crossed where the lean that is evident by now began.
                crossings_ns.push(lean.filter(|(side, _)| *side == worse).map_or(x, |(_, began)| began));
            }
            last = Some(worse);
        }
        (seen, crossings_ns)
    }

    /// The latencies at which either curve falls, ascending.
    fn thresholds(&self) -> Vec<i64> {
        let mut all: Vec<i64> =
            self.a.certain.cells.iter().chain(&self.b.certain.cells).map(|(value, _)| *value).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Which curve lies higher at x, evident or not.
    fn leaning(&self, x: i64) -> Option<Worse> {
        let share = |curve: &Curve| curve.share(curve.certain.above(x));
        match share(&self.a).total_cmp(&share(&self.b)) {
            Ordering::Greater => Some(Worse::Reference),
            Ordering::Less => Some(Worse::Other),
            Ordering::Equal => None,
        }
    }

    fn evidently_worse(&self, x: i64) -> Option<Worse> {
        if self.is_evident(&self.a, &self.b, x) {
            Some(Worse::Reference)
        } else if self.is_evident(&self.b, &self.a, x) {
            Some(Worse::Other)
        } else {
            None
        }
    }

    /// True where `worse` evidently has more above x, shifted in its favour by the tolerance, than `better` can have above x.
    fn is_evident(&self, worse: &Curve, better: &Curve, x: i64) -> bool {
        let above = worse.certain.above(x.saturating_add(self.tolerance_ns));
        if above < EVIDENCE_MIN || better.total == 0 {
            return false;
        }
        let at_most = better.possible.above(x);
        let (n, m) = (worse.total as f64, better.total as f64);
        let pooled = (above + at_most) as f64 / (n + m);
        let error = (pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m) * self.dependence).sqrt();
        worse.share(above) - better.share(at_most) > ERRORS_MIN * error
    }
}
