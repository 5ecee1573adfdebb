//! Does the fitted law describe the values? Statistics of the distance of both, and their critical values by simulation.
//!
//! A law whose parameters come from the same values lies closer to them than the true one. So the statistic is compared with those of
//! samples that were drawn from the fitted law and fitted again (parametric bootstrap; Stute, Manteiga, Quindimil 1993).

use super::LEVEL;
use crate::tail::answer::{Gate, Refused};
use crate::tail::law::Law;

/// Samples that the statistic is compared with, at most.
const DRAWS: usize = 199;

/// A distance between values and a law: the probabilities of the values under the law, in ascending order.
pub(in crate::tail) type Statistic = fn(&[f64]) -> f64;

/// Anderson and Darling 1954: the squared distance, weighted towards both tails.
pub(in crate::tail) fn anderson_darling(below: &[f64]) -> f64 {
    let count = below.len() as f64;
    let pairs = below.iter().zip(below.iter().rev()).zip(0..);
    -count
        - pairs.map(|((u, from_top), i)| (2.0 * f64::from(i) + 1.0) * (u.ln() + (-from_top).ln_1p())).sum::<f64>()
            / count
}

/// Sinclair, Spurr, Ahmad 1990: the same, weighted towards the upper tail alone.
pub(in crate::tail) fn upper_anderson_darling(below: &[f64]) -> f64 {
    let count = below.len() as f64;
    let term = |(u, i): (&f64, u32)| 2.0 * u + (2.0 - (2.0 * f64::from(i) + 1.0) / count) * (-u).ln_1p();
    count / 2.0 - below.iter().zip(0..).map(term).sum::<f64>()
}

/// Kolmogorov and Smirnov: the largest distance of the two distribution functions.
pub(in crate::tail) fn kolmogorov_smirnov(below: &[f64]) -> f64 {
    let count = below.len() as f64;
    let distance = |(u, i): (&f64, u32)| (u - f64::from(i) / count).max((f64::from(i) + 1.0) / count - u);
    below.iter().zip(0..).map(distance).fold(0.0, f64::max)
}

/// The probabilities of `ascending` values under a law, away from 0 and 1 so that they have logarithms.
pub(in crate::tail) fn probabilities<L: Law>(law: L, ascending: &[f64]) -> Vec<f64> {
    ascending.iter().map(|x| law.below(*x).clamp(1e-15, 1.0 - 1e-15)).collect()
}

/// Refuses values in ascending order that lie further from their law than 95 % of samples of that law do.
///
/// Draws end as soon as the decision is certain, which does not change it (Besag and Clifford 1991).
pub(in crate::tail) fn fits<L: Law>(
    law: L,
    ascending: &[f64],
    statistic: Statistic,
    random: &mut fastrand::Rng,
) -> Result<(), Refused> {
    let found = statistic(&probabilities(law, ascending));
    // p = (larger + 1) / (draws + 1), the found one included.
    let needed = (LEVEL * (DRAWS + 1) as f64).round() as usize;
    let mut larger = 0;
    for drawn in 0..DRAWS {
        if larger >= needed {
            return Ok(());
        }
        if larger + (DRAWS - drawn) < needed {
            break;
        }
        let sample = law.drawn(ascending.len(), random);
        // A sample without a fit counts against the law.
        let fitted = L::fitted(&sample);
        larger += usize::from(fitted.is_some_and(|law| statistic(&probabilities(law, &sample)) >= found));
    }
    if larger >= needed {
        return Ok(());
    }
    Err(Gate::Fit.refuses(format!(
        "the {} is further from the {} largest values than from 95 % of samples of its own",
        L::NAME,
        ascending.len()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tail::law::gev::Gev;
    use crate::tail::law::gpd::Gpd;

    /// The slow, obvious twin: the integral of the weighted squared distance, by the midpoint rule.
    fn by_integral(below: &[f64], weight: impl Fn(f64) -> f64) -> f64 {
        let (n, steps) = (below.len() as f64, 1_000_000);
        let at = |i: i32| (f64::from(i) + 0.5) / f64::from(steps);
        let share = |u: f64| below.iter().filter(|value| **value <= u).count() as f64 / n;
        n * (0..steps).map(|i| (share(at(i)) - at(i)).powi(2) * weight(at(i))).sum::<f64>() / f64::from(steps)
    }

    #[test]
    fn statistics_agree_with_the_integrals_that_define_them() {
        let below = [0.02, 0.3, 0.31, 0.5, 0.77, 0.9];
        let found = anderson_darling(&below);
        assert!((found - by_integral(&below, |u| 1.0 / (u * (1.0 - u)))).abs() < 1e-3, "{found}");
        let found = upper_anderson_darling(&below);
        assert!((found - by_integral(&below, |u| 1.0 / (1.0 - u))).abs() < 1e-3, "{found}");
        assert!((kolmogorov_smirnov(&[0.1, 0.2, 0.9]) - (2.0 / 3.0 - 0.2)).abs() < 1e-12);
    }

    fn refusals(draw: impl Fn(&mut fastrand::Rng) -> Vec<f64>, of: usize) -> usize {
        let mut random = fastrand::Rng::with_seed(6);
        let refused = |_: &usize| {
            let mut sample = draw(&mut random);
            sample.sort_by(f64::total_cmp);
            fits(Gpd::fitted(&sample).unwrap(), &sample, anderson_darling, &mut random).is_err()
        };
        (0..of).filter(refused).count()
    }

    #[test]
    fn a_sample_of_the_law_is_refused_in_5_of_100_and_two_humps_nearly_always() {
        for shape in [-0.2, 0.0, 0.2] {
            let refused = refusals(|random| Gpd { scale: 9.0, shape }.drawn(200, random), 400);
            assert!((8..=34).contains(&refused), "shape {shape}: {refused} of 400");
        }
        let humps = |random: &mut fastrand::Rng| -> Vec<f64> {
            (0..200).map(|i| if i % 4 == 0 { 40.0 + random.f64() } else { random.f64() * 10.0 }).collect()
        };
        assert_eq!(refusals(humps, 50), 50);
    }

    #[test]
    fn block_maxima_of_the_law_are_refused_in_5_of_100() {
        let mut random = fastrand::Rng::with_seed(7);
        let law = Gev { location: 50.0, scale: 9.0, shape: 0.1 };
        let refused = |_: &usize| {
            let sample = law.drawn(100, &mut random);
            fits(Gev::fitted(&sample).unwrap(), &sample, anderson_darling, &mut random).is_err()
        };
        let refused = (0..400).filter(refused).count();
        assert!((8..=34).contains(&refused), "{refused} of 400");
    }
}
