//! Fractions of any size, for twins that shall look like the formula.

use num_bigint::BigInt;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Sub};

/// Not reduced; the denominator is above zero.
#[derive(Clone, Debug)]
pub(crate) struct Fraction(BigInt, BigInt);

impl From<u64> for Fraction {
    fn from(value: u64) -> Self {
        Self(value.into(), 1.into())
    }
}

impl Add for Fraction {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 * &other.1 + other.0 * &self.1, self.1 * other.1)
    }
}

impl Sub for Fraction {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 * &other.1 - other.0 * &self.1, self.1 * other.1)
    }
}

impl Mul for Fraction {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0, self.1 * other.1)
    }
}

/// By a number above zero.
impl Div for Fraction {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Self(self.0 * other.1, self.1 * other.0)
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some((&self.0 * &other.1).cmp(&(&other.0 * &self.1)))
    }
}

impl std::iter::Sum for Fraction {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(0.into(), Add::add)
    }
}

/// The smaller of the two.
pub(crate) fn min(one: Fraction, other: Fraction) -> Fraction {
    if one < other { one } else { other }
}

/// The larger of the two.
pub(crate) fn max(one: Fraction, other: Fraction) -> Fraction {
    if one > other { one } else { other }
}
