//! Long memory by the rescaled range (Hurst 1951; Lo 1991): how far do the sums of the deviations range, against chance?
//!
//! Lo's correction divides by a variance that includes short memory, as for [`super::kpss`].

use super::kpss::{lags, long_run_variance, sums_of_deviations};

/// The statistic divided by the square root of the count; `None` if the values do not vary.
pub(in crate::tail) fn rescaled_range(values: &[f64]) -> Option<f64> {
    let (low, high) =
        sums_of_deviations(values).fold((0.0, 0.0), |(low, high): (f64, f64), sum| (low.min(sum), high.max(sum)));
    let variance = long_run_variance(values, lags(values.len()));
    (variance > 0.0).then(|| (high - low) / (variance * values.len() as f64).sqrt())
}

/// The share of series without long memory that range at least so far: the range of a Brownian bridge (Kuiper 1960; Lo 1991).
pub(in crate::tail) fn probability(range: f64) -> f64 {
    if range < 0.3 {
        return 1.0;
    }
    let term = |k: f64| 2.0 * (4.0 * (k * range).powi(2) - 1.0) * (-2.0 * (k * range).powi(2)).exp();
    (1..=50).map(|k| term(f64::from(k))).sum::<f64>().clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tail::planted::rejections;

    #[test]
    fn probabilities_agree_with_the_published_table() {
        // Lo 1991, table II, to the digits printed there.
        for (range, at_most) in [(0.809, 0.025), (0.861, 0.05), (1.223, 0.5), (1.747, 0.95), (1.862, 0.975)] {
            assert!((1.0 - probability(range) - at_most).abs() < 1e-3, "{range}: {}", 1.0 - probability(range));
        }
        assert_eq!(probability(0.0), 1.0);
    }

    #[test]
    fn independent_values_are_rarely_refused_and_a_slow_wander_nearly_always() {
        let is_refused = |values: &[f64]| probability(rescaled_range(values).unwrap()) < 0.05;
        let refused = rejections(110, |random| (0..1_000).map(|_| random.f64()).collect(), is_refused, 1_000);
        assert!((20..=75).contains(&refused), "{refused} of 1,000");
        let wander = |random: &mut fastrand::Rng| {
            (0..1_000)
                .scan(0.0, |level, _| {
                    *level += 0.1 * (random.f64() - 0.5);
                    Some(*level + random.f64())
                })
                .collect()
        };
        assert!(rejections(111, wander, is_refused, 200) >= 180);
        assert_eq!(rescaled_range(&[1.0; 9]), None);
    }
}
