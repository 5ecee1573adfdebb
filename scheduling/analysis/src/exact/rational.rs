//! A fraction of any length, for what bounds cannot decide: slow, never rounded, never reduced.

use num_bigint::{BigInt, Sign};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Sub};

/// `over / under`, where `under` is positive.
#[derive(Clone, Debug)]
pub struct Rational {
    over: BigInt,
    under: BigInt,
}

impl Rational {
    /// The sum of `terms`; no denominator may be zero.
    pub fn sum(terms: impl Iterator<Item = (impl Into<BigInt>, u64)>) -> Self {
        terms.fold(Self::from(0), |sum, (over, under)| sum + Self { over: over.into(), under: under.into() })
    }

    /// True above zero.
    pub fn is_positive(&self) -> bool {
        self.over.sign() == Sign::Plus
    }

    /// The same in lowest terms; `None` if it is negative or does not fit into two 128-bit numbers.
    pub fn to_ratio(&self) -> Option<Ratio> {
        let (mut common, mut rest) = (self.under.clone(), self.over.clone());
        while rest.sign() != Sign::NoSign {
            (common, rest) = (rest.clone(), common % rest);
        }
        let lowest = |number: &BigInt| u128::try_from(number / &common).ok();
        Ratio::new(lowest(&self.over)?, lowest(&self.under)?)
    }

    /// The smallest whole number that is not below; 0 for what is negative, `None` from 2^64 on.
    pub fn ceil(&self) -> Option<u64> {
        if !self.is_positive() {
            return Some(0);
        }
        ((&self.over + &self.under - 1u8) / &self.under).try_into().ok()
    }
}

impl From<u64> for Rational {
    fn from(value: u64) -> Self {
        Self { over: value.into(), under: 1.into() }
    }
}

impl From<Ratio> for Rational {
    fn from(value: Ratio) -> Self {
        Self { over: value.numerator().into(), under: value.denominator().into() }
    }
}

impl Add for Rational {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        if self.under == other.under {
            // Tasks often share a period: that keeps the sum short.
            return Self { over: self.over + other.over, under: self.under };
        }
        Self { over: self.over * &other.under + other.over * &self.under, under: self.under * other.under }
    }
}

impl Sub for Rational {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { over: self.over * &other.under - other.over * &self.under, under: self.under * other.under }
    }
}

impl Mul for Rational {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { over: self.over * other.over, under: self.under * other.under }
    }
}

/// By something positive.
impl Div for Rational {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        assert!(other.is_positive(), "a rational is divided by positive ones only");
        Self { over: self.over * other.under, under: self.under * other.over }
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.over * &other.under).cmp(&(&other.over * &self.under))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By value: 1/2 equals 2/4.
impl PartialEq for Rational {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Rational {}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(over: u64, under: u64) -> Rational {
        Rational::sum([(over, under)].into_iter())
    }

    #[test]
    fn arithmetic_is_that_of_school() {
        assert_eq!(rational(1, 3) + rational(1, 6), rational(1, 2));
        assert_eq!(rational(1, 6) + rational(1, 6), rational(1, 3));
        assert_eq!(rational(1, 2) - rational(1, 3), rational(1, 6));
        assert_eq!(rational(2, 3) * rational(9, 4), rational(3, 2));
        assert_eq!(rational(2, 3) / rational(4, 3), rational(1, 2));
        assert!(rational(1, 3) < rational(2, 5));
        assert!(!(rational(1, 3) - rational(1, 2)).is_positive());
    }

    #[test]
    fn rounding_up_stops_at_whole_numbers() {
        assert_eq!(rational(7, 3).ceil(), Some(3));
        assert_eq!(rational(6, 3).ceil(), Some(2));
        assert_eq!((rational(1, 3) - rational(1, 2)).ceil(), Some(0));
        assert_eq!((rational(u64::MAX, 1) + rational(1, 2)).ceil(), None);
    }
}
