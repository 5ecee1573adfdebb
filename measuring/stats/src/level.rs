//! Quantile levels as exact fractions, so that the rank of 0.9999 in a million samples is 999,900 and never one more.

use std::fmt;

/// A share of a distribution: `below` parts of `of`.
///
/// Invariant: `of` is at least 1 and `below` at most `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    below: u64,
    of: u64,
}

/// How many values must lie above a rank before it is reported: fewer, and the next sample may move it anywhere.
pub const VALUES_ABOVE_MIN: u64 = 10;

impl Level {
    /// The levels every summary looks at: the median and the nines.
    pub const ALL: [Level; 8] = [
        Level { below: 1, of: 2 },
        Level::nines(10),
        Level { below: 95, of: 100 },
        Level::nines(100),
        Level::nines(1_000),
        Level::nines(10_000),
        Level::nines(100_000),
        Level::nines(1_000_000),
    ];

    /// All but one part of `of`: `nines(1_000)` is 0.999.
    pub const fn nines(of: u64) -> Self {
        Self { below: of - 1, of }
    }

    /// The level nearest to `q` with nine decimals; `None` outside 0 to 1.
    pub fn from_f64(q: f64) -> Option<Self> {
        const PARTS: u64 = 1_000_000_000;
        (0.0..=1.0).contains(&q).then(|| Self { below: (q * PARTS as f64).round() as u64, of: PARTS })
    }

    /// The level as a number between 0 and 1.
    pub fn as_f64(self) -> f64 {
        self.below as f64 / self.of as f64
    }

    /// The rank of the order statistic, from 1: the smallest value with at least this share of `count` at or below it.
    ///
    /// `None` without any value.
    pub fn rank(self, count: u64) -> Option<u64> {
        let rank = (u128::from(self.below) * u128::from(count)).div_ceil(u128::from(self.of));
        (count > 0).then_some((rank as u64).max(1))
    }

    /// How many of `count` values lie above the rank: what supports the quantile.
    pub fn values_above(self, count: u64) -> u64 {
        count - self.rank(count).unwrap_or(0)
    }

    /// True where enough values lie above the rank.
    pub fn is_supported_by(self, count: u64) -> bool {
        self.values_above(count) >= VALUES_ABOVE_MIN
    }

    /// The smallest number of values that supports this level; `None` where no number does.
    pub fn count_needed(self) -> Option<u64> {
        let above = self.of - self.below;
        (above > 0).then(|| (u128::from(VALUES_ABOVE_MIN) * u128::from(self.of)).div_ceil(u128::from(above)) as u64)
    }
}

/// `0.999`.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_f64().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_exact_where_floating_point_is_not() {
        assert_eq!(Level::nines(10_000).rank(1_000_000), Some(999_900));
        assert_eq!(Level::nines(10).rank(30), Some(27));
        assert_eq!(Level::nines(1_000_000).rank(7_200_000), Some(7_199_993));
        assert_eq!(Level::ALL[0].rank(1), Some(1));
        assert_eq!(Level::ALL[0].rank(0), None);
    }

    #[test]
    fn a_level_is_refused_until_ten_values_lie_above_it() {
        let level = Level::nines(1_000);
        let needed = level.count_needed().unwrap();
        assert_eq!(needed, 10_000);
        assert!(level.is_supported_by(needed));
        assert!(!level.is_supported_by(needed - 1));
        assert_eq!(Level::from_f64(1.0).unwrap().count_needed(), None);
    }

    #[test]
    fn a_level_prints_as_it_was_written() {
        let shown: Vec<f64> = Level::ALL.iter().map(|level| level.as_f64()).collect();
        assert_eq!(shown, [0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 0.999999]);
        assert_eq!(Level::from_f64(0.999).unwrap().as_f64(), 0.999);
        assert_eq!(Level::from_f64(1.5), None);
        assert_eq!(Level::from_f64(f64::NAN), None);
    }
}
