//! Values with their counts, exact where they are known and bracketed where they are not.
//!
//! A histogram's overflow, and the lateness of an activation that was jumped over, are only known to lie between two
//! values. A distribution keeps both kinds apart, so that every figure can say whether it is exact: a quantile is read once
//! with all bracketed values at their lower end and once with all at their upper end.
//!
//! Invariant: `exact` ascends strictly by value and holds no zero count; so does `vague` hold none.

use crate::level::Level;
use prazo_core::time::Offset;
use std::fmt;

/// Values in nanoseconds with their counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    exact: Vec<(i64, u64)>,
    vague: Vec<Vague>,
}

/// `count` values that lie somewhere in `at_least_ns..=at_most_ns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vague {
    /// Lower end.
    pub at_least_ns: i64,
    /// Upper end; `None` is unlimited.
    pub at_most_ns: Option<i64>,
    /// How many values.
    pub count: u64,
}

/// Where an order statistic lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bracket {
    /// It is not smaller than this.
    pub at_least_ns: i64,
    /// It is not larger than this; `None` is unlimited.
    pub at_most_ns: Option<i64>,
}

impl Bracket {
    /// True where both ends meet.
    pub fn is_exact(self) -> bool {
        self.at_most_ns == Some(self.at_least_ns)
    }

    /// The value, where both ends meet.
    pub fn exact(self) -> Option<i64> {
        self.at_most_ns.filter(|_| self.is_exact())
    }
}

/// `29us`, `29us to 31us`, `at least 29us`.
impl fmt::Display for Bracket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let low = Offset::from_ns(self.at_least_ns);
        match self.at_most_ns {
            None => write!(f, "at least {low}"),
            Some(_) if self.is_exact() => write!(f, "{low}"),
            Some(high) => write!(f, "{low} to {}", Offset::from_ns(high)),
        }
    }
}

impl Distribution {
    /// The distribution of these values, in any order, zero counts allowed.
    pub fn new(exact: Vec<(i64, u64)>, vague: Vec<Vague>) -> Self {
        Self { exact: gather(exact), vague: vague.into_iter().filter(|part| part.count > 0).collect() }
    }

    /// Everything of several distributions.
    pub fn merged<'a>(parts: impl IntoIterator<Item = &'a Distribution>) -> Self {
        let (mut exact, mut vague) = (Vec::new(), Vec::new());
        for part in parts {
            exact.extend_from_slice(&part.exact);
            vague.extend_from_slice(&part.vague);
        }
        Self::new(exact, vague)
    }

    /// The values that are known, ascending.
    pub fn exact(&self) -> &[(i64, u64)] {
        &self.exact
    }

    /// The values that are only bracketed, in no order.
    pub fn vague(&self) -> &[Vague] {
        &self.vague
    }

    /// All values.
    pub fn count(&self) -> u64 {
        self.exact_count() + self.vague_count()
    }

    /// Values that are known.
    pub fn exact_count(&self) -> u64 {
        self.exact.iter().map(|(_, count)| count).sum()
    }

    /// Values that are only bracketed.
    pub fn vague_count(&self) -> u64 {
        self.vague.iter().map(|part| part.count).sum()
    }

    /// The smallest known value.
    pub fn min(&self) -> Option<i64> {
        self.exact.first().map(|(value, _)| *value)
    }

    /// The largest value, if it is known: nothing bracketed may lie above it.
    pub fn max(&self) -> Option<i64> {
        let (largest, _) = *self.exact.last()?;
        self.vague.iter().all(|part| part.at_most_ns.is_some_and(|most| most <= largest)).then_some(largest)
    }

    /// The largest value that some sample is known to have reached, exact or not.
    pub fn reached(&self) -> Option<i64> {
        self.exact.last().map(|(value, _)| *value).max(self.vague.iter().map(|part| part.at_least_ns).max())
    }

    /// The largest value: exact, or at least what some sample is known to have reached.
    pub fn maximum(&self) -> Option<Bracket> {
        let exact = |value| Bracket { at_least_ns: value, at_most_ns: Some(value) };
        let reached = || Some(Bracket { at_least_ns: self.reached()?, at_most_ns: None });
        self.max().map(exact).or_else(reached)
    }

    /// The same with every bracketed value at its upper end; `None` where one has none.
    pub(crate) fn at_upper_ends(&self) -> Option<Self> {
        let upper: Option<Vec<(i64, u64)>> =
            self.vague.iter().map(|part| Some((part.at_most_ns?, part.count))).collect();
        Some(Self::new(self.exact.iter().copied().chain(upper?).collect(), vec![]))
    }

    /// The order statistic of a level; `None` without any value.
    pub fn quantile(&self, level: Level) -> Option<Bracket> {
        self.at_rank(level.rank(self.count())?)
    }

    /// The order statistic of a level; `None` where too few values lie above it.
    pub fn supported_quantile(&self, level: Level) -> Option<Bracket> {
        self.quantile(level).filter(|_| level.is_supported_by(self.count()))
    }

    /// The value of a rank, counted from 1; `None` beyond the count.
    pub fn at_rank(&self, rank: u64) -> Option<Bracket> {
        if rank == 0 || rank > self.count() {
            return None;
        }
        let lower = gather(self.vague.iter().map(|part| (part.at_least_ns, part.count)).collect());
        let upper = gather(self.vague.iter().filter_map(|part| Some((part.at_most_ns?, part.count))).collect());
        let at_least_ns = value_at(&self.exact, &lower, rank)?;
        Some(Bracket { at_least_ns, at_most_ns: value_at(&self.exact, &upper, rank) })
    }

    /// How many values are certainly above `value_ns`.
    pub fn certainly_above(&self, value_ns: i64) -> u64 {
        let vague = self.vague.iter().filter(|part| part.at_least_ns > value_ns).map(|part| part.count);
        self.exact_above(value_ns) + vague.sum::<u64>()
    }

    /// How many values may be above `value_ns`.
    pub fn possibly_above(&self, value_ns: i64) -> u64 {
        let above = |part: &&Vague| part.at_most_ns.is_none_or(|most| most > value_ns);
        self.exact_above(value_ns) + self.vague.iter().filter(above).map(|part| part.count).sum::<u64>()
    }

    fn exact_above(&self, value_ns: i64) -> u64 {
        let first = self.exact.partition_point(|(value, _)| *value <= value_ns);
        self.exact[first..].iter().map(|(_, count)| count).sum()
    }
}

/// Sorts by value and adds up equal ones.
pub(crate) fn gather(mut cells: Vec<(i64, u64)>) -> Vec<(i64, u64)> {
    cells.retain(|(_, count)| *count > 0);
    cells.sort_unstable_by_key(|(value, _)| *value);
    cells.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    cells
}

/// The value of a rank, from 1, in the merger of two ascending lists; `None` beyond both.
fn value_at(first: &[(i64, u64)], second: &[(i64, u64)], rank: u64) -> Option<i64> {
    let (mut first, mut second) = (first.iter().peekable(), second.iter().peekable());
    let mut seen = 0;
    loop {
        let from_first = match (first.peek(), second.peek()) {
            (Some(a), Some(b)) => a.0 <= b.0,
            (a, _) => a.is_some(),
        };
        let (value, count) = *if from_first { first.next()? } else { second.next()? };
        seen += count;
        if seen >= rank {
            return Some(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The slow, obvious twin: every value written out and sorted.
    fn sorted(cells: &[(i64, u64)]) -> Vec<i64> {
        let mut all: Vec<i64> = cells.iter().flat_map(|(value, count)| vec![*value; *count as usize]).collect();
        all.sort_unstable();
        all
    }

    proptest! {
        #[test]
        fn ranks_agree_with_sorting_all_samples(cells in prop::collection::vec((-50i64..50, 0u64..5), 0..40)) {
            let (all, distribution) = (sorted(&cells), Distribution::new(cells, vec![]));
            prop_assert_eq!(distribution.count(), all.len() as u64);
            for (index, value) in all.iter().enumerate() {
                let bracket = distribution.at_rank(index as u64 + 1).unwrap();
                prop_assert!(bracket.is_exact());
                prop_assert_eq!(bracket.at_least_ns, *value);
            }
            prop_assert_eq!(distribution.at_rank(all.len() as u64 + 1), None);
        }

        #[test]
        fn a_bracket_holds_the_value_wherever_the_vague_ones_really_were(
            cells in prop::collection::vec((0i64..50, 0u64..5), 1..20),
            hidden in prop::collection::vec((0i64..60, 0i64..20, 0i64..20), 0..6),
        ) {
            let vague = hidden.iter().map(|(at, below, above)| Vague {
                at_least_ns: at - below, at_most_ns: Some(at + above), count: 1,
            });
            let distribution = Distribution::new(cells.clone(), vague.collect());
            let mut truth = cells;
            truth.extend(hidden.iter().map(|(at, _, _)| (*at, 1)));
            for (index, value) in sorted(&truth).iter().enumerate() {
                let bracket = distribution.at_rank(index as u64 + 1).unwrap();
                prop_assert!(bracket.at_least_ns <= *value && *value <= bracket.at_most_ns.unwrap());
            }
            for threshold in 0..80 {
                let above = truth.iter().filter(|(value, _)| *value > threshold).map(|(_, count)| count).sum();
                prop_assert!(distribution.certainly_above(threshold) <= above);
                prop_assert!(distribution.possibly_above(threshold) >= above);
            }
        }
    }

    #[test]
    fn a_maximum_below_unlimited_overflow_is_not_claimed() {
        let hidden = Vague { at_least_ns: 100, at_most_ns: None, count: 2 };
        let distribution = Distribution::new(vec![(5, 3)], vec![hidden]);
        assert_eq!(distribution.max(), None);
        assert_eq!(distribution.reached(), Some(100));
        assert_eq!(distribution.at_rank(4), Some(Bracket { at_least_ns: 100, at_most_ns: None }));
        assert_eq!(distribution.at_rank(3), Some(Bracket { at_least_ns: 5, at_most_ns: Some(5) }));
    }
}
