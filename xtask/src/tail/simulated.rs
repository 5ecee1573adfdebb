//! Cells that are drawn from laws with a known quantile: what methods do where all is well, and where one thing is wrong.
//!
//! Every law begins at 5 µs and has steps of 8 ns, as latencies of the lab have.

use super::cell::Cell;
use super::score::{STRETCHES, Score, Scored, Truth};
use prazo_stats::tail::{Method, extrapolate};

const P: f64 = 1e-6;
const STEP_NS: f64 = 8.0;
const SEED: u64 = 0x7072_617a_6f00_0005;

/// How latencies are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Law {
    Exponential,
    HeavyPareto,
    EndingPareto,
    Rayleigh,
    Stretched,
    RareMode,
    SecondMode,
    Drift,
    Bursts,
    Groups,
}

impl Law {
    pub(super) const VALUES: [Self; 10] = [
        Self::Exponential,
        Self::HeavyPareto,
        Self::EndingPareto,
        Self::Rayleigh,
        Self::Stretched,
        Self::RareMode,
        Self::SecondMode,
        Self::Drift,
        Self::Bursts,
        Self::Groups,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Exponential => "exponential",
            Self::HeavyPareto => "Pareto, shape 0.2",
            Self::EndingPareto => "Pareto, shape -0.2",
            Self::Rayleigh => "Rayleigh",
            Self::Stretched => "stretched exponential, exponent 0.5",
            Self::RareMode => "1 of 100,000 is 30 µs later",
            Self::SecondMode => "1 of 500 is 30 µs later",
            Self::Drift => "drift by 30 %",
            Self::Bursts => "bursts: 100 of 1,000 are 30 % longer",
            Self::Groups => "each value lasts for 3 samples",
        }
    }

    /// A series of so many samples, in nanoseconds.
    fn draw(self, count: usize, random: &mut fastrand::Rng) -> Vec<i64> {
        let mut exponential = || -(1.0 - random.f64()).ln();
        let mut excesses: Vec<f64> = (0..count + 2).map(|_| self.excess(exponential())).collect();
        if let Some(share) = self.mode() {
            excesses.iter_mut().filter(|_| random.f64() < share).for_each(|excess| *excess += 30.0);
        }
        let value = |at: usize| match self {
            Self::Groups => excesses[at].max(excesses[at + 1]).max(excesses[at + 2]),
            _ => excesses[at],
        };
        let latency_ns = |at: usize| self.factor(at as f64 / count as f64, at) * (5_000.0 + 1_000.0 * value(at));
        (0..count).map(|at| ((latency_ns(at) / STEP_NS).round() * STEP_NS) as i64).collect()
    }

    /// The excess over 5 µs, in µs, that an exponential value becomes.
    fn excess(self, exponential: f64) -> f64 {
        match self {
            Self::HeavyPareto => (0.2 * exponential).exp_m1() / 0.2,
            Self::EndingPareto => (-0.2 * exponential).exp_m1() / -0.2,
            Self::Rayleigh => exponential.sqrt(),
            Self::Stretched => exponential * exponential,
            _ => exponential,
        }
    }

    /// The exponential value that becomes this excess.
    fn exponential(self, excess: f64) -> f64 {
        let excess = excess.max(0.0);
        match self {
            Self::HeavyPareto => (0.2 * excess).ln_1p() / 0.2,
            Self::EndingPareto => (-0.2 * excess.min(5.0)).ln_1p() / -0.2,
            Self::Rayleigh => excess * excess,
            Self::Stretched => excess.sqrt(),
            _ => excess,
        }
    }

    /// The share of samples in a mode 30 µs later.
    fn mode(self) -> Option<f64> {
        match self {
            Self::RareMode => Some(1e-5),
            Self::SecondMode => Some(2e-3),
            _ => None,
        }
    }

    /// What the sample at this part of the series is multiplied by.
    fn factor(self, part: f64, at: usize) -> f64 {
        match self {
            Self::Drift => 1.0 + 0.3 * part,
            Self::Bursts if (at / 100).is_multiple_of(10) => 1.3,
            _ => 1.0,
        }
    }

    /// The share of samples above a latency in nanoseconds.
    fn exceeding(self, latency_ns: f64) -> f64 {
        let above = |excess: f64| (-self.exponential(excess)).exp();
        let of_factor = |factor: f64| {
            let excess = (latency_ns / factor - 5_000.0) / 1_000.0;
            match (self, self.mode()) {
                (_, Some(share)) => share * above(excess - 30.0) + (1.0 - share) * above(excess),
                (Self::Groups, _) => 1.0 - (1.0 - above(excess)).powi(3),
                _ => above(excess),
            }
        };
        (0..1_000).map(|at| of_factor(self.factor((f64::from(at) + 0.5) / 1e3, at as usize))).sum::<f64>() / 1e3
    }

    /// The latency in nanoseconds that the share `p` of samples exceeds, by bisection.
    fn quantile_ns(self, p: f64) -> f64 {
        let (mut low, mut high) = (5_000.0, 1e6);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.exceeding(middle) > p { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }
}

/// Scores all methods on `count` series of the shorter length, and a tenth as many of the longer.
pub(super) fn scored(law: Law, count: usize) -> Scored {
    let quantile_ns = law.quantile_ns(P);
    let truth = Truth { quantile_ns, low_ns: quantile_ns, high_ns: quantile_ns };
    let counts = [count, count / 10];
    let scores = STRETCHES.iter().zip(counts).flat_map(|(samples, count)| {
        let mut random = fastrand::Rng::with_seed(SEED);
        let mut scores = Method::VALUES.map(|method| Score::new(method, *samples));
        for _ in 0..count {
            let series = law.draw(*samples, &mut random);
            scores.iter_mut().for_each(|score| score.count(extrapolate(score.method, &series, P), truth));
        }
        scores.map(Score::finished)
    });
    let scores = scores.collect();
    let cell = Cell { name: law.name().into(), ..Cell::default() };
    Scored { cell, p: Some(P), truth: Some(truth), scores }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_quantile_is_exceeded_by_its_share_of_drawn_samples() {
        for law in Law::VALUES {
            let mut random = fastrand::Rng::with_seed(SEED);
            let quantile_ns = law.quantile_ns(1e-3) as i64;
            let series = law.draw(1_000_000, &mut random);
            let found = series.iter().filter(|latency_ns| **latency_ns > quantile_ns).count();
            assert!((800..=1_200).contains(&found), "{law:?}: {found} of 1,000");
        }
    }
}
