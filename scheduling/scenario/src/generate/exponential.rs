//! Utilizations with an exponential distribution, redrawn when above one.

use super::random::unit_above_zero;
use super::share::Share;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Each task's utilization is exponential with this mean, as long as it is at most one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exponential {
    mean: Share,
}

impl Exponential {
    /// Mean 0.10.
    pub const LIGHT: Exponential = Exponential { mean: Share::constant(0.10) };
    /// Mean 0.25.
    pub const MEDIUM: Exponential = Exponential { mean: Share::constant(0.25) };
    /// Mean 0.50.
    pub const HEAVY: Exponential = Exponential { mean: Share::constant(0.50) };

    /// One task's utilization. As the mean is at most one, at least 63 of 100 draws are kept.
    pub fn share(&self, rng: &mut ChaCha8Rng) -> f64 {
        loop {
            let drawn = -self.mean.value() * libm::log(unit_above_zero(rng));
            if drawn <= 1.0 {
                return drawn;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::set_rng;
    use super::*;

    #[test]
    fn the_mean_is_that_of_the_distribution_cut_at_one() {
        let mut rng = set_rng(4, 0, 0);
        let mean = (0..50_000).map(|_| Exponential::HEAVY.share(&mut rng)).sum::<f64>() / 50_000.0;
        // E[X | X <= 1] = mean - e^(-1/mean) / (1 - e^(-1/mean)) for an exponential X.
        let tail = (-2.0f64).exp();
        assert!((mean - (0.5 - tail / (1.0 - tail))).abs() < 0.005, "{mean}");
    }

    #[test]
    fn no_utilization_is_above_one() {
        let mut rng = set_rng(4, 0, 1);
        assert!((0..50_000).map(|_| Exponential::HEAVY.share(&mut rng)).all(|share| (0.0..=1.0).contains(&share)));
    }
}
