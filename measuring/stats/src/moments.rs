//! Mean and deviation from exact integer sums, with one division at the end.

use crate::distribution::Distribution;

/// Mean and deviation of a distribution, bracketed values taken at their lower end.
pub(crate) struct Moments {
    /// Mean in nanoseconds.
    pub mean_ns: f64,
    /// Sample standard deviation (n - 1) in nanoseconds; `None` below two values.
    pub sd_ns: Option<f64>,
}

/// The moments; `None` without any value.
///
/// Deviations are taken from the rounded mean, so that their squares stay small and nothing cancels.
pub(crate) fn moments(distribution: &Distribution) -> Option<Moments> {
    let count = distribution.count();
    if count == 0 {
        return None;
    }
    let n = i128::from(count);
    let sum: i128 = cells(distribution).map(|(value, count)| i128::from(value) * i128::from(count)).sum();
    let centre = sum.div_euclid(n);
    let rest = sum.rem_euclid(n);
    let mean_ns = centre as f64 + rest as f64 / n as f64;
    Some(Moments { mean_ns, sd_ns: deviation(distribution, centre, rest, count) })
}

/// sum((x - mean)^2) = sum((x - centre)^2) - rest^2 / n, where rest = sum(x - centre).
fn deviation(distribution: &Distribution, centre: i128, rest: i128, count: u64) -> Option<f64> {
    let squares = cells(distribution).try_fold(0i128, |sum, (value, count)| {
        let distance = i128::from(value) - centre;
        sum.checked_add(distance.checked_mul(distance)?.checked_mul(i128::from(count))?)
    })?;
    let about_mean = squares as f64 - rest as f64 * (rest as f64 / count as f64);
    (count > 1).then(|| (about_mean.max(0.0) / (count - 1) as f64).sqrt())
}

fn cells(distribution: &Distribution) -> impl Iterator<Item = (i64, u64)> {
    let vague = distribution.vague().iter().map(|part| (part.at_least_ns, part.count));
    distribution.exact().iter().copied().chain(vague)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_small_spread_on_a_large_mean_does_not_cancel() {
        let billion = 1_000_000_000_000_000_000;
        let cells = vec![(billion, 1), (billion + 1, 1), (billion + 2, 1)];
        let found = moments(&Distribution::new(cells, vec![])).unwrap();
        assert_eq!(found.mean_ns, 1_000_000_000_000_000_001_i64 as f64);
        assert_eq!(found.sd_ns, Some(1.0));
    }

    #[test]
    fn one_value_has_no_deviation_and_none_has_no_mean() {
        assert_eq!(moments(&Distribution::new(vec![(7, 1)], vec![])).unwrap().sd_ns, None);
        assert!(moments(&Distribution::default()).is_none());
    }

    #[test]
    fn values_at_the_ends_of_the_range_do_not_overflow() {
        let found = moments(&Distribution::new(vec![(i64::MIN, 1), (i64::MAX, 1)], vec![])).unwrap();
        assert_eq!(found.mean_ns, -0.5);
    }

    proptest! {
        #[test]
        fn moments_agree_with_two_passes_over_all_samples(values in prop::collection::vec(-1_000_000i64..100_000_000, 2..60)) {
            let found = moments(&Distribution::new(values.iter().map(|v| (*v, 1)).collect(), vec![])).unwrap();
            let n = values.len() as f64;
            let mean = values.iter().map(|v| *v as f64).sum::<f64>() / n;
            let sd = (values.iter().map(|v| (*v as f64 - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
            prop_assert!((found.mean_ns - mean).abs() <= 1e-9 * mean.abs().max(1.0));
            prop_assert!((found.sd_ns.unwrap() - sd).abs() <= 1e-9 * sd.max(1.0));
        }
    }
}
