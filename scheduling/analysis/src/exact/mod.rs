//! Sums of many fractions compared without rounding.
//!
//! A sum of 160 utilizations has a common denominator far beyond 128 bits. Almost always bounds rounded both ways decide, and mostly
//! coarse ones; only inside the gap between them big integers are used.

mod big;
mod coarse;
pub mod grouped;
pub mod interval;
mod rational;

pub use big::Fraction;
pub use coarse::Coarse;
pub use interval::Interval;
pub use rational::Rational;

use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// How the sum of `terms` compares with `bound`, exactly. No denominator may be zero; numerators are at most 2^48.
pub fn compare_sum(terms: impl Iterator<Item = Fraction> + Clone, bound: Ratio) -> Ordering {
    if let Some(ordering) = coarse::compare_sum(terms.clone(), bound) {
        return ordering;
    }
    let sum = terms.clone().fold(Interval::ZERO, |sum, (over, under)| sum + Interval::of(over, under));
    compare_sum_within(sum, terms, bound)
}

/// The same where bounds on the sum are already known, as when a bin is filled one task after the other.
pub fn compare_sum_within(sum: Interval, terms: impl Iterator<Item = Fraction>, bound: Ratio) -> Ordering {
    sum.compare(bound).unwrap_or_else(|| big::compare_sum(terms, bound))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(over: u128, under: u128) -> Ratio {
        Ratio::new(over, under).unwrap()
    }

    #[test]
    fn thirds_and_sevenths_add_up_exactly() {
        let thirds = [(1, 3), (1, 3), (1, 3)];
        assert_eq!(compare_sum(thirds.into_iter(), Ratio::ONE), Ordering::Equal);
        let sevenths = [(1, 7); 6];
        assert_eq!(compare_sum(sevenths.into_iter(), ratio(6, 7)), Ordering::Equal);
        assert_eq!(compare_sum(sevenths.into_iter(), Ratio::ONE), Ordering::Less);
    }

    #[test]
    fn a_difference_far_below_the_bounds_precision_is_seen() {
        let big = (1u64 << 48) - 1;
        let terms = [(1, big), (big - 1, big), (1, big - 2), (big - 3, big - 2)];
        assert_eq!(compare_sum(terms.into_iter(), ratio(2, 1)), Ordering::Equal);
        let short = [(1, big), (big - 1, big), (1, big - 2), (big - 4, big - 2)];
        assert_eq!(compare_sum(short.into_iter(), ratio(2, 1)), Ordering::Less);
    }

    #[test]
    fn a_hundred_and_sixty_unlike_denominators_do_not_overflow() {
        let terms = (0..160u64).map(|i| (1_000 + i, 1_000_003 + 7 * i));
        let ordering = compare_sum(terms.clone(), ratio(160_000, 1_000_000));
        let float: f64 = terms.map(|(c, t)| c as f64 / t as f64).sum();
        assert_eq!(ordering, float.partial_cmp(&0.16).unwrap());
    }
}
