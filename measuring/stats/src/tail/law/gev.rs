//! The generalised extreme value law of block maxima (Fisher and Tippett 1928; Jenkinson 1955).
//!
//! F(x) = exp(-(1 + shape (x - location) / scale)^(-1/shape)); exp(-exp(-(x - location) / scale)) for a shape of 0. Hosking writes
//! -k for the shape.

use super::sorted::exponentials;
use super::{Law, grown, shrunk};
use statrs::function::gamma::gamma;

/// Euler's constant.
const EULER: f64 = 0.577_215_664_901_532_9;

/// The law of the largest of many values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::tail) struct Gev {
    /// Location, in the unit of the values.
    pub(in crate::tail) location: f64,
    /// Scale, in the unit of the values; positive.
    pub(in crate::tail) scale: f64,
    /// Shape, no unit.
    pub(in crate::tail) shape: f64,
}

impl Law for Gev {
    const NAME: &'static str = "generalised extreme value law";

    /// Probability-weighted moments (Hosking, Wallis, Wood 1985).
    fn fitted(ascending: &[f64]) -> Option<Self> {
        if ascending.len() < 3 || ascending.first() == ascending.last() {
            return None;
        }
        let count = ascending.len() as f64;
        let (mut b0, mut b1, mut b2) = (0.0, 0.0, 0.0);
        for (j, x) in ascending.iter().enumerate() {
            let j = j as f64;
            b0 += x / count;
            b1 += x * j / (count - 1.0) / count;
            b2 += x * j * (j - 1.0) / ((count - 1.0) * (count - 2.0)) / count;
        }
        let c = (2.0 * b1 - b0) / (3.0 * b2 - b0) - 2f64.ln() / 3f64.ln();
        let k = 7.8590 * c + 2.9554 * c * c;
        let fit = if k.abs() < 1e-6 {
            let scale = (2.0 * b1 - b0) / 2f64.ln();
            Self { location: b0 - EULER * scale, scale, shape: 0.0 }
        } else {
            let factor = gamma(1.0 + k);
            let scale = (2.0 * b1 - b0) * k / (factor * (1.0 - 2f64.powf(-k)));
            Self { location: b0 + scale * (factor - 1.0) / k, scale, shape: -k }
        };
        let is_finite = fit.location.is_finite() && fit.scale.is_finite() && fit.shape.is_finite();
        (k > -1.0 && is_finite && fit.scale > 0.0).then_some(fit)
    }

    fn below(self, x: f64) -> f64 {
        let z = (x - self.location) / self.scale;
        if 1.0 + self.shape * z <= 0.0 {
            return if self.shape > 0.0 { 0.0 } else { 1.0 };
        }
        (-(-shrunk(self.shape, z)).exp()).exp()
    }

    fn drawn(self, count: usize, random: &mut fastrand::Rng) -> Vec<f64> {
        // -ln F(x) is exponential; the largest value has the smallest one.
        let mut values: Vec<f64> = exponentials(count, random).map(|e| self.at(e)).collect();
        values.reverse();
        values
    }

    fn shape(self) -> f64 {
        self.shape
    }
}

impl Gev {
    /// The value x with F(x) = exp(-`exponent`).
    pub(in crate::tail) fn at(self, exponent: f64) -> f64 {
        self.location + self.scale * grown(self.shape, -exponent.ln())
    }

    /// The law with this scale and shape that has F(`x`) = exp(-`exponent`).
    pub(in crate::tail) fn through(x: f64, exponent: f64, scale: f64, shape: f64) -> Self {
        Self { location: x - scale * grown(shape, -exponent.ln()), scale, shape }
    }

    /// The logarithm of the likelihood of the maxima; minus infinity if one cannot be.
    pub(in crate::tail) fn ln_likelihood(self, maxima: &[f64]) -> f64 {
        let mut sum = -(maxima.len() as f64) * self.scale.ln();
        for x in maxima {
            let z = (x - self.location) / self.scale;
            if 1.0 + self.shape * z <= 0.0 {
                return f64::NEG_INFINITY;
            }
            let exponent = shrunk(self.shape, z);
            sum -= (1.0 + self.shape) * exponent + (-exponent).exp();
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn moments_recover_the_law_that_was_drawn() {
        let mut random = fastrand::Rng::with_seed(2);
        for shape in [-0.3, -0.1, 0.0, 0.1, 0.25] {
            let law = Gev { location: 9_000.0, scale: 700.0, shape };
            let found = Gev::fitted(&law.drawn(100_000, &mut random)).unwrap();
            assert!((found.shape - shape).abs() < 0.03 && (found.scale / 700.0 - 1.0).abs() < 0.03, "{found:?}");
            assert!((found.location - 9_000.0).abs() < 20.0, "{found:?}");
        }
    }

    #[test]
    fn equal_values_and_few_have_no_fit() {
        for values in [&[][..], &[1.0], &[1.0, 2.0], &[7.0; 20]] {
            assert_eq!(Gev::fitted(values), None, "{values:?}");
        }
    }

    #[test]
    fn the_likelihood_is_the_sum_of_the_slope_of_the_probability() {
        let law = Gev { location: 1.0, scale: 2.0, shape: -0.2 };
        let slope = |x: f64| (law.below(x + 1e-6) - law.below(x - 1e-6)) / 2e-6;
        let maxima = [0.3, 1.0, 4.0];
        let by_slope: f64 = maxima.iter().map(|x| slope(*x).ln()).sum();
        assert!((law.ln_likelihood(&maxima) - by_slope).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn quantile_and_probability_are_inverses(shape in -0.5f64..0.9, scale in 1.0f64..1e4, exponent in 1e-5f64..3.0) {
            let law = Gev { location: 50.0, scale, shape };
            let x = law.at(exponent);
            prop_assert!((-law.below(x).ln() / exponent - 1.0).abs() < 1e-4);
            prop_assert!((Gev::through(x, exponent, scale, shape).location - 50.0).abs() < 1e-6 * scale.max(x.abs()));
        }
    }
}
