//! Exact non-negative fractions of any size, for sums of hundreds of unlike denominators.

use crate::natural::Natural;
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;
use std::ops::{Add, Mul};

/// `over / under`, not reduced; `under` is never zero.
#[derive(Clone, Debug)]
pub struct Fraction {
    over: Natural,
    under: Natural,
}

impl Fraction {
    /// `over / under`; `under` must not be zero.
    pub fn new(over: u128, under: u64) -> Self {
        assert_ne!(under, 0, "a fraction's denominator is a period or a deadline, and those are never zero");
        Self { over: over.into(), under: u128::from(under).into() }
    }

    /// A whole number.
    pub fn whole(value: impl Into<u128>) -> Self {
        Self::new(value.into(), 1)
    }

    /// The sum of `terms`, added in halves so that both sides of an addition are about equally long.
    pub fn sum(terms: &[Fraction]) -> Fraction {
        match terms {
            [] => Fraction::whole(0u64),
            [one] => one.clone(),
            many => {
                let (left, right) = many.split_at(many.len() / 2);
                &Fraction::sum(left) + &Fraction::sum(right)
            }
        }
    }
}

impl From<Ratio> for Fraction {
    fn from(ratio: Ratio) -> Self {
        Self { over: ratio.numerator().into(), under: ratio.denominator().into() }
    }
}

impl Add for &Fraction {
    type Output = Fraction;
    fn add(self, other: &Fraction) -> Fraction {
        if self.under == other.under {
            return Fraction { over: &self.over + &other.over, under: self.under.clone() };
        }
        let over = &(&self.over * &other.under) + &(&other.over * &self.under);
        Fraction { over, under: &self.under * &other.under }
    }
}

impl Mul for &Fraction {
    type Output = Fraction;
    fn mul(self, other: &Fraction) -> Fraction {
        Fraction { over: &self.over * &other.over, under: &self.under * &other.under }
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.over * &other.under).cmp(&(&other.over * &self.under))
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Fraction {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_unlike_fractions_telescope_to_their_exact_sum() {
        // Sum of 1/(k (k+1)) for k = 1..n is n/(n+1).
        let terms: Vec<Fraction> = (1..=1000u64).map(|k| Fraction::new(1, k * (k + 1))).collect();
        assert_eq!(Fraction::sum(&terms), Fraction::new(1000, 1001));
        assert!(Fraction::sum(&terms) < Fraction::new(1_000_000_000_001, 1_001_000_000_000));
    }
}
