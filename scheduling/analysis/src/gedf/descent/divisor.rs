//! Division by a number that is divided by many times: two multiplications instead of a division.

/// A non-zero divisor and its reciprocal.
#[derive(Clone, Copy, Debug)]
pub(in crate::gedf) struct Divisor {
    value: u64,
    reciprocal: u64,
}

impl Divisor {
    /// `value` must not be zero.
    pub fn new(value: u64) -> Self {
        Self { value, reciprocal: u64::MAX / value }
    }

    /// Quotient and remainder of `number`, which is below 2^63.
    ///
    /// The reciprocal r = floor((2^64 - 1) / d) is at least 2^64 / d - 1, so number * r / 2^64 falls short of number / d by
    /// at most number / 2^64 < 1: the estimate is the quotient or one less, and the remainder tells which.
    pub fn divide(self, number: u64) -> (u64, u64) {
        let estimate = ((u128::from(number) * u128::from(self.reciprocal)) >> 64) as u64;
        let rest = number - estimate * self.value;
        if rest >= self.value { (estimate + 1, rest - self.value) } else { (estimate, rest) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_processors_division() {
        let seed = 7;
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..100_000 {
            let value = random.u64(1..) >> random.u32(0..64);
            let (value, near) = (value.max(1), random.u64(0..4));
            let number = random.u64(..1 << 63) >> random.u32(0..63);
            let multiple = (number / value * value).saturating_sub(near);
            for number in [number, multiple, (1 << 63) - 1] {
                let (quotient, rest) = Divisor::new(value).divide(number);
                assert_eq!((quotient, rest), (number / value, number % value), "{number} / {value}, seed {seed}");
            }
        }
    }
}
