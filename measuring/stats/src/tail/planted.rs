//! Series with known faults, for tests.

/// In how many of `of` drawn series a test rejects; seeded.
pub(super) fn rejections(
    seed: u64,
    draw: impl Fn(&mut fastrand::Rng) -> Vec<f64>,
    is_refused: impl Fn(&[f64]) -> bool,
    of: usize,
) -> usize {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..of).filter(|_| is_refused(&draw(&mut random))).count()
}
