//! The largest whole number that is proven, found by doubling steps and bisection, and then doubted.

use crate::Verdict;

/// Where to look: whole numbers `first..=last`, beginning at `start`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The smallest number that may be asked.
    pub first: u64,
    /// The largest; beyond it nothing can be proven, or nobody wants to know.
    pub last: u64,
    /// Where the answer is expected, such as the value as it is now.
    pub start: u64,
}

/// Between which two neighbours the verdict changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// A number that was asked and is proven; `None` if not even the first is.
    pub proven: Option<u64>,
    /// The next larger number, which was asked and is not proven; `None` if the range ends there.
    pub not_proven: Option<u64>,
    /// A larger number that is proven or a smaller one that is not: the verdict is not monotone.
    pub contradicted_by: Option<u64>,
    /// Number of tests that were run.
    pub questions: u32,
}

struct Asker<'a> {
    range: Range,
    ask: &'a mut dyn FnMut(u64) -> Verdict,
    questions: u32,
}

/// The boundary that lies nearest to `range.start` in the direction in which the first answer points.
pub fn largest(range: Range, ask: &mut dyn FnMut(u64) -> Verdict) -> Boundary {
    assert!(range.first <= range.start && range.start <= range.last, "{range:?} begins inside itself");
    let mut asker = Asker { range, ask, questions: 0 };
    let (proven, not_proven) = asker.bracket();
    let (proven, not_proven) = asker.bisect(proven, not_proven);
    let contradicted_by = asker.doubt(proven, not_proven);
    Boundary { proven, not_proven, contradicted_by, questions: asker.questions }
}

impl Asker<'_> {
    fn is_proven(&mut self, number: u64) -> bool {
        self.questions += 1;
        (self.ask)(number) == Verdict::Proven
    }

    /// A proven number below one that is not, or one of them where the range ends; by steps that double.
    fn bracket(&mut self) -> (Option<u64>, Option<u64>) {
        let Range { first, last, start } = self.range;
        let (mut at, mut step) = (start, (start / 64).max(1));
        if self.is_proven(start) {
            while at < last {
                let next = at.saturating_add(step).min(last);
                if !self.is_proven(next) {
                    return (Some(at), Some(next));
                }
                (at, step) = (next, step.saturating_mul(2));
            }
            return (Some(last), None);
        }
        while at > first {
            let next = at.saturating_sub(step).max(first);
            if self.is_proven(next) {
                return (Some(next), Some(at));
            }
            (at, step) = (next, step.saturating_mul(2));
        }
        (None, Some(first))
    }

    /// Neighbours between the two.
    fn bisect(&mut self, proven: Option<u64>, not_proven: Option<u64>) -> (Option<u64>, Option<u64>) {
        let (Some(mut proven), Some(mut not_proven)) = (proven, not_proven) else { return (proven, not_proven) };
        while not_proven - proven > 1 {
            let middle = proven + (not_proven - proven) / 2;
            if self.is_proven(middle) { proven = middle } else { not_proven = middle }
        }
        (Some(proven), Some(not_proven))
    }

    /// Asks some numbers on both sides, near and far; one that contradicts, if any does.
    fn doubt(&mut self, proven: Option<u64>, not_proven: Option<u64>) -> Option<u64> {
        let Range { first, last, .. } = self.range;
        let size = not_proven.or(proven).unwrap_or(first);
        for distance in [1, 2, size / 64, size / 16, size / 4].into_iter().filter(|distance| *distance > 0) {
            let above = not_proven.and_then(|number| number.checked_add(distance)).filter(|number| *number <= last);
            let below = proven.and_then(|number| number.checked_sub(distance)).filter(|number| *number >= first);
            if let Some(number) = above.filter(|number| self.is_proven(*number)) {
                return Some(number);
            }
            if let Some(number) = below.filter(|number| !self.is_proven(*number)) {
                return Some(number);
            }
        }
        None
    }
}
