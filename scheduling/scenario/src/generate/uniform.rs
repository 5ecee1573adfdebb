//! Utilizations spread evenly over an interval; Vitor 2013 section IV-C uses [0.001, 0.1].

use super::random::unit;
use super::share::Share;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Each task's utilization is uniform over `range`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Uniform {
    range: [Share; 2],
}

impl Uniform {
    /// [0.001, 0.1]: many small tasks.
    pub const LIGHT: Uniform = Uniform::between(0.001, 0.1);
    /// [0.1, 0.4].
    pub const MEDIUM: Uniform = Uniform::between(0.1, 0.4);
    /// [0.5, 0.9]: no two tasks fit on one processor.
    pub const HEAVY: Uniform = Uniform::between(0.5, 0.9);

    /// Uniform over these two, whichever is the larger.
    pub(super) const fn between(one: f64, other: f64) -> Self {
        Self { range: [Share::constant(one), Share::constant(other)] }
    }

    /// One task's utilization.
    pub fn share(&self, rng: &mut ChaCha8Rng) -> f64 {
        let [one, other] = self.range.map(Share::value);
        one + unit(rng) * (other - one)
    }
}

#[cfg(test)]
mod tests {
    use super::super::set_rng;
    use super::*;

    #[test]
    fn light_tasks_have_the_mean_and_the_ends_of_vitor_2013() {
        let mut rng = set_rng(3, 0, 0);
        let shares: Vec<f64> = (0..20_000).map(|_| Uniform::LIGHT.share(&mut rng)).collect();
        let mean = shares.iter().sum::<f64>() / 20_000.0;
        let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!((mean - 0.0505).abs() < 0.0006, "{mean}");
        assert!((variance - 0.099f64.powi(2) / 12.0).abs() < 0.00002, "{variance}");
        assert!(shares.iter().all(|share| (0.001..0.1).contains(share)));
    }
}
