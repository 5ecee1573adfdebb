//! Natural numbers of any size: just enough to compare sums of many fractions exactly.
//!
//! Addition, multiplication and order, school-book and slow; nothing is subtracted or divided, so that nothing can
//! be rounded or fall below zero.

use std::cmp::Ordering;
use std::ops::{Add, Mul};

/// A number in base 2^64, least digit first, no zero at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Natural(Vec<u64>);

impl Natural {
    fn trimmed(mut digits: Vec<u64>) -> Self {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Self(digits)
    }

    fn digit(&self, index: usize) -> u128 {
        self.0.get(index).copied().unwrap_or(0).into()
    }

    fn plus(&self, other: &Self) -> Self {
        let length = self.0.len().max(other.0.len()) + 1;
        let mut carry = 0u128;
        let digits = (0..length).map(|index| {
            let sum = self.digit(index) + other.digit(index) + carry;
            carry = sum >> 64;
            low(sum)
        });
        Self::trimmed(digits.collect())
    }

    fn times(&self, other: &Self) -> Self {
        let mut digits = vec![0u64; self.0.len() + other.0.len()];
        for (shift, &factor) in self.0.iter().enumerate() {
            add_multiple(&mut digits[shift..], &other.0, factor);
        }
        Self::trimmed(digits)
    }
}

impl From<u128> for Natural {
    fn from(value: u128) -> Self {
        Self::trimmed(vec![low(value), low(value >> 64)])
    }
}

/// The lower 64 bits.
fn low(value: u128) -> u64 {
    (value & u128::from(u64::MAX)) as u64
}

impl Add for &Natural {
    type Output = Natural;
    fn add(self, other: &Natural) -> Natural {
        self.plus(other)
    }
}

impl Mul for &Natural {
    type Output = Natural;
    fn mul(self, other: &Natural) -> Natural {
        self.times(other)
    }
}

/// `digits += other * factor`; `digits` is at least one longer than `other`, and the sum fits.
fn add_multiple(digits: &mut [u64], other: &[u64], factor: u64) {
    let mut carry = 0u128;
    for (index, digit) in digits.iter_mut().enumerate() {
        let times = u128::from(other.get(index).copied().unwrap_or(0)) * u128::from(factor);
        // At most (2^64-1)^2 + 2 (2^64-1) = 2^128 - 1.
        let sum = times + u128::from(*digit) + carry;
        *digit = low(sum);
        carry = sum >> 64;
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        let lengths = self.0.len().cmp(&other.0.len());
        lengths.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_agree_with_128_bits() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..10_000 {
            let (a, b) = (random.u128(..) >> random.u32(1..128), random.u128(..) >> random.u32(1..128));
            assert_eq!(&Natural::from(a) + &Natural::from(b), Natural::from(a + b), "{a} + {b}");
            assert_eq!(Natural::from(a).cmp(&Natural::from(b)), a.cmp(&b), "{a} ? {b}");
            if let Some(product) = a.checked_mul(b) {
                assert_eq!(&Natural::from(a) * &Natural::from(b), Natural::from(product), "{a} * {b}");
            }
        }
    }

    #[test]
    fn beyond_128_bits_the_binomial_formula_holds() {
        let (a, b) = (Natural::from(u128::MAX), Natural::from(u128::MAX - 12_345));
        let square = |x: &Natural| x * x;
        let twice = &(&a * &b) + &(&a * &b);
        assert_eq!(square(&(&a + &b)), &(&square(&a) + &square(&b)) + &twice);
    }
}
