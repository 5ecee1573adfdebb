//! How relative deadlines are drawn once cost and period are known.

use super::random::below;
use prazo_core::task::Ticks;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Where a deadline lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deadlines {
    /// D = T.
    #[default]
    Implicit,
    /// Evenly between C and T.
    UniConstrained,
    /// Evenly between C and 2T - C.
    UniArbitrary,
}

impl Deadlines {
    /// A deadline for a job that costs `cost <= period`.
    pub fn draw(self, rng: &mut ChaCha8Rng, cost: Ticks, period: Ticks) -> Ticks {
        match self {
            Self::Implicit => period,
            Self::UniConstrained => cost + below(rng, period - cost + 1),
            Self::UniArbitrary => cost + below(rng, 2 * (period - cost) + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::set_rng;
    use super::*;

    fn drawn(deadlines: Deadlines) -> Vec<Ticks> {
        let mut rng = set_rng(2, 0, 0);
        (0..10_000).map(|_| deadlines.draw(&mut rng, 2_000, 10_000)).collect()
    }

    #[test]
    fn constrained_deadlines_lie_evenly_between_cost_and_period() {
        let deadlines = drawn(Deadlines::UniConstrained);
        assert!(deadlines.iter().all(|deadline| (2_000..=10_000).contains(deadline)));
        assert!((deadlines.iter().sum::<u64>() / 10_000).abs_diff(6_000) < 100);
    }

    #[test]
    fn arbitrary_deadlines_reach_beyond_the_period() {
        let deadlines = drawn(Deadlines::UniArbitrary);
        assert!(deadlines.iter().all(|deadline| (2_000..=18_000).contains(deadline)));
        assert!((deadlines.iter().sum::<u64>() / 10_000).abs_diff(10_000) < 200);
        assert!(drawn(Deadlines::Implicit).iter().all(|deadline| *deadline == 10_000));
    }
}
