//! The same comparison with integers of any length, for the few cases that bounds cannot decide.

use super::Fraction;
use num_bigint::BigUint;
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// How the sum of `terms` compares with `bound`.
pub(super) fn compare_sum(terms: impl Iterator<Item = Fraction>, bound: Ratio) -> Ordering {
    let zero = (BigUint::from(0u8), BigUint::from(1u8));
    let (over, under) = terms.fold(zero, |(over, under), (c, t)| (over * t + &under * c, under * t));
    (over * bound.denominator()).cmp(&(under * bound.numerator()))
}
