//! The same comparison with integers of any length, for the few cases that bounds cannot decide.

use num_bigint::BigUint;
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// A fraction of two times: C over T.
pub type Fraction = (u64, u64);

/// How the sum of `terms` compares with `bound`.
pub(super) fn compare_sum(terms: impl Iterator<Item = Fraction>, bound: Ratio) -> Ordering {
    let zero = (BigUint::from(0u8), BigUint::from(1u8));
    let (over, under) = terms.fold(zero, |(over, under), (c, t)| (over * t + &under * c, under * t));
    (over * bound.denominator()).cmp(&(under * bound.numerator()))
}
