//! The few random draws that every family needs, spelt out so that a seed gives the same set on every machine and for
//! ever.
//!
//! Libraries of distributions change their algorithms between versions, and the C library's logarithm differs in the
//! last digit between machines. Here bits come from ChaCha with eight rounds, logarithms and powers from `libm` in pure
//! Rust, and everything between stands in this file.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The generator of one task set: set number `index` at point number `point` of an experiment with this seed.
///
/// Seed and point make the key, the index the stream; so each set can be drawn alone, in any order, on any machine.
pub fn set_rng(experiment_seed: u64, point: u64, index: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&experiment_seed.to_le_bytes());
    key[8..16].copy_from_slice(&point.to_le_bytes());
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(index);
    rng
}

/// A number in [0, 1): 53 random bits behind the point.
pub(super) fn unit(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A number in (0, 1], of which a logarithm can be taken.
pub(super) fn unit_above_zero(rng: &mut ChaCha8Rng) -> f64 {
    1.0 - unit(rng)
}

/// A whole number in [0, count), each as likely as the other; `count` is not zero.
///
/// The upper half of a 128-bit product, redrawn where the lower half shows the bias (Lemire, TOMACS 2019).
pub(super) fn below(rng: &mut ChaCha8Rng, count: u64) -> u64 {
    let biased = count.wrapping_neg() % count;
    loop {
        let product = u128::from(rng.next_u64()) * u128::from(count);
        if product as u64 >= biased {
            return (product >> 64) as u64;
        }
    }
}

/// Puts `items` into random order (Fisher and Yates).
pub(super) fn shuffle<T>(rng: &mut ChaCha8Rng, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(rng, last as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_has_a_stream_of_its_own() {
        let first = |seed, point, index| set_rng(seed, point, index).next_u64();
        assert_eq!(first(1, 2, 3), first(1, 2, 3));
        let others = [first(1, 2, 4), first(1, 3, 3), first(2, 2, 3), first(2, 1, 3)];
        assert!(others.into_iter().all(|other| other != first(1, 2, 3)));
    }

    #[test]
    fn whole_numbers_are_equally_likely() {
        let mut rng = set_rng(7, 0, 0);
        let mut counts = [0u32; 6];
        (0..60_000).for_each(|_| counts[below(&mut rng, 6) as usize] += 1);
        assert!(counts.into_iter().all(|count| count.abs_diff(10_000) < 400), "{counts:?}");
    }

    #[test]
    fn a_unit_number_fills_the_interval_evenly() {
        let mut rng = set_rng(7, 0, 1);
        let sum: f64 = (0..10_000).map(|_| unit(&mut rng)).sum();
        assert!((sum / 10_000.0 - 0.5).abs() < 0.01);
        assert!((0..10_000).all(|_| unit_above_zero(&mut rng) > 0.0));
    }

    #[test]
    fn every_order_is_as_likely() {
        let mut rng = set_rng(7, 0, 2);
        let mut last_place = [0u32; 4];
        for _ in 0..40_000 {
            let mut items = [0, 1, 2, 3];
            shuffle(&mut rng, &mut items);
            last_place[items[3]] += 1;
        }
        assert!(last_place.into_iter().all(|count| count.abs_diff(10_000) < 400), "{last_place:?}");
    }
}
