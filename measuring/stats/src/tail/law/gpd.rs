//! The generalised Pareto law of peaks over a threshold (Pickands 1975; Balkema and de Haan 1974).
//!
//! 1 - F(y) = (1 + shape y / scale)^(-1/shape) for the excess y over the threshold; exp(-y / scale) for a shape of 0. Hosking and
//! Wallis write -k for the shape.

use super::sorted::exponentials;
use super::{Law, grown, shrunk};

/// The law of an excess over a threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::tail) struct Gpd {
    /// Scale, in the unit of the values; positive.
    pub(in crate::tail) scale: f64,
    /// Shape, no unit.
    pub(in crate::tail) shape: f64,
}

impl Law for Gpd {
    const NAME: &'static str = "generalised Pareto law";

    /// Probability-weighted moments with plotting positions (j - 0.35) / n (Hosking and Wallis 1987).
    fn fitted(ascending: &[f64]) -> Option<Self> {
        let count = ascending.len() as f64;
        let mean = ascending.iter().sum::<f64>() / count;
        let weighted = ascending.iter().zip(1..).map(|(y, j)| (1.0 - (f64::from(j) - 0.35) / count) * y).sum::<f64>();
        let weighted = weighted / count;
        let difference = mean - 2.0 * weighted;
        let fit = Self { scale: 2.0 * mean * weighted / difference, shape: 2.0 - mean / difference };
        (fit.scale.is_finite() && fit.scale > 0.0 && fit.shape.is_finite()).then_some(fit)
    }

    fn below(self, y: f64) -> f64 {
        if y <= 0.0 {
            return 0.0;
        }
        if 1.0 + self.shape * y / self.scale <= 0.0 {
            return 1.0;
        }
        -(-shrunk(self.shape, y / self.scale)).exp_m1()
    }

    fn drawn(self, count: usize, random: &mut fastrand::Rng) -> Vec<f64> {
        exponentials(count, random).map(|e| self.scale * grown(self.shape, e)).collect()
    }

    fn shape(self) -> f64 {
        self.shape
    }
}

impl Gpd {
    /// The excess that the share 1 / `ratio` of all excesses exceeds.
    pub(in crate::tail) fn exceeded_by_one_in(self, ratio: f64) -> f64 {
        self.scale * grown(self.shape, ratio.ln())
    }

    /// The law with this shape whose excess exceeded by one in `ratio` is `excess`.
    pub(in crate::tail) fn through(excess: f64, ratio: f64, shape: f64) -> Self {
        Self { scale: excess / grown(shape, ratio.ln()), shape }
    }

    /// The logarithm of the likelihood of the excesses; minus infinity if one cannot be.
    pub(in crate::tail) fn ln_likelihood(self, excesses: &[f64]) -> f64 {
        let largest = excesses.iter().fold(0.0, |a: f64, b| a.max(*b));
        if 1.0 + self.shape * largest / self.scale <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let exponents: f64 = excesses.iter().map(|y| shrunk(self.shape, y / self.scale)).sum();
        -(excesses.len() as f64) * self.scale.ln() - (1.0 + self.shape) * exponents
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn moments_recover_the_law_that_was_drawn() {
        let mut random = fastrand::Rng::with_seed(1);
        for shape in [-0.3, -0.1, 0.0, 0.1, 0.25] {
            let law = Gpd { scale: 700.0, shape };
            let found = Gpd::fitted(&law.drawn(100_000, &mut random)).unwrap();
            assert!((found.shape - shape).abs() < 0.03 && (found.scale / 700.0 - 1.0).abs() < 0.03, "{found:?}");
        }
    }

    #[test]
    fn equal_values_and_none_have_no_panic() {
        assert_eq!(Gpd::fitted(&[]), None);
        let _ = (Gpd::fitted(&[5.0]), Gpd::fitted(&[5.0; 10]), Gpd::fitted(&[0.0; 10]));
        assert_eq!(Gpd::fitted(&[0.0; 10]), None);
    }

    #[test]
    fn the_likelihood_is_the_sum_of_the_slope_of_the_probability() {
        let law = Gpd { scale: 2.0, shape: 0.2 };
        let slope = |y: f64| (law.below(y + 1e-6) - law.below(y - 1e-6)) / 2e-6;
        let excesses = [0.3, 1.0, 4.0];
        let by_slope: f64 = excesses.iter().map(|y| slope(*y).ln()).sum();
        assert!((law.ln_likelihood(&excesses) - by_slope).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn quantile_and_probability_are_inverses(shape in -0.5f64..0.9, scale in 1.0f64..1e4, ratio in 1.5f64..1e5) {
            let law = Gpd { scale, shape };
            let excess = law.exceeded_by_one_in(ratio);
            prop_assert!(((1.0 - law.below(excess)) * ratio - 1.0).abs() < 1e-4);
            let again = Gpd::through(excess, ratio, shape);
            prop_assert!((again.scale / scale - 1.0).abs() < 1e-9);
        }
    }
}
