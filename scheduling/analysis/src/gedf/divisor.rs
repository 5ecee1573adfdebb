//! Division by a number that stays the same: a multiplication and a correction instead of the processor's division.
//!
//! With r = floor((2^64 - 1)/d) and a < 2^63, floor(a r / 2^64) is the quotient or one less: a/d - a r/2^64 lies in
//! [0, a/2^64 (1 + 1/d)], hence below 1. Granlund, Montgomery, PLDI 1994, have the general theory.

/// A divisor with its reciprocal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divisor {
    value: u64,
    reciprocal: u64,
}

impl Divisor {
    /// `value` is not zero.
    pub(super) fn new(value: u64) -> Self {
        Self { value, reciprocal: u64::MAX / value }
    }

    /// Quotient and remainder of `dividend`, which is below 2^63.
    #[inline]
    pub(super) fn divide(self, dividend: u64) -> (u64, u64) {
        debug_assert!(dividend < 1 << 63, "a dividend that large was not foreseen");
        let quotient = ((u128::from(dividend) * u128::from(self.reciprocal)) >> 64) as u64;
        let remainder = dividend - quotient * self.value;
        // Without a branch, which nothing could predict.
        let is_less = u64::from(remainder >= self.value);
        (quotient + is_less, remainder - (self.value & is_less.wrapping_neg()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_divides_as_the_processor_does() {
        let interesting = [1, 2, 3, 5, 7, 1 << 20, (1 << 32) - 1, 1 << 48, (1 << 48) - 1, (1 << 62) + 1];
        let around = |value: u64| [value - 1, value, value + 1].into_iter().filter(|value| *value > 0);
        for divisor in interesting.into_iter().flat_map(around) {
            for dividend in interesting.into_iter().flat_map(around).chain([0, (1 << 63) - 1]) {
                let expected = (dividend / divisor, dividend % divisor);
                assert_eq!(Divisor::new(divisor).divide(dividend), expected, "{dividend} / {divisor}");
            }
        }
    }

    #[test]
    fn it_divides_random_numbers_as_the_processor_does() {
        let seed = fastrand::u64(..);
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..100_000 {
            let (dividend, divisor) = (rng.u64(..) >> rng.u32(1..64), (rng.u64(..) >> rng.u32(0..64)).max(1));
            let expected = (dividend / divisor, dividend % divisor);
            assert_eq!(Divisor::new(divisor).divide(dividend), expected, "{dividend} / {divisor}, seed {seed}");
        }
    }
}
