//! Where the level of a figure changed over an ordered history of units, each with several values: kernels in the order of
//! their releases, with one value for each seed.
//!
//! ```text
//! test a stretch: the split that separates the ranks best, against the same in 4,999 random orders of the units
//!   not rarer than its level: the stretch has one level
//!   rarer: a change where the values deviate least from both medians; test what lies on either side
//! ```
//! The statistic is a rank statistic for an unknown split (Pettitt 1979, standardised for the split's place), its
//! distribution comes from permutations (Antoch and Hušková 2001), and stretches are divided by binary segmentation
//! (Vostrikova 1981). Whole units change places, never single values: the values of one unit belong together. So nothing is
//! assumed of how values are distributed, only that units without a change could have come in any order.
//!
//! Level: a stretch of *m* of the *n* units is tested at *m/n* of 5 %. The stretches without a change do not overlap, so their
//! levels add up to 5 % at most: that is the chance of any false change in one history.

use crate::repeats::middle;
use prazo_core::hash::fnv1a;
use std::fmt;

/// How likely a history without a change, or the parts of a history between changes, yield any change.
pub const FALSE_ALARMS: f64 = 0.05;
/// Random orders that a split is compared with. No probability is smaller than one in one more than these.
pub const ORDERS: usize = 4_999;
/// A single unit is an outlier and no level.
const SIDE_MIN: usize = 2;
const SEED: u64 = 0x7072_617a_6f00_0003;

/// The levels of one history.
#[derive(Clone, Debug, PartialEq)]
pub struct Levels {
    /// The changes, in the order of the units.
    pub changes: Vec<ChangePoint>,
    /// Number of changes that were left out because of the floor.
    pub below_floor: usize,
    /// Probability of the best split of the whole history if the units could have come in any order.
    pub probability: f64,
}

/// A change of the level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// Index of the first unit of the new level.
    pub first: usize,
    /// Median of all values of the level before.
    pub before: f64,
    /// Median of all values of the new level.
    pub after: f64,
    /// Probability of a split at least as clear if the units of its stretch could have come in any order.
    pub probability: f64,
    /// The level of its test: `probability` is at most this.
    pub level: f64,
}

impl ChangePoint {
    /// How far the level moved; positive where it became larger.
    pub fn shift(&self) -> f64 {
        self.after - self.before
    }
}

/// A history whose clearest split would still be too likely by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooFewUnits {
    /// Units of the history.
    pub units: usize,
    /// The smallest probability that a split can have.
    pub smallest: f64,
}

impl fmt::Display for TooFewUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent =
            |share: f64| format!("{:.3}", share * 100.0).trim_end_matches('0').trim_end_matches('.').to_owned();
        let smallest = percent((self.smallest * 1e4).floor() / 1e4);
        let (units, least) = (self.units, units_min());
        match units {
            0 => write!(f, "no baseline has a value; at least {least} are needed"),
            1 => write!(f, "1 baseline has a value; at least {least} are needed"),
            _ => write!(
                f,
                "{units} baselines are too few: even the clearest change would occur by chance in {smallest} % of orders; \
                 at least {least} are needed"
            ),
        }
    }
}

impl std::error::Error for TooFewUnits {}

/// The changes in a history; each unit has the values of one figure, in whatever order. A change whose shift is at most
/// `floor` of the level before it is left out, and the levels beside it are joined.
///
/// # Errors
/// There are too few units for any statement.
///
/// # Panics
/// A unit has no value, or one that is not a number.
pub fn change_points(units: &[Vec<f64>], floor: impl Fn(f64) -> f64) -> Result<Levels, TooFewUnits> {
    assert!(units.iter().all(|unit| !unit.is_empty()), "each unit has a value");
    let smallest = smallest_probability(units.len());
    if smallest > FALSE_ALARMS {
        return Err(TooFewUnits { units: units.len(), smallest });
    }
    let mut changes = Vec::new();
    let probability = divide(units, 0, FALSE_ALARMS / units.len() as f64, &mut changes);
    changes.sort_by_key(|change: &ChangePoint| change.first);
    let found = changes.len();
    join_levels(units, &mut changes, floor);
    Ok(Levels { below_floor: found - changes.len(), changes, probability })
}

/// The fewest units of which anything can be said.
pub fn units_min() -> usize {
    (2..).find(|units| smallest_probability(*units) <= FALSE_ALARMS).expect("many units have rare splits")
}

/// The smallest probability that a split of so many units can have: the units of one side stand together, at the beginning
/// or at the end, in 2 of C(n, n/2) cases.
fn smallest_probability(units: usize) -> f64 {
    let (side, units) = (units / 2, units as f64);
    let choices: f64 = (0..side).map(|at| (units - at as f64) / (at as f64 + 1.0)).product();
    (2.0 / choices).min(1.0)
}

/// Tests a stretch that begins at `first`, and what lies on either side of a change; the probability of its best split.
fn divide(units: &[Vec<f64>], first: usize, level_of_unit: f64, changes: &mut Vec<ChangePoint>) -> f64 {
    let level = level_of_unit * units.len() as f64;
    if smallest_probability(units.len()) > level {
        return 1.0;
    }
    let probability = probability(units);
    if probability <= level {
        let split = place(units);
        changes.push(ChangePoint { first: first + split, before: 0.0, after: 0.0, probability, level });
        let (left, right) = units.split_at(split);
        divide(left, first, level_of_unit, changes);
        divide(right, first + split, level_of_unit, changes);
    }
    probability
}

/// How likely a split at least as clear as the clearest one of a stretch is in a random order.
fn probability(units: &[Vec<f64>]) -> f64 {
    let (mut scores, weights) = (scores(units), weights(units.len()));
    // Orders that are equally clear differ in the last digits, because they add the same numbers in another order.
    let as_clear = clearest(&scores, &weights) * (1.0 - 1e-9);
    let mut random = fastrand::Rng::with_seed(seed(units));
    let is_as_clear = |_: &usize| {
        random.shuffle(&mut scores);
        clearest(&scores, &weights) >= as_clear
    };
    let clear = (0..ORDERS).filter(is_as_clear).count();
    // The order that was found is one of those that count (Phipson and Smyth 2010).
    (clear + 1) as f64 / (ORDERS + 1) as f64
}

/// A seed that follows from the values: the same values have the same orders, and another history has others, so that no one set of
/// orders errs in the same direction everywhere.
fn seed(units: &[Vec<f64>]) -> u64 {
    let bytes: Vec<u8> = units.iter().flatten().flat_map(|value| value.to_bits().to_le_bytes()).collect();
    SEED ^ fnv1a(&bytes)
}

/// Where a stretch is divided: the values of both sides deviate least from their medians. Ranks alone would place a change near an
/// end of the stretch too close to its middle.
fn place(units: &[Vec<f64>]) -> usize {
    let deviations = |side: &[Vec<f64>]| {
        let level = median(side);
        side.iter().flatten().map(|value| (value - level).abs()).sum::<f64>()
    };
    let both = |split: usize| deviations(&units[..split]) + deviations(&units[split..]);
    let splits = (SIDE_MIN..=units.len() - SIDE_MIN).map(|split| (split, both(split)));
    splits.min_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(SIDE_MIN, |(split, _)| split)
}

/// The mean rank of each unit's values among all values, less the mean of these; equal values share their mean rank.
fn scores(units: &[Vec<f64>]) -> Vec<f64> {
    let mut sorted: Vec<f64> = units.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    let rank = |value: f64| {
        let (below, up_to) = (sorted.partition_point(|one| *one < value), sorted.partition_point(|one| *one <= value));
        (below + up_to) as f64 / 2.0
    };
    let scores: Vec<f64> =
        units.iter().map(|unit| unit.iter().map(|value| rank(*value)).sum::<f64>() / unit.len() as f64).collect();
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    scores.into_iter().map(|score| score - mean).collect()
}

/// For each number of units on the left, what makes sums of scores comparable: the inverse of their spread over random orders, but
/// for a constant; 0 where a side is too short.
fn weights(units: usize) -> Vec<f64> {
    let is_short = |left: usize| left.min(units - left) < SIDE_MIN;
    let weight = |left: usize| if is_short(left) { 0.0 } else { 1.0 / ((left * (units - left)) as f64).sqrt() };
    (1..units).map(weight).collect()
}

/// How far the mean scores of both sides of the clearest split lie apart, in units of the spread over random orders, but for a
/// constant.
fn clearest(scores: &[f64], weights: &[f64]) -> f64 {
    let mut sum = 0.0;
    let clarity = |(score, weight): (&f64, &f64)| {
        sum += score;
        f64::abs(sum) * weight
    };
    scores.iter().zip(weights).map(clarity).fold(0.0, f64::max)
}

/// Gives each change its levels; removes the smallest change that is at most the floor until none is left.
fn join_levels(units: &[Vec<f64>], changes: &mut Vec<ChangePoint>, floor: impl Fn(f64) -> f64) {
    loop {
        give_levels(units, changes);
        let small = |(_, change): &(usize, &ChangePoint)| change.shift().abs() <= floor(change.before);
        let small = changes.iter().enumerate().filter(small);
        let smallest = small.min_by(|(_, a), (_, b)| a.shift().abs().total_cmp(&b.shift().abs()));
        let Some((at, _)) = smallest else { return };
        changes.remove(at);
    }
}

fn give_levels(units: &[Vec<f64>], changes: &mut [ChangePoint]) {
    let starts: Vec<usize> =
        [0].into_iter().chain(changes.iter().map(|change| change.first)).chain([units.len()]).collect();
    let levels: Vec<f64> = starts.windows(2).map(|ends| median(&units[ends[0]..ends[1]])).collect();
    for (change, levels) in changes.iter_mut().zip(levels.windows(2)) {
        (change.before, change.after) = (levels[0], levels[1]);
    }
}

/// The median of all values of these units.
fn median(units: &[Vec<f64>]) -> f64 {
    middle(&units.concat()).expect("each unit has a value")
}

#[cfg(test)]
#[path = "change_points_tests.rs"]
mod tests;
