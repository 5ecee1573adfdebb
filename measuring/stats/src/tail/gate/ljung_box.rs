//! Dependence over the first lags (Ljung and Box 1978): are neighbours alike?

use super::kpss::products;
use statrs::function::gamma::gamma_ur;

/// The share of independent series whose autocorrelations over `lags` are together at least so large; `None` if the values do not vary
/// or are too few.
pub(in crate::tail) fn ljung_box(values: &[f64], lags: usize) -> Option<f64> {
    let count = values.len() as f64;
    let product = products(values);
    let variance = product(0);
    if values.len() <= 2 * lags || variance.is_nan() || variance <= 0.0 {
        return None;
    }
    let term = |lag: usize| (product(lag) / variance).powi(2) / (count - lag as f64);
    let statistic = count * (count + 2.0) * (1..=lags).map(term).sum::<f64>();
    Some(gamma_ur(lags as f64 / 2.0, statistic / 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tail::planted::rejections;

    #[test]
    fn independent_values_are_refused_in_5_of_100_and_dependent_ones_nearly_always() {
        let is_refused = |values: &[f64]| ljung_box(values, 10).unwrap() < 0.05;
        let refused = rejections(120, |random| (0..200).map(|_| random.f64()).collect(), is_refused, 1_000);
        assert!((25..=80).contains(&refused), "{refused} of 1,000");
        let alike = |random: &mut fastrand::Rng| {
            (0..200)
                .scan(0.0, |last, _| {
                    *last = 0.5 * *last + random.f64();
                    Some(*last)
                })
                .collect()
        };
        assert!(rejections(121, alike, is_refused, 200) >= 190);
        assert_eq!(ljung_box(&[3.0; 100], 10), None);
        assert_eq!(ljung_box(&[1.0, 2.0], 10), None);
    }
}
