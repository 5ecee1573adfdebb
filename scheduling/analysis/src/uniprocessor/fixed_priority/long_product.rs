//! Products of thousands of factors, multiplied in pairs so that the long numbers meet only at the end.

use num_bigint::BigUint;

/// The product of `factors`; 1 for none.
pub(super) fn product(factors: &[u64]) -> BigUint {
    match factors {
        [] => BigUint::from(1u8),
        [one] => BigUint::from(*one),
        more => {
            let (left, right) = more.split_at(more.len() / 2);
            product(left) * product(right)
        }
    }
}
