//! Durations in histograms of bounded memory, and what these do not keep.

/// From here on durations are kept with 16 significant bits, so that the memory of a histogram is bounded.
const EXACT_BELOW_NS: u64 = 1 << 16;

/// What a histogram with 16 significant bits does not keep: the smallest value and the sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MinAndSum {
    /// The smallest; `None` without a value.
    pub min_ns: Option<u64>,
    /// The sum of all.
    pub sum_ns: u128,
}

impl MinAndSum {
    pub(super) fn add(&mut self, ns: u64) {
        self.min_ns = Some(self.min_ns.map_or(ns, |min| min.min(ns)));
        self.sum_ns += u128::from(ns);
    }
}

/// A duration as a histogram keeps it: exact below 65 µs, with 16 significant bits above, rounded down.
pub(super) fn kept(ns: u64) -> i64 {
    let bits = 64 - (ns / EXACT_BELOW_NS).leading_zeros();
    (ns >> bits << bits).min(i64::MAX as u64) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_keep_sixteen_bits() {
        assert_eq!([kept(65_535), kept(65_537), kept(131_073)], [65_535, 65_536, 131_072]);
        assert!(kept(u64::MAX) > 0);
    }
}
