//! Counts of a foreign file on their way into a histogram, refused where no measurement could have made them.
//!
//! Invariant: whatever a file claims, the sums that statistics will form of the histogram fit their integers.

use super::error::Problem;
use crate::Histogram;
use prazo_core::time::Duration;

/// The largest believable value: eleven days.
pub(super) const VALUE_NS_MAX: u64 = 1_000_000_000_000_000;
/// The most believable samples of one series: thirty years at a megahertz.
pub(super) const COUNT_MAX: u64 = 1_000_000_000_000_000;
/// The most distinct values of one series.
pub(super) const DISTINCT_MAX: usize = 1 << 22;
/// The most cells of all series of one text histogram.
pub(super) const CELLS_MAX: usize = 1 << 24;
/// The most series of one file.
pub(super) const SERIES_MAX: usize = 4_096;

/// A histogram in the making, with the unit in which its file counts.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    unit: Duration,
    total: u64,
    histogram: Histogram,
}

impl Tally {
    /// An empty one; values will come in `unit`s.
    pub(super) fn new(unit: Duration) -> Self {
        Self { unit, total: 0, histogram: Histogram::new() }
    }

    /// Counts `count` samples of `value` units.
    pub(super) fn add(&mut self, value: i64, count: u64) -> Result<(), Problem> {
        let value_ns = in_ns(value, self.unit).ok_or_else(|| too_late(value, self.unit))?;
        self.count(count)?;
        self.histogram.add(value_ns, count);
        if self.histogram.distinct() > DISTINCT_MAX {
            return Err(Problem::TooMuch {
                what: "too many distinct values in one series".into(),
                limit: DISTINCT_MAX as u64,
            });
        }
        Ok(())
    }

    /// Counts `count` samples beyond every value.
    pub(super) fn add_overflow(&mut self, count: u64) -> Result<(), Problem> {
        self.count(count)?;
        self.histogram.add_overflow(count);
        Ok(())
    }

    /// All samples so far.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// The finished histogram.
    pub(super) fn into_histogram(self) -> Histogram {
        self.histogram
    }

    fn count(&mut self, count: u64) -> Result<(), Problem> {
        self.total = believable_count(self.total.saturating_add(count))?;
        Ok(())
    }
}

/// `value` units in nanoseconds; `None` beyond [`VALUE_NS_MAX`] on either side.
pub(super) fn in_ns(value: i64, unit: Duration) -> Option<i64> {
    let ns = i128::from(value) * i128::from(unit.as_ns());
    (ns.unsigned_abs() <= u128::from(VALUE_NS_MAX)).then_some(ns as i64)
}

/// `count` unless no measurement has that many samples.
pub(super) fn believable_count(count: u64) -> Result<u64, Problem> {
    if count > COUNT_MAX {
        return Err(Problem::TooMuch { what: format!("{count} samples"), limit: COUNT_MAX });
    }
    Ok(count)
}

fn too_late(value: i64, unit: Duration) -> Problem {
    let ns = i128::from(value) * i128::from(unit.as_ns());
    Problem::TooMuch { what: format!("a value of {ns} ns"), limit: VALUE_NS_MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_measurement_could_have_made_is_refused() {
        let mut tally = Tally::new(Duration::from_us(1));
        assert!(tally.add(i64::MAX, 1).is_err());
        assert!(tally.add(i64::MIN, 1).is_err());
        assert!(tally.add(1, u64::MAX).is_err());
        assert!(tally.add_overflow(COUNT_MAX + 1).is_err());
        tally.add(-3, COUNT_MAX).unwrap();
        assert!(tally.add(4, 1).is_err());
        assert_eq!(tally.into_histogram().cells().collect::<Vec<_>>(), [(-3_000, COUNT_MAX)]);
    }
}
