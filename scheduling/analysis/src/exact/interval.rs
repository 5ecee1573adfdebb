//! A number known to lie between two fixed-point bounds, 64 bits behind the point.

mod product;

use prazo_core::ratio::Ratio;
use std::cmp::Ordering;
use std::ops::{Add, Sub};

const ONE: u128 = 1 << 64;

/// `[lo, hi]` in units of 2^-64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    lo: u128,
    hi: u128,
}

impl Interval {
    /// Exactly nothing.
    pub const ZERO: Interval = Interval { lo: 0, hi: 0 };

    /// `over / under`, below rounded down and above rounded up; `over` is at most 2^63, `under` not zero.
    #[inline]
    pub fn of(over: u64, under: u64) -> Self {
        if under >> 32 == 0 {
            // Digit by digit in base 2^32: each rest is below `under`, so that it fits beside the next digit.
            let (whole, rest) = if over < under { (0, over << 32) } else { (over / under, (over % under) << 32) };
            let (first, rest) = (rest / under, (rest % under) << 32);
            let lo = (u128::from(whole) << 64) | u128::from((first << 32) | (rest / under));
            return Self { lo, hi: lo + u128::from(rest % under > 0) };
        }
        let (scaled, under) = (u128::from(over) << 64, u128::from(under));
        let lo = scaled / under;
        Self { lo, hi: if lo * under == scaled { lo } else { lo + 1 } }
    }

    /// `ratio`, rounded both ways; `None` from 2^63 on.
    pub fn of_ratio(ratio: Ratio) -> Option<Self> {
        let (whole, under) = (ratio.floor(), ratio.denominator());
        if whole >= 1 << 63 {
            return None;
        }
        let (mut lo, mut rest) = (whole, ratio.numerator() - whole * under);
        if rest < ONE {
            let scaled = rest << 64;
            return Some(Self { lo: (whole << 64) + scaled / under, hi: (whole << 64) + scaled.div_ceil(under) });
        }
        for _ in 0..64 {
            // One more binary digit; `rest < under`, and doubling is done without leaving 128 bits.
            let carries = rest >= under - rest;
            rest = if carries { rest - (under - rest) } else { rest * 2 };
            lo = lo * 2 + u128::from(carries);
        }
        Some(Self { lo, hi: lo + u128::from(rest > 0) })
    }

    /// How the number compares with `bound`; `None` if the bounds cannot tell.
    pub fn compare(self, bound: Ratio) -> Option<Ordering> {
        if bound.denominator() == 1 && bound.numerator() < 1 << 63 {
            return self.compare_with(Self { lo: bound.numerator() * ONE, hi: bound.numerator() * ONE });
        }
        self.compare_with(Self::of_ratio(bound)?)
    }

    /// How two such numbers compare; `None` if their bounds overlap and are not exact.
    #[inline]
    pub fn compare_with(self, other: Self) -> Option<Ordering> {
        if self.hi < other.lo {
            Some(Ordering::Less)
        } else if self.lo > other.hi {
            Some(Ordering::Greater)
        } else if self.lo == self.hi && other.lo == other.hi {
            Some(Ordering::Equal)
        } else {
            None
        }
    }

    /// Middle of the bounds, for display only.
    pub fn to_f64(self) -> f64 {
        (self.lo as f64 + self.hi as f64) / 2.0 / ONE as f64
    }
}

impl Add for Interval {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self { lo: self.lo + other.lo, hi: self.hi + other.hi }
    }
}

/// Takes back a number that was added before: the bounds come back as they were.
impl Sub for Interval {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { lo: self.lo - other.lo, hi: self.hi - other.hi }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_in_a_large_base_are_those_of_one_long_division() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..100_000 {
            let (over, under) = (random.u64(..) >> random.u32(1..64), (random.u64(..) >> random.u32(0..64)).max(1));
            let (scaled, long) = (u128::from(over) << 64, u128::from(under));
            let expected = Interval { lo: scaled / long, hi: scaled.div_ceil(long) };
            assert_eq!(Interval::of(over, under), expected, "{over} / {under}");
        }
        for under in [1, (1 << 32) - 1, 1 << 32] {
            assert_eq!(Interval::of(1 << 63, under).lo, (1 << 127) / u128::from(under));
        }
    }

    #[test]
    fn a_ratio_and_a_fraction_have_the_same_bounds() {
        for (over, under) in [(1u64, 3u64), (7, 8), (0, 5), (22, 7), (1 << 48, 3)] {
            let ratio = Ratio::new(u128::from(over), u128::from(under)).unwrap();
            assert_eq!(Interval::of_ratio(ratio), Some(Interval::of(over, under)), "{over}/{under}");
        }
    }

    #[test]
    fn a_ratio_with_a_long_denominator_has_bounds_one_unit_apart() {
        // (2^126 - 1) / 2^126 is 1 - 2^-126: far nearer to one than 64 bits behind the point can say.
        let ratio = Ratio::new((1 << 126) - 1, 1 << 126).unwrap();
        assert_eq!(Interval::of_ratio(ratio), Some(Interval { lo: ONE - 1, hi: ONE }));
    }

    #[test]
    fn bounds_that_overlap_do_not_decide() {
        let third = Interval::of(1, 3);
        assert_eq!((third + third + third).compare(Ratio::ONE), None);
        assert_eq!((third + third).compare(Ratio::ONE), Some(Ordering::Less));
        assert_eq!(Interval::of(4, 2).compare(Ratio::whole(2)), Some(Ordering::Equal));
    }
}
