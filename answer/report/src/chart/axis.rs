//! The latency axis: logarithmic, and linear around zero where values are zero or negative.
//!
//! Xenomai programs its timer early, so that latencies may be negative; a plain logarithm would lose them. Below `linear`
//! the axis is linear, beyond it logarithmic on both sides; with positive values alone it is an ordinary logarithmic axis.

/// The span and the shape of a latency axis. Invariant: `low_ns < high_ns`, `linear_ns` is a power of ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencyAxis {
    /// Where it begins.
    pub low_ns: i64,
    /// Where it ends; every value lies below it.
    pub high_ns: i64,
    /// Half the width of the linear part around zero.
    pub linear_ns: i64,
}

impl LatencyAxis {
    /// The axis for values in `[min_ns, max_ns]` of a source that tells values `resolution_ns` apart.
    pub fn spanning(min_ns: i64, max_ns: i64, resolution_ns: i64) -> Self {
        let linear_ns = linear_part(min_ns, resolution_ns.max(1));
        let high_ns = max_ns.saturating_add(resolution_ns.max(1)).max(min_ns.saturating_add(1));
        Self { low_ns: min_ns, high_ns: round_up(high_ns), linear_ns }.with_round_low()
    }

    fn with_round_low(self) -> Self {
        Self { low_ns: -round_up(self.low_ns.min(self.high_ns - 1).saturating_neg()), ..self }
    }

    /// Where a value stands, in decades; equal distances are equal ratios beyond the linear part.
    pub fn decades(&self, ns: f64) -> f64 {
        let parts = ns / self.linear_ns as f64;
        if parts.abs() < 1.0 { parts } else { parts.signum() * (1.0 + parts.abs().log10()) }
    }

    /// Where a value stands between the axis' ends: 0 at its beginning, 1 at its end.
    pub fn fraction(&self, ns: f64) -> f64 {
        let (low, high) = (self.decades(self.low_ns as f64), self.decades(self.high_ns as f64));
        (self.decades(ns) - low) / (high - low)
    }

    /// Values worth a tick within the axis: zero, and powers of ten times each of these digits, given in tenths. All nine
    /// digits are for a closer look, which divides the linear part, too.
    pub fn ticks_ns(&self, tenths: &[i64]) -> Vec<i64> {
        let least_ns = if tenths.len() < 9 { self.linear_ns } else { self.linear_ns / 10 };
        let powers = (0..=18).map(|n| 10i64.pow(n)).filter(|ns| *ns >= least_ns);
        let whole = |power: i64, digit: i64| match power {
            1 => (digit % 10 == 0).then_some(digit / 10),
            _ => (power / 10).checked_mul(digit),
        };
        let sizes = powers.flat_map(|power| tenths.iter().filter_map(move |digit| whole(power, *digit)));
        let mut ticks: Vec<i64> = sizes.flat_map(|ns| [-ns, ns]).chain([0]).filter(|ns| self.contains(*ns)).collect();
        ticks.sort_unstable();
        ticks
    }

    fn contains(&self, ns: i64) -> bool {
        (self.low_ns..=self.high_ns).contains(&ns)
    }
}

/// Half the width of the linear part: as fine as the source, but at most two decades below the most negative value.
fn linear_part(min_ns: i64, resolution_ns: i64) -> i64 {
    match min_ns {
        1.. => 1,
        0 => power_of_ten_below(resolution_ns),
        negative => power_of_ten_below(resolution_ns.max(negative.saturating_abs() / 10)),
    }
}

/// The largest power of ten that is not above `ns` (at least 1).
pub fn power_of_ten_below(ns: i64) -> i64 {
    10i64.pow(ns.max(1).ilog10())
}

/// The next value with one significant digit away from zero for positive, towards zero for negative values.
fn round_up(ns: i64) -> i64 {
    let step = power_of_ten_below(ns.saturating_abs());
    let whole = ns.div_euclid(step).saturating_mul(step);
    if whole < ns { whole.saturating_add(step) } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positive_values_get_a_plain_logarithmic_axis() {
        let axis = LatencyAxis::spanning(14_000, 25_816_000, 1_000);
        assert_eq!((axis.low_ns, axis.high_ns), (10_000, 30_000_000));
        let decade = axis.decades(1e6) - axis.decades(1e5);
        assert!((decade - 1.0).abs() < 1e-9, "a decade is one, not {decade}");
        assert_eq!(axis.ticks_ns(&[10, 15, 99])[..3], [10_000, 15_000, 99_000]);
        assert_eq!(axis.ticks_ns(&[10]), [10_000, 100_000, 1_000_000, 10_000_000]);
    }

    #[test]
    fn negative_values_keep_their_order_and_their_place() {
        let axis = LatencyAxis::spanning(-1_053, 67_000, 1);
        assert_eq!((axis.low_ns, axis.linear_ns), (-2_000, 100));
        let places: Vec<f64> = [-2_000.0, -100.0, 0.0, 100.0, 67_001.0].map(|ns| axis.fraction(ns)).to_vec();
        assert!(places.is_sorted(), "{places:?}");
        assert_eq!(places[0], 0.0);
        assert!(axis.ticks_ns(&[10]).contains(&0) && axis.ticks_ns(&[10]).contains(&-1_000));
    }

    #[test]
    fn one_value_alone_still_spans_an_axis() {
        for value in [0, 1, -1, 42, i64::MAX, i64::MIN] {
            let axis = LatencyAxis::spanning(value, value, 1);
            assert!(axis.low_ns < axis.high_ns, "{value}: {axis:?}");
            assert!(super::super::bins::edges(&axis, 40, 1).len() < 2_000, "{value}");
        }
    }
}
