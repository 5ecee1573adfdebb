//! Stationarity of the level (Kwiatkowski and others 1992): do the sums of the deviations from the mean wander off?
//!
//! The test presumes short memory: the variance of the sums comes from the first autocovariances, with weights that decrease
//! (Newey and West 1987). Of ranks, it is not disturbed by a few very large values (Pelagatti and Sen 2013).

/// Critical value at 5 % for a constant level (their table 1).
pub(in crate::tail) const CRITICAL: f64 = 0.463;

/// Lags of the variance: 4 (n / 100)^(1/4), rounded down (Schwert 1989, as in the paper).
pub(in crate::tail) fn lags(count: usize) -> usize {
    (4.0 * (count as f64 / 100.0).powf(0.25)) as usize
}

/// The statistic; `None` if the values do not vary.
pub(in crate::tail) fn kpss(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let sums = sums_of_deviations(values);
    let variance = long_run_variance(values, lags(values.len()));
    (variance > 0.0).then(|| sums.map(|sum| sum * sum).sum::<f64>() / (count * count * variance))
}

/// The running sums of the deviations from the mean.
pub(super) fn sums_of_deviations(values: &[f64]) -> impl Iterator<Item = f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().scan(0.0, move |sum, value| {
        *sum += value - mean;
        Some(*sum)
    })
}

/// By lag, the sum of the products of the deviations from the mean of values so far apart.
pub(super) fn products(values: &[f64]) -> impl Fn(usize) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    move |lag| values.iter().zip(values.iter().skip(lag)).map(|(a, b)| (a - mean) * (b - mean)).sum()
}

/// The variance of a sum divided by its number of terms, from autocovariances up to `lags`.
pub(super) fn long_run_variance(values: &[f64], lags: usize) -> f64 {
    let products = products(values);
    let covariance = |lag: usize| products(lag) / values.len() as f64;
    let weight = |lag: usize| 1.0 - lag as f64 / (lags as f64 + 1.0);
    covariance(0) + 2.0 * (1..=lags).map(|lag| weight(lag) * covariance(lag)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tail::planted::rejections;

    fn is_refused(values: &[f64]) -> bool {
        kpss(values).unwrap() > CRITICAL
    }

    #[test]
    fn a_constant_level_is_refused_in_5_of_100_and_a_trend_or_a_jump_nearly_always() {
        let refused = rejections(100, |random| (0..200).map(|_| random.f64()).collect(), is_refused, 1_000);
        assert!((25..=75).contains(&refused), "{refused} of 1,000");
        let trend = |random: &mut fastrand::Rng| (0..200).map(|i| random.f64() + f64::from(i) * 0.003).collect();
        assert!(rejections(101, trend, is_refused, 200) >= 190);
        let jump = |random: &mut fastrand::Rng| (0..200).map(|i| random.f64() + f64::from(i / 100) * 0.4).collect();
        assert!(rejections(102, jump, is_refused, 200) >= 190);
    }

    #[test]
    fn values_that_do_not_vary_have_no_statistic() {
        assert_eq!(kpss(&[5.0; 50]), None);
        assert_eq!(kpss(&[]), None);
    }
}
