//! The 95 % interval of a quantile by profile likelihood.
//!
//! For each value of the quantile, the other parameters take their most likely values. The interval holds every quantile whose
//! likelihood is not too far below the largest one (Coles 2001, sections 2.6.6 and 4.3.3). It is wider above than below, as the
//! uncertainty of a far quantile is. An interval from a standard error or from percentiles of redrawn fits is too low.

use super::gev::Gev;
use super::gpd::Gpd;
use crate::tail::search::{falls_below, largest};

/// Half of the 95 % quantile of chi-squared with one degree of freedom.
const DROP: f64 = 1.920_729;
/// Maximum likelihood is regular above -0.5 (Smith 1985); at 1, the mean is infinite.
pub(in crate::tail) const SHAPES: [f64; 2] = [-0.5, 1.0];
/// Steps of the search for a shape: to 0.001, a fraction of its uncertainty.
const STEPS: usize = 15;
/// The quantile is searched over this factor on either side, as a logarithm.
const REACH: f64 = 12.0;

/// What the likelihood says of a quantile; all in the unit of the values, above the threshold or the origin that was given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::tail) struct Profile {
    /// The most likely quantile.
    pub(in crate::tail) best: f64,
    /// Lower end of the 95 % interval.
    pub(in crate::tail) low: f64,
    /// Upper end, if the likelihood falls at all.
    pub(in crate::tail) high: Option<f64>,
    /// The most likely shape.
    pub(in crate::tail) shape: f64,
}

impl Profile {
    /// True if the most likely shape lies at an end of what is searched.
    pub(in crate::tail) fn is_at_an_end(&self) -> bool {
        self.shape < SHAPES[0] + 0.01 || self.shape > SHAPES[1] - 0.01
    }
}

/// The excess that one in `ratio` excesses exceeds; `start` is a first guess.
pub(in crate::tail) fn of_peaks(excesses: &[f64], ratio: f64, start: f64) -> Option<Profile> {
    profile(start, |excess| {
        largest(SHAPES[0], SHAPES[1], STEPS, |shape| Gpd::through(excess, ratio, shape).ln_likelihood(excesses))
    })
}

/// The height above `origin` at which the law of the maxima is exp(-`exponent`); `start` is a first guess of the law. `origin` lies
/// below the quantile.
pub(in crate::tail) fn of_maxima(maxima: &[f64], exponent: f64, origin: f64, start: Gev) -> Option<Profile> {
    profile(start.at(exponent) - origin, |height| {
        largest(SHAPES[0], SHAPES[1], STEPS, |shape| {
            let with = |ln_scale: f64| Gev::through(origin + height, exponent, ln_scale.exp(), shape);
            let around = start.scale.ln();
            largest(around - 2.5, around + 2.5, STEPS, |ln_scale| with(ln_scale).ln_likelihood(maxima)).1
        })
    })
}

/// The interval from `most_likely`: for a quantile, the most likely shape and the logarithm of the likelihood.
fn profile(start: f64, most_likely: impl Fn(f64) -> (f64, f64)) -> Option<Profile> {
    if !start.is_finite() || start <= 0.0 {
        return None;
    }
    let at = |ln: f64| most_likely(ln.exp()).1;
    // The best quantile lies near the start. If it lies at an end of this range, the range moves.
    let (mut centre, mut found) = (start.ln(), (0.0, f64::NEG_INFINITY));
    for _ in 0..6 {
        found = largest(centre - 1.0, centre + 1.0, 18, at);
        if (found.0 - centre).abs() < 0.98 {
            break;
        }
        centre = found.0;
    }
    let (best, top) = found;
    if !top.is_finite() {
        return None;
    }
    let low = falls_below(best, -0.1, REACH, top - DROP, at)?;
    let high = falls_below(best, 0.1, REACH, top - DROP, at);
    Some(Profile { best: best.exp(), low: low.exp(), high: high.map(f64::exp), shape: most_likely(best.exp()).0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tail::law::Law;

    #[test]
    fn the_most_likely_shape_is_that_of_the_law() {
        let mut random = fastrand::Rng::with_seed(3);
        for shape in [-0.3, 0.0, 0.3] {
            let law = Gpd { scale: 100.0, shape };
            let found = of_peaks(&law.drawn(20_000, &mut random), 1_000.0, 500.0).unwrap();
            assert!((found.shape - shape).abs() < 0.03, "{found:?}");
            assert!((found.best / law.exceeded_by_one_in(1_000.0) - 1.0).abs() < 0.1, "{found:?}");
            let law = Gev { location: 5_000.0, scale: 100.0, shape };
            let drawn = law.drawn(5_000, &mut random);
            let found = of_maxima(&drawn, 1e-3, 5_000.0, Gev::fitted(&drawn).unwrap()).unwrap();
            assert!((found.shape - shape).abs() < 0.05, "{found:?}");
        }
    }

    /// The slow, obvious twin: the likelihood on a grid of scales and shapes.
    #[test]
    fn the_interval_agrees_with_a_grid_of_scales_and_shapes() {
        let mut random = fastrand::Rng::with_seed(4);
        let excesses = Gpd { scale: 100.0, shape: 0.1 }.drawn(200, &mut random);
        let found = of_peaks(&excesses, 100.0, 500.0).unwrap();
        let laws = (0..400).flat_map(|i| {
            (0..400).map(move |j| Gpd { scale: 60.0 + f64::from(i) * 0.25, shape: -0.4 + f64::from(j) * 0.0025 })
        });
        let scored: Vec<(f64, f64)> =
            laws.map(|law| (law.ln_likelihood(&excesses), law.exceeded_by_one_in(100.0))).collect();
        let top = scored.iter().map(|(likelihood, _)| *likelihood).fold(f64::NEG_INFINITY, f64::max);
        let inside = || scored.iter().filter(|(likelihood, _)| *likelihood > top - DROP).map(|(_, quantile)| *quantile);
        let (low, high) = (inside().fold(f64::INFINITY, f64::min), inside().fold(0.0, f64::max));
        assert!((found.low / low - 1.0).abs() < 0.02, "{found:?} {low} {high}");
        assert!((found.high.unwrap() / high - 1.0).abs() < 0.02, "{found:?} {low} {high}");
    }
}
