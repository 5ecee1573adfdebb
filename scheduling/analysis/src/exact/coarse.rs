//! The same comparison with one 64-bit division a term: it decides unless the sum lies very close to the bound.

use super::Fraction;
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// Bits behind the point of a [`Coarse`] sum.
const SHIFT: u32 = 32;

/// A sum that is known to be at least this, and less than that and its error.
#[derive(Clone, Copy, Debug, Default)]
pub struct Coarse {
    /// In units of 2^-32.
    below: u128,
    /// In the same units.
    error: u128,
}

impl Coarse {
    /// Adds a term of at most 2^48 over something that is not zero.
    #[inline]
    pub fn add(&mut self, (over, under): Fraction) {
        // A quotient loses less than one, which is one unit or, of a long numerator, 2^17 of them.
        if over >> SHIFT == 0 {
            self.add_quotient(Self::quotient((over, under)));
        } else {
            self.below += u128::from((over << 15) / under) << (SHIFT - 15);
            self.error += 1 << (SHIFT - 15);
        }
    }

    /// The term of a numerator below 2^32, in units of 2^-32, rounded down: of two of these the larger is of the larger term.
    #[inline]
    pub fn quotient((over, under): Fraction) -> u64 {
        (over << SHIFT) / under
    }

    /// Adds a term with this quotient.
    #[inline]
    pub fn add_quotient(&mut self, quotient: u64) {
        self.below += u128::from(quotient);
        self.error += 1;
    }

    /// How the sum compares with `bound`; `None` if these bounds cannot tell, or if a number is too long.
    pub fn compare(self, bound: Ratio) -> Option<Ordering> {
        let exact = bound.numerator().checked_mul(1 << SHIFT)?;
        if self.below.checked_mul(bound.denominator())? > exact {
            Some(Ordering::Greater)
        } else if (self.below + self.error).checked_mul(bound.denominator())? <= exact {
            // The sum is below this upper bound of it.
            Some(Ordering::Less)
        } else {
            None
        }
    }
}

/// How the sum of `terms` compares with `bound`; `None` if these bounds cannot tell. Numerators are at most 2^48.
pub(super) fn compare_sum(terms: impl Iterator<Item = Fraction>, bound: Ratio) -> Option<Ordering> {
    let mut sum = Coarse::default();
    terms.for_each(|term| sum.add(term));
    sum.compare(bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::big;

    #[test]
    fn what_it_decides_is_what_integers_of_any_length_decide() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        let mut decided = 0;
        for _ in 0..20_000 {
            let long = [1 << 8, 1 << 20, 1 << 33, 1 << 48][random.usize(0..4)];
            let terms: Vec<Fraction> =
                (0..random.usize(1..6)).map(|_| (random.u64(0..=long), random.u64(1..=long))).collect();
            // The bound is a sum of whole terms, near the sum or anywhere.
            let floats: f64 = terms.iter().map(|term| term.0 as f64 / term.1 as f64).sum();
            let under = random.u64(1..=long);
            let near = (floats * under as f64) as u128 + u128::from(random.u64(0..2));
            let bound = Ratio::new([near, random.u64(0..=long).into()][random.usize(0..2)], under.into()).unwrap();
            let expected = big::compare_sum(terms.iter().copied(), bound);
            if let Some(ordering) = compare_sum(terms.iter().copied(), bound) {
                assert_eq!(ordering, expected, "{terms:?} {bound:?}");
                decided += 1;
            }
        }
        assert!(decided > 5_000, "only {decided} were decided");
    }

    #[test]
    fn a_sum_that_equals_the_bound_is_left_open() {
        assert_eq!(compare_sum([(1, 3), (2, 3)].into_iter(), Ratio::ONE), None);
        assert_eq!(compare_sum([(1, 2), (1, 2)].into_iter(), Ratio::ONE), None);
        assert_eq!(compare_sum([(1 << 48, 1)].into_iter(), Ratio::new(u128::MAX, 3).unwrap()), None);
    }
}
