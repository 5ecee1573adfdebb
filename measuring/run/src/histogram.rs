//! A lossless histogram: every distinct value with its count, up to a bound, and an honest overflow beyond it.
//!
//! Values are nanoseconds and may be negative (Xenomai programs its timer early). Invariant: `cells` is sorted by value,
//! holds no zero count, and `overflow` counts what lay above the bound, so that `total` loses nothing.

use std::collections::BTreeMap;

/// Values in nanoseconds with their counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    cells: BTreeMap<i64, u64>,
    overflow: u64,
}

impl Histogram {
    /// An empty histogram.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts `count` samples of `value_ns`.
    pub fn add(&mut self, value_ns: i64, count: u64) {
        if count > 0 {
            *self.cells.entry(value_ns).or_default() += count;
        }
    }

    /// Counts `count` samples whose value is only known to lie above every cell.
    pub fn add_overflow(&mut self, count: u64) {
        self.overflow += count;
    }

    /// Adds everything of `other`.
    pub fn merge(&mut self, other: &Histogram) {
        for (value, count) in other.cells() {
            self.add(value, count);
        }
        self.overflow += other.overflow;
    }

    /// Value and count, ascending by value.
    pub fn cells(&self) -> impl DoubleEndedIterator<Item = (i64, u64)> + '_ {
        self.cells.iter().map(|(value, count)| (*value, *count))
    }

    /// How many distinct values there are.
    pub fn distinct(&self) -> usize {
        self.cells.len()
    }

    /// Samples with a value, without the overflow.
    pub fn in_range(&self) -> u64 {
        self.cells.values().sum()
    }

    /// Samples beyond the bound.
    pub fn overflow(&self) -> u64 {
        self.overflow
    }

    /// All samples.
    pub fn total(&self) -> u64 {
        self.in_range() + self.overflow
    }

    /// True without any sample.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty() && self.overflow == 0
    }
}
