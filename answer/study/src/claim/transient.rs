//! "The worst comes when a load starts" (Blaess 2014): the seconds after a load's start against the rest of its time on.
//!
//! Each start is its own pair: the median of the per-second maxima just after it, and that of the later seconds until the
//! load stops. An exact sign test over the pairs decides; starts of different loads overlap in time, so its p is a guide.

use super::{Finding, Judge, Judgement};
use crate::edge;
use crate::evidence::{Entry, Evidence};
use prazo_core::time::Duration;
use prazo_run::Run;
use prazo_run::run::Quantity;
use prazo_verdict::claim::Name;
use prazo_verdict::claim::Undecidable;
use prazo_verdict::claim::figures;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Below this, chance is not a likely explanation.
const P: f64 = 0.05;

/// `transient = { cell, within }`: latency within so long after a load's start is worse than later.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transient {
    cell: Name,
    #[serde(deserialize_with = "edge::duration")]
    within: Duration,
}

impl Judge for Transient {
    fn cells(&self) -> Vec<&Name> {
        vec![&self.cell]
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let pairs = self.pairs(evidence.sound(&self.cell.id)?);
        let (worse, better) = (count(&pairs, |early, late| early > late), count(&pairs, |early, late| early < late));
        let text = format!(
            "of {} starts with enough seconds on both sides, the first {} were worse than the rest in {worse} and better in {better}",
            figures::count(pairs.len() as u64),
            self.within
        );
        match (sign_test(worse, worse + better), sign_test(better, worse + better)) {
            (p, _) if p <= P => Ok(Finding {
                holds: true,
                evidence: format!("{text} (sign test, p = {p:.3} if starts were independent)"),
            }),
            (_, p) if p <= P => {
                Ok(Finding { holds: false, evidence: format!("{text} (sign test, p = {p:.3} the other way)") })
            }
            _ => Err(Undecidable(format!("{text}, which chance may explain; a longer run has more starts"))),
        }
    }
}

impl Transient {
    /// For each start of a load, the typical maximum of a second just after it and later.
    fn pairs(&self, entry: &Entry) -> Vec<(i64, i64)> {
        entry
            .runs
            .iter()
            .flat_map(|run| {
                let seconds = maxima(run);
                let on = run.loads.iter().flat_map(|load| &load.on_s);
                on.filter_map(|(start, end)| self.pair(&seconds, *start, *end)).collect::<Vec<_>>()
            })
            .collect()
    }

    /// `None` for a start before the first activation, or too near to its end.
    fn pair(&self, seconds: &BTreeMap<u32, i64>, start: f64, end: f64) -> Option<(i64, i64)> {
        if start < 0.0 {
            return None;
        }
        let turn = start + self.within.as_s_f64();
        Some((median(seconds, start, turn)?, median(seconds, turn, end)?))
    }
}

/// The largest latency of each second, over all processors, warm-up excluded.
fn maxima(run: &Run) -> BTreeMap<u32, i64> {
    let mut maxima = BTreeMap::new();
    for second in run.of(Quantity::ResponseLatency).flat_map(|series| &series.timeline).filter(|second| !second.warm_up)
    {
        if let Some(max) = second.max_ns {
            maxima.entry(second.at_s).and_modify(|most: &mut i64| *most = max.max(*most)).or_insert(max);
        }
    }
    maxima
}

/// The median maximum of the seconds that begin in [from, to).
fn median(seconds: &BTreeMap<u32, i64>, from: f64, to: f64) -> Option<i64> {
    let first = from.floor() as u32;
    let mut values: Vec<i64> =
        seconds.range(first..).take_while(|(at, _)| f64::from(**at) < to).map(|(_, max)| *max).collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

fn count(pairs: &[(i64, i64)], is: impl Fn(i64, i64) -> bool) -> u32 {
    pairs.iter().filter(|(early, late)| is(*early, *late)).count() as u32
}

/// The chance that a fair coin shows at least `heads` heads in `tosses`.
fn sign_test(heads: u32, tosses: u32) -> f64 {
    let (mut term, mut sum, mut tail) = (1.0, 0.0, 0.0);
    for k in 0..=tosses {
        sum += term;
        tail += if k >= heads { term } else { 0.0 };
        term *= f64::from(tosses - k) / f64::from(k + 1);
        if sum > 1e250 {
            // Binomial coefficients outgrow f64 beyond a thousand tosses; only their ratio matters.
            (term, sum, tail) = (term * 1e-250, sum * 1e-250, tail * 1e-250);
        }
    }
    tail / sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_test_counts_coins() {
        assert_eq!(sign_test(0, 0), 1.0);
        assert_eq!(sign_test(5, 5), 1.0 / 32.0);
        assert_eq!(sign_test(4, 5), 6.0 / 32.0);
        assert!(sign_test(400, 500) < 1e-40);
        assert!((sign_test(10_000, 20_000) - 0.5).abs() < 0.01);
    }

    #[test]
    fn the_median_is_that_of_the_seconds_asked_for() {
        let seconds = BTreeMap::from([(0, 5), (1, 9), (2, 7), (3, 1)]);
        assert_eq!(median(&seconds, 0.5, 3.0), Some(7));
        assert_eq!(median(&seconds, 4.0, 9.0), None);
    }
}
