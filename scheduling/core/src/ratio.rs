//! An exact non-negative fraction: an overhead of 33.75 ticks, a utilization of 1/3.
//!
//! Always in lowest terms, so that equal values are equal in memory. Arithmetic answers `None` where 128 bits do not
//! suffice; nothing is rounded unless the name says so.

use core::cmp::Ordering;
use core::fmt;

/// A non-negative fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: u128,
    denominator: u128,
}

impl Default for Ratio {
    fn default() -> Self {
        Self::ZERO
    }
}

/// The greatest common divisor; that of a number and 0 is the number.
pub const fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Ratio {
    /// Nothing.
    pub const ZERO: Ratio = Ratio { numerator: 0, denominator: 1 };
    /// One whole.
    pub const ONE: Ratio = Ratio { numerator: 1, denominator: 1 };

    /// `numerator / denominator`; `None` if the denominator is zero.
    pub const fn new(numerator: u128, denominator: u128) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let common = gcd(numerator, denominator);
        Some(Self { numerator: numerator / common, denominator: denominator / common })
    }

    /// The whole number `value`.
    pub const fn whole(value: u64) -> Self {
        Self { numerator: value as u128, denominator: 1 }
    }

    /// The numerator in lowest terms.
    pub const fn numerator(self) -> u128 {
        self.numerator
    }

    /// The denominator in lowest terms; never zero.
    pub const fn denominator(self) -> u128 {
        self.denominator
    }

    /// True for nothing.
    pub const fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// The largest whole number that is not above.
    pub const fn floor(self) -> u128 {
        self.numerator / self.denominator
    }

    /// The smallest whole number that is not below.
    pub const fn ceil(self) -> u128 {
        self.numerator.div_ceil(self.denominator)
    }

    /// The sum; `None` beyond 128 bits.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let common = gcd(self.denominator, other.denominator);
        let left = self.numerator.checked_mul(other.denominator / common)?;
        let right = other.numerator.checked_mul(self.denominator / common)?;
        Self::new(left.checked_add(right)?, (self.denominator / common).checked_mul(other.denominator)?)
    }

    /// The difference; `None` if negative or beyond 128 bits.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        let common = gcd(self.denominator, other.denominator);
        let left = self.numerator.checked_mul(other.denominator / common)?;
        let right = other.numerator.checked_mul(self.denominator / common)?;
        Self::new(left.checked_sub(right)?, (self.denominator / common).checked_mul(other.denominator)?)
    }

    /// The product; `None` beyond 128 bits.
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        let (a, b) = (gcd(self.numerator, other.denominator).max(1), gcd(other.numerator, self.denominator).max(1));
        Self::new(
            (self.numerator / a).checked_mul(other.numerator / b)?,
            (self.denominator / b).checked_mul(other.denominator / a)?,
        )
    }

    /// The quotient; `None` if `other` is zero or beyond 128 bits.
    pub fn checked_div(self, other: Self) -> Option<Self> {
        self.checked_mul(Self::new(other.denominator, other.numerator)?)
    }

    /// Nearest `f64`, for display only.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl From<u64> for Ratio {
    fn from(value: u64) -> Self {
        Self::whole(value)
    }
}

/// By value. Where the cross products do not fit into 128 bits, whole parts and remainders are compared in turn.
impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut a, mut b) = (*self, *other);
        loop {
            if let (Some(left), Some(right)) =
                (a.numerator.checked_mul(b.denominator), b.numerator.checked_mul(a.denominator))
            {
                return left.cmp(&right);
            }
            match a.floor().cmp(&b.floor()) {
                Ordering::Equal => {}
                unequal => return unequal,
            }
            // Equal whole parts: compare the fractions r/d through their reciprocals, which turn the order round.
            let (left, right) = (a.numerator % a.denominator, b.numerator % b.denominator);
            if left == 0 || right == 0 {
                return left.cmp(&right);
            }
            (a, b) = (
                Self { numerator: b.denominator, denominator: right },
                Self { numerator: a.denominator, denominator: left },
            );
        }
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// `3`, or `7/3`.
impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            below => write!(f, "{}/{below}", self.numerator),
        }
    }
}

/// Why a text is not a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseRatioError {
    /// Neither a decimal such as 33.75 nor a fraction such as 7/3.
    NotANumber,
    /// Below zero.
    Negative,
    /// More digits than 128 bits hold.
    TooLong,
}

impl fmt::Display for ParseRatioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "write a fraction as 33.75 or 7/3",
            Self::Negative => "the number cannot be below zero",
            Self::TooLong => "the number has more digits than can be kept exactly",
        })
    }
}

impl core::error::Error for ParseRatioError {}

/// Reads `33.75`, `7/3`, `1e-3`, exactly.
impl core::str::FromStr for Ratio {
    type Err = ParseRatioError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.starts_with('-') {
            return Err(ParseRatioError::Negative);
        }
        match text.split_once('/') {
            Some((over, under)) => decimal(over)?.checked_div(decimal(under)?).ok_or(ParseRatioError::NotANumber),
            None => decimal(text),
        }
    }
}

/// `12.5e-3` as a fraction.
fn decimal(text: &str) -> Result<Ratio, ParseRatioError> {
    let text = text.trim();
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, behind) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(behind.bytes());
    if digits().next().is_none() || !digits().all(|digit| digit.is_ascii_digit()) {
        return Err(ParseRatioError::NotANumber);
    }
    let number = digits()
        .try_fold(0u128, |sum, digit| sum.checked_mul(10)?.checked_add(u128::from(digit - b'0')))
        .ok_or(ParseRatioError::TooLong)?;
    let exponent: i32 = exponent.parse().map_err(|_| ParseRatioError::NotANumber)?;
    let power = exponent.checked_sub(behind.len() as i32).ok_or(ParseRatioError::TooLong)?;
    let ten = 10u128.checked_pow(power.unsigned_abs()).ok_or(ParseRatioError::TooLong)?;
    let value =
        if power < 0 { Ratio::new(number, ten) } else { number.checked_mul(ten).and_then(|n| Ratio::new(n, 1)) };
    value.ok_or(ParseRatioError::TooLong)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;

    fn ratio(text: &str) -> Ratio {
        text.parse().unwrap()
    }

    #[test]
    fn decimals_and_fractions_are_read_exactly() {
        assert_eq!(ratio("33.75"), Ratio::new(135, 4).unwrap());
        assert_eq!(ratio("7/3").to_string(), "7/3");
        assert_eq!(ratio("1e-3"), Ratio::new(1, 1000).unwrap());
        assert_eq!(ratio("9.4e0"), Ratio::new(47, 5).unwrap());
        assert_eq!("".parse::<Ratio>(), Err(ParseRatioError::NotANumber));
        assert_eq!("x".parse::<Ratio>(), Err(ParseRatioError::NotANumber));
        assert_eq!("1/0".parse::<Ratio>(), Err(ParseRatioError::NotANumber));
        assert_eq!("-1".parse::<Ratio>(), Err(ParseRatioError::Negative));
        assert_eq!("1e99".parse::<Ratio>(), Err(ParseRatioError::TooLong));
    }

    #[test]
    fn arithmetic_is_exact() {
        assert_eq!(ratio("1/3").checked_add(ratio("1/6")), Ratio::new(1, 2));
        assert_eq!(ratio("1/3").checked_sub(ratio("1/2")), None);
        assert_eq!(ratio("2/3").checked_mul(ratio("9/4")), Ratio::new(3, 2));
        assert_eq!(ratio("2/3").checked_div(Ratio::ZERO), None);
        assert_eq!(ratio("7/3").floor(), 2);
        assert_eq!(ratio("7/3").ceil(), 3);
        assert_eq!(Ratio::ZERO.checked_mul(ratio("5")), Some(Ratio::ZERO));
    }

    #[test]
    fn huge_fractions_are_ordered_without_overflow() {
        let huge = |n, d| Ratio::new(n, d).unwrap();
        assert!(huge(u128::MAX, u128::MAX - 1) > Ratio::ONE);
        assert!(huge(u128::MAX - 2, u128::MAX) < huge(u128::MAX - 1, u128::MAX));
        assert!(huge(u128::MAX, 2) > huge(u128::MAX - 2, 2));
        // The lesser one has the larger remainder.
        assert!(huge(u128::MAX - 4, u128::MAX) < huge(u128::MAX / 2, u128::MAX / 2 + 1));
    }
}
