//! Latencies come in steps of their clock: 8 ns in the lab, 1 µs from cyclictest's histogram. The laws of extremes are continuous.
//!
//! Each value gets a random part of a step, so that equal values differ, as for randomised residuals (Dunn and Smyth 1996).
//! The noise is seeded by the values. The gate below keeps it small beside the spread of the large values.

use super::answer::{Gate, Refused};
use prazo_core::hash::fnv1a;
use prazo_core::ratio::gcd;

const SEED: u64 = 0x7072_617a_6f00_0004;
/// The mean of the peaks above their threshold is at least this many steps.
const STEPS_MIN: f64 = 4.0;

/// The greatest common divisor of all differences of the values; `None` if all values are equal.
pub(super) fn step(latencies_ns: &[i64]) -> Option<u64> {
    let first = *latencies_ns.first()?;
    let step = latencies_ns.iter().fold(0, |step, value| gcd(step, value.abs_diff(first).into()));
    u64::try_from(step).ok().filter(|step| *step > 0)
}

/// A seed that follows from the values: the same samples have the same answer.
pub(super) fn seed(latencies_ns: &[i64]) -> u64 {
    let bytes: Vec<u8> = latencies_ns.iter().flat_map(|value| value.to_le_bytes()).collect();
    SEED ^ fnv1a(&bytes)
}

/// The values in their order, each moved by less than half a step.
pub(super) fn spread_out(latencies_ns: &[i64], step: u64, random: &mut fastrand::Rng) -> Vec<f64> {
    latencies_ns.iter().map(|value| *value as f64 + step as f64 * (random.f64() - 0.5)).collect()
}

/// Refuses values whose spread is only a few steps of the clock: there, the law would be fitted to the noise that was added.
pub(super) fn resolved(spread_ns: f64, step: u64) -> Result<(), Refused> {
    if spread_ns < STEPS_MIN * step as f64 {
        return Err(Gate::Resolution.refuses(format!(
            "the large values spread over {spread_ns:.0} ns, fewer than {STEPS_MIN:.0} steps of {step} ns"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slow, obvious twin: the largest number that divides every difference.
    fn by_trial(values: &[i64]) -> Option<u64> {
        let differences = || values.iter().map(|value| value.abs_diff(values[0]));
        let largest = differences().max().filter(|largest| *largest > 0)?;
        (1..=largest).rev().find(|step| differences().all(|difference| difference % step == 0))
    }

    #[test]
    fn the_step_is_the_common_divisor_of_all_differences() {
        let cases: [&[i64]; 7] =
            [&[8, 24, 16], &[5, 13, 29], &[7, 7, 7], &[3, 4], &[-8, 8, 0], &[1_000_000, 1], &[6, 6, 15, 9]];
        for values in cases {
            assert_eq!(step(values), by_trial(values), "{values:?}");
        }
        assert_eq!(step(&[]), None);
        assert_eq!(step(&[i64::MIN, i64::MAX]), Some(u64::MAX));
    }

    #[test]
    fn values_stay_within_half_a_step_and_differ() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut found = spread_out(&[80; 1_000], 8, &mut random);
        assert!(found.iter().all(|value| (value - 80.0).abs() <= 4.0));
        found.sort_by(f64::total_cmp);
        found.dedup();
        assert_eq!(found.len(), 1_000);
    }
}
