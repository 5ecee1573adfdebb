//! The quantile that many samples show themselves: what extrapolations are scored against.

use crate::confidence::ALPHA_OF_A_SIDE;
use serde::{Deserialize, Serialize};

/// An empirical quantile with a 95 % interval for independent samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// The order statistic of rank ceil((1 - p) n), in nanoseconds.
    pub quantile_ns: i64,
    /// Lower end of the 95 % interval, an order statistic, in nanoseconds.
    pub low_ns: i64,
    /// Upper end, likewise.
    pub high_ns: i64,
}

/// The latency that the share `p` of activations exceeds, from samples in ascending order. The number of samples above the true
/// quantile is binomial, so two order statistics enclose it (Conover 1999, section 3.2). If samples depend on each other, the interval is too
/// narrow. `None` if the samples are too few to bound the quantile from above: n p must be at least 3.7.
pub fn observed(ascending_ns: &[i64], p: f64) -> Option<Observed> {
    let count = ascending_ns.len();
    let (fewest, most) = exceeding(count, p)?;
    let from_top = |place: usize| ascending_ns.get(count.checked_sub(place)?).copied();
    let rank = ((1.0 - p) * count as f64).ceil().max(1.0) as usize;
    Some(Observed {
        quantile_ns: ascending_ns[rank.min(count) - 1],
        low_ns: from_top(most + 1)?,
        high_ns: from_top(fewest)?,
    })
}

/// The smallest and the largest number of exceedances that are not too rare: at most 2.5 % lie below, and at most 2.5 % above. `None` if
/// none at all is not rare.
fn exceeding(count: usize, p: f64) -> Option<(usize, usize)> {
    let n = count as f64;
    let mut probability = (n * (-p).ln_1p()).exp();
    let mut sum = probability;
    if sum > ALPHA_OF_A_SIDE || !(0.0..1.0).contains(&p) || p == 0.0 {
        return None;
    }
    if probability < 1e-290 {
        // Too many exceedances for the recursion: the normal approximation is good to a thousandth of the width.
        let (mean, half) = (n * p, 1.959964 * (n * p * (1.0 - p)).sqrt());
        return Some(((mean - half).floor().max(1.0) as usize, (mean + half).ceil() as usize));
    }
    let (mut fewest, mut k) = (0, 0);
    while sum < 1.0 - ALPHA_OF_A_SIDE && k < count {
        if sum <= ALPHA_OF_A_SIDE {
            fewest = k + 1;
        }
        probability *= (n - k as f64) / (k as f64 + 1.0) * p / (1.0 - p);
        k += 1;
        sum += probability;
    }
    Some((fewest, k))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_million_samples_bound_one_in_a_million_and_three_do_not() {
        assert_eq!(exceeding(3_000_000, 1e-6), None);
        let (fewest, most) = exceeding(4_000_000, 1e-6).unwrap();
        assert_eq!((fewest, most), (1, 8));
        assert_eq!(exceeding(10_000_000, 1e-6), Some((4, 17)));
        assert_eq!(observed(&[], 1e-6), None);
        assert_eq!(observed(&[5; 10], 0.0), None);
    }

    #[test]
    fn the_interval_holds_the_quantile_in_95_of_100() {
        let mut random = fastrand::Rng::with_seed(8);
        let held = |_: &usize| {
            let mut values: Vec<i64> = (0..2_000).map(|_| random.i64(0..1_000_000)).collect();
            values.sort_unstable();
            let found = observed(&values, 0.01).unwrap();
            assert!(found.low_ns <= found.quantile_ns && found.quantile_ns <= found.high_ns);
            found.low_ns <= 990_000 && 990_000 <= found.high_ns
        };
        let held = (0..1_000).filter(held).count();
        assert!((935..=985).contains(&held), "{held} of 1,000");
    }

    #[test]
    fn very_many_exceedances_agree_with_the_recursion_next_to_it() {
        let (a, b) = (exceeding(60_000, 0.01).unwrap(), exceeding(70_000, 0.01).unwrap());
        assert_eq!(a, (553, 648));
        assert_eq!(b, (648, 752));
    }
}
