//! A sum of fractions kept exactly, with one term for each denominator.
//!
//! Tasks share periods, so such a sum stays short where a single fraction would not: its denominator is the product of
//! all periods. Two sums that are equal mostly have the same terms, and then the comparison ends after one pass.

use super::{Fraction, Rational};
use std::cmp::Ordering;

/// Numerators by denominator, each denominator once and in ascending order, all fractions in lowest terms.
#[derive(Clone, Debug, Default)]
pub struct Grouped(Vec<(u64, u128)>);

/// How two sums compare, and what finding out took in evaluated terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The first against the second.
    pub ordering: Ordering,
    /// Evaluated terms.
    pub work: u64,
}

impl Grouped {
    /// Adds a fraction whose denominator is not zero.
    pub fn add(&mut self, fraction: Fraction) {
        let (over, under) = lowest_terms(fraction);
        match self.0.binary_search_by_key(&under, |term| term.0) {
            Ok(at) => self.0[at].1 += u128::from(over),
            Err(at) => self.0.insert(at, (under, over.into())),
        }
    }

    /// Takes back a fraction that was added.
    pub fn take_back(&mut self, fraction: Fraction) {
        let (over, under) = lowest_terms(fraction);
        let at = self.0.binary_search_by_key(&under, |term| term.0).expect("the fraction was added before");
        self.0[at].1 -= u128::from(over);
        if self.0[at].1 == 0 {
            self.0.remove(at);
        }
    }

    /// The same sum with a whole number more.
    pub fn plus(&self, whole: u64) -> Self {
        let mut sum = self.clone();
        sum.add((whole, 1));
        sum
    }

    /// How this sum compares with `other`, exactly.
    pub fn compare(&self, other: &Self) -> Compared {
        let [more, less] = self.differences(other);
        let long = (more.len() + less.len()) as u64;
        // Integers of any length grow with each unlike denominator, so their cost grows with the square.
        let work = (self.0.len() + other.0.len()) as u64 + long * long / 8 + 1;
        let ordering = match (more.is_empty(), less.is_empty()) {
            (true, true) => Ordering::Equal,
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => Rational::sum(more.into_iter()).cmp(&Rational::sum(less.into_iter())),
        };
        Compared { ordering, work }
    }

    /// By how much this sum's terms exceed the other's, and the other way round, denominator by denominator.
    fn differences(&self, other: &Self) -> [Vec<(u128, u64)>; 2] {
        let (mut more, mut less) = (Vec::new(), Vec::new());
        let (mut mine, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let under = match (mine.peek(), theirs.peek()) {
                (None, None) => return [more, less],
                (Some(one), None) | (None, Some(one)) => one.0,
                (Some(one), Some(two)) => one.0.min(two.0),
            };
            let left = mine.next_if(|term| term.0 == under).map_or(0, |term| term.1);
            let right = theirs.next_if(|term| term.0 == under).map_or(0, |term| term.1);
            match left.cmp(&right) {
                Ordering::Greater => more.push((left - right, under)),
                Ordering::Less => less.push((right - left, under)),
                Ordering::Equal => {}
            }
        }
    }
}

/// The same fraction in lowest terms; zero is 0/1.
pub fn lowest_terms((over, under): Fraction) -> Fraction {
    let (mut common, mut rest) = (under, over);
    while rest != 0 {
        (common, rest) = (rest, common % rest);
    }
    (over / common, under / common)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(terms: &[Fraction]) -> Grouped {
        let mut sum = Grouped::default();
        terms.iter().for_each(|term| sum.add(*term));
        sum
    }

    fn ordering(left: &[Fraction], right: &[Fraction]) -> Ordering {
        sum(left).compare(&sum(right)).ordering
    }

    #[test]
    fn sums_of_unlike_fractions_compare_by_value() {
        assert_eq!(ordering(&[(1, 3), (1, 7)], &[(2, 7), (4, 21)]), Ordering::Equal);
        assert_eq!(ordering(&[(1, 2), (1, 3), (1, 6)], &[(1, 1)]), Ordering::Equal);
        assert_eq!(ordering(&[(1, 3), (1, 7)], &[(1, 3)]), Ordering::Greater);
        assert_eq!(ordering(&[], &[(1, 1 << 48)]), Ordering::Less);
        let long = (1 << 48) - 1;
        assert_eq!(ordering(&[(1, long), (long - 3, long - 2)], &[(1, long - 2), (long - 1, long)]), Ordering::Less);
    }

    #[test]
    fn a_fraction_taken_back_leaves_the_sum_as_it_was() {
        let mut three = sum(&[(1, 2), (3, 10), (2, 4)]);
        three.take_back((3, 10));
        assert_eq!(three.compare(&sum(&[(1, 1)])).ordering, Ordering::Equal);
        three.take_back((1, 2));
        three.take_back((1, 2));
        assert!(three.0.is_empty());
    }

    #[test]
    fn like_denominators_cost_one_pass() {
        let many: Vec<Fraction> = (1..=1_000).map(|over| (over, 1_009)).collect();
        assert_eq!(sum(&many).compare(&sum(&many)).work, 3);
        let unlike: Vec<Fraction> = (1..=1_000).map(|under| (1, under)).collect();
        assert_eq!(sum(&unlike).compare(&sum(&unlike)).work, 2_001);
    }
}
