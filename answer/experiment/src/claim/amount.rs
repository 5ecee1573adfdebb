//! Amounts of figures with their counts, and what may be said of two of them.
//!
//! All claims about costs say of pairs that the first is at most so much beside the second. Two things can make such a
//! sentence worthless: few samples, and, where it speaks of maxima, unlike counts.

use super::Evidence;
use crate::overhead_figures::Statistic;
use prazo_core::text::{counted, grouped};
use prazo_verdict::claim::counts::Counts;
use prazo_verdict::claim::{ClaimFinding, Judgement};
use prazo_verdict::claim::{Name, Undecidable};
use std::fmt::{self, Display, Formatter};

/// Fewer samples than this decide nothing.
const COUNT_MIN: u64 = 100;

/// One amount of a line.
#[derive(Clone, Debug)]
pub(super) struct Amount {
    /// The figure and the line, with a dot between.
    pub line: String,
    /// The number of threads.
    pub threads: u64,
    /// It, in microseconds.
    pub us: f64,
    /// Of how many samples; `None` for a table.
    pub count: Option<u64>,
}

impl Amount {
    /// Whether counts leave something to be said of two maxima: `is_most` that this one is at most the other.
    fn is_fair(&self, other: &Self, is_most: bool) -> bool {
        let Some((of, against)) = self.count.zip(other.count) else { return true };
        let counts = Counts { of, against };
        if is_most { counts.allow_less() } else { counts.allow_more() }
    }
}

/// `0.060 µs at 5 threads (n = 16,783)`; a table has no count.
impl Display for Amount {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} µs at {} ", self.us, counted(self.threads, "thread"))?;
        match self.count {
            Some(count) => write!(f, "(n = {})", grouped(count)),
            None => f.write_str("(from a table)"),
        }
    }
}

impl Evidence {
    /// A line's amounts by number of threads, as `statistic` reads them.
    pub(super) fn amounts(&self, name: &Name, statistic: Statistic) -> Result<Vec<Amount>, Undecidable> {
        let line = &name.id;
        let points = self.costs.get(line).ok_or_else(|| Undecidable(format!("no figure has the line {line}")))?;
        let amounts = points.iter().map(|point| {
            let us = statistic.of(point)?;
            Some(Amount { line: line.clone(), threads: point.threads, us, count: point.count })
        });
        let amounts: Option<Vec<Amount>> = amounts.collect();
        let absent = || Undecidable(format!("{line} has no {statistic} for some numbers of threads"));
        let amounts = amounts.filter(|amounts| !amounts.is_empty()).ok_or_else(absent)?;
        let few = amounts.iter().filter(|amount| amount.count.is_some_and(|count| count < COUNT_MIN));
        match few.min_by_key(|amount| amount.count) {
            Some(few) => {
                Err(Undecidable(format!("{line}: {few}; fewer than {COUNT_MIN} samples cannot decide a claim")))
            }
            None => Ok(amounts),
        }
    }
}

/// Two amounts, the first of which is claimed to be at most so much beside the second.
pub(super) type Pair = (Amount, Amount);

/// Whether the claim holds of every pair: refuted by one that breaks it fairly, held where all keep it fairly.
///
/// The evidence is of the pair that decides, the widest of several, in the words of `tell`.
pub(super) fn all_keep(
    pairs: Vec<Pair>,
    of: Statistic,
    keeps: impl Fn(&Pair) -> bool,
    tell: impl Fn(&Pair) -> String,
) -> Judgement {
    let width = |(first, second): &Pair| first.us / second.us;
    let widest = |pairs: Vec<Pair>| pairs.into_iter().reduce(|a, b| if width(&b) > width(&a) { b } else { a });
    let (kept, broken): (Vec<Pair>, Vec<Pair>) = pairs.into_iter().partition(&keeps);
    let is_fair = |pair: &Pair, is_most| of != Statistic::Max || pair.0.is_fair(&pair.1, is_most);
    let (broken, unfairly_broken): (Vec<Pair>, Vec<Pair>) = broken.into_iter().partition(|pair| is_fair(pair, false));
    if let Some(pair) = widest(broken) {
        return Ok(ClaimFinding { holds: false, evidence: tell(&pair) });
    }
    let unfairly_kept: Vec<Pair> = kept.iter().filter(|pair| !is_fair(pair, true)).cloned().collect();
    if let Some(pair) = widest(unfairly_broken).or_else(|| widest(unfairly_kept)) {
        return Err(Undecidable(format!("{}: the sample counts differ too much to compare maxima", tell(&pair))));
    }
    let pair = widest(kept).ok_or_else(|| Undecidable("there are no amounts to compare".into()))?;
    Ok(ClaimFinding { holds: true, evidence: tell(&pair) })
}
