//! Medians of repeated runs with intervals from blocks, and the ratio of two medians over the same rounds.
//!
//! Runs that follow each other resemble each other (temperature, caches, what else the machine does), so that whole blocks of
//! consecutive rounds are drawn, around the clock, as long as the cube root of their number. Two commands that were run in
//! the same rounds are drawn together: what disturbed a round disturbed both.

use crate::bootstrap::middle_95;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const DRAWS: usize = 2_000;
const SEED: u64 = 0x7072_617a_6f00_0002;
/// With fewer runs the interval could not be wider than the runs themselves, and would claim more than it knows.
pub const RUNS_MIN: usize = 6;

/// A median with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Interval {
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

/// The median of repeated runs, or the ratio of two such medians.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Median {
    /// Number of runs.
    pub count: usize,
    /// The median of the runs (the mean of the middle two if the count is even), or the ratio of two medians.
    pub value: f64,
    /// 95 % interval of the median or of the ratio; null where it could not be computed.
    pub interval: Option<Interval>,
    /// How the 95 % interval is computed, or why there is none.
    pub method: String,
}

/// The median of several values with the smallest and the largest: an observed range, not an interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// The median of the values.
    pub median: f64,
    /// The smallest value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
    /// Number of values, one for each run; in a study, one run per seed.
    pub count: usize,
}

impl Spread {
    /// Of these values; `None` without any.
    pub fn of(values: &[f64]) -> Option<Self> {
        let low = values.iter().copied().min_by(f64::total_cmp)?;
        let high = values.iter().copied().max_by(f64::total_cmp)?;
        Some(Self { median: middle(values)?, low, high, count: values.len() })
    }
}

/// The median of runs in the order in which they were run; `None` without any.
pub fn median(runs: &[f64]) -> Option<Median> {
    let value = middle(runs)?;
    let interval = interval(runs.len(), |rounds| middle(&picked(runs, rounds)));
    Some(Median { count: runs.len(), value, interval, method: method(runs.len(), interval) })
}

/// The ratio of the medians of two commands, `other` / `reference`, run in the same rounds.
///
/// `None` if they were not, or if the reference's median is 0.
pub fn median_ratio(reference: &[f64], other: &[f64]) -> Option<Median> {
    if reference.len() != other.len() {
        return None;
    }
    let ratio = |rounds: &[usize]| {
        let below = middle(&picked(reference, rounds)).filter(|below| *below > 0.0)?;
        Some(middle(&picked(other, rounds))? / below)
    };
    let value = ratio(&(0..reference.len()).collect::<Vec<_>>())?;
    let interval = interval(reference.len(), ratio);
    Some(Median { count: reference.len(), value, interval, method: method(reference.len(), interval) })
}

fn method(runs: usize, interval: Option<Interval>) -> String {
    match (runs, interval) {
        (0..RUNS_MIN, _) => format!("no 95 % interval, which needs at least {RUNS_MIN} runs"),
        (_, None) => "no 95 % interval, because in some resamples the median of the reference is 0".to_owned(),
        _ => format!("95 % CI by block bootstrap, {DRAWS} draws of blocks of {} consecutive runs", block(runs)),
    }
}

fn block(runs: usize) -> usize {
    (runs as f64).cbrt().round().max(1.0) as usize
}

fn picked(runs: &[f64], rounds: &[usize]) -> Vec<f64> {
    rounds.iter().map(|round| runs[*round]).collect()
}

/// The median alone, between the middle two of an even number; `None` without a value.
pub fn middle(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    Some(if sorted.len() % 2 == 1 { upper } else { f64::midpoint(sorted[sorted.len() / 2 - 1], upper) })
}

/// The middle 95 % of a statistic over redrawn rounds; `None` with too few runs, or where a draw has none.
fn interval(runs: usize, statistic: impl Fn(&[usize]) -> Option<f64>) -> Option<Interval> {
    if runs < RUNS_MIN {
        return None;
    }
    let mut random = fastrand::Rng::with_seed(SEED);
    let draws = (0..DRAWS).map(|_| statistic(&redrawn(runs, &mut random))).collect::<Option<Vec<f64>>>()?;
    middle_95(draws, f64::total_cmp).map(|(low, high)| Interval { low, high })
}

fn redrawn(runs: usize, random: &mut fastrand::Rng) -> Vec<usize> {
    let mut rounds = Vec::with_capacity(runs + block(runs));
    while rounds.len() < runs {
        let first = random.usize(0..runs);
        rounds.extend((first..first + block(runs)).map(|round| round % runs));
    }
    rounds.truncate(runs);
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_runs_have_no_spread() {
        let found = median(&[5.0; 10]).unwrap();
        assert_eq!((found.value, found.interval), (5.0, Some(Interval { low: 5.0, high: 5.0 })));
    }

    #[test]
    fn a_reference_that_is_often_zero_has_a_ratio_and_no_interval() {
        let found = median_ratio(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0], &[1.0; 7]).unwrap();
        assert_eq!((found.value, found.interval), (1.0, None));
        assert!(found.method.starts_with("no 95 % interval, because"), "{}", found.method);
    }

    #[test]
    fn few_runs_have_a_median_and_no_interval() {
        let found = median(&[3.0, 1.0]).unwrap();
        assert_eq!((found.value, found.interval), (2.0, None));
        assert!(found.method.contains("at least 6"));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn what_disturbs_a_round_disturbs_both_commands_and_leaves_their_ratio() {
        let reference: Vec<f64> = (0..20).map(|round| f64::from(100 + round * 50 % 300)).collect();
        let other: Vec<f64> = reference.iter().map(|time| time * 1.35).collect();
        let ratio = median_ratio(&reference, &other).unwrap();
        let interval = ratio.interval.unwrap();
        assert!((ratio.value - 1.35).abs() < 1e-9 && interval.high - interval.low < 1e-9, "{ratio:?}");
        assert!(median(&reference).unwrap().interval.is_some_and(|alone| alone.high - alone.low > 10.0));
    }

    #[test]
    fn unequal_counts_and_a_reference_of_0_have_no_ratio() {
        assert_eq!(median_ratio(&[1.0; 7], &[1.0; 8]), None);
        assert_eq!(median_ratio(&[0.0; 7], &[1.0; 7]), None);
    }

    #[test]
    fn intervals_cover_the_true_median_of_independent_runs() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut covered = 0;
        for _ in 0..200 {
            let runs: Vec<f64> = (0..30).map(|_| random.f64()).collect();
            let interval = median(&runs).unwrap().interval.unwrap();
            covered += u32::from(interval.low <= 0.5 && 0.5 <= interval.high);
        }
        assert!(covered >= 175, "{covered} of 200 intervals hold the truth");
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_median_and_lies_within_the_runs(runs in prop::collection::vec(0.0f64..1e9, 6..40)) {
            let found = median(&runs).unwrap();
            let (least, most) = (runs.iter().copied().fold(f64::MAX, f64::min), runs.iter().copied().fold(0.0, f64::max));
            let interval = found.interval.unwrap();
            prop_assert!(least <= interval.low && interval.low <= found.value);
            prop_assert!(found.value <= interval.high && interval.high <= most);
        }
    }
}
