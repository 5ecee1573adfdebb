//! Products and reciprocals of bounded numbers: the lower bound rounds down, the upper bound up.

use super::{Interval, ONE};

impl Interval {
    /// The whole number `value`, exactly.
    pub const fn whole(value: u64) -> Self {
        let scaled = (value as u128) << 64;
        Self { lo: scaled, hi: scaled }
    }

    /// The product; `None` from 2^64 on.
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        let (lo, _) = product(self.lo, other.lo)?;
        let (hi, rounded) = product(self.hi, other.hi)?;
        Some(Self { lo, hi: hi.checked_add(u128::from(rounded))? })
    }

    /// One over the number; `None` if that may reach 2^64.
    pub fn reciprocal(self) -> Option<Self> {
        // 2^128 does not fit into 128 bits; 2^128 - 1 = q d + r, so that 2^128/d is q, or q + 1 exactly where r + 1 = d.
        let over = |divisor: u128| {
            let (quotient, rest) = (u128::MAX.checked_div(divisor)?, u128::MAX % divisor);
            Some((quotient, rest + 1 == divisor))
        };
        let (below, exact) = over(self.hi)?;
        let (above, _) = over(self.lo)?;
        Some(Self { lo: below.checked_add(u128::from(exact))?, hi: above.checked_add(1)? })
    }

    /// One less the number; `None` if that may be negative.
    pub fn complement(self) -> Option<Self> {
        Some(Self { lo: ONE.checked_sub(self.hi)?, hi: ONE.checked_sub(self.lo)? })
    }

    /// The smallest whole number that is not below; `None` if the bounds cannot tell.
    pub fn ceil(self) -> Option<u64> {
        let up = |bound: u128| ((bound >> 64) as u64).checked_add(u64::from(bound & (ONE - 1) > 0));
        let (lo, hi) = (up(self.lo)?, up(self.hi)?);
        (lo == hi).then_some(lo)
    }
}

/// `a b / 2^64` rounded down, and whether anything was cut off; `None` beyond 128 bits.
fn product(a: u128, b: u128) -> Option<(u128, bool)> {
    let ((a_whole, a_part), (b_whole, b_part)) = ((a >> 64, a & (ONE - 1)), (b >> 64, b & (ONE - 1)));
    let whole = a_whole * b_whole;
    let parts = a_part * b_part;
    let sum = if whole < ONE { whole << 64 } else { return None };
    let sum = sum.checked_add(a_whole * b_part)?.checked_add(a_part * b_whole)?.checked_add(parts >> 64)?;
    Some((sum, parts & (ONE - 1) > 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Rational;

    /// True if the bounds enclose `exact` and are at most `wide` units apart.
    fn encloses(interval: Interval, exact: &Rational, wide: u128) -> bool {
        let two_to_64 = || Rational::from(1 << 32) * Rational::from(1 << 32);
        let unit = |count: u128| Rational::from((count >> 64) as u64) + Rational::from(count as u64) / two_to_64();
        unit(interval.lo) <= *exact && *exact <= unit(interval.hi) && interval.hi - interval.lo <= wide
    }

    fn rational(over: u64, under: u64) -> Rational {
        Rational::sum([(over, under)].into_iter())
    }

    #[test]
    fn whole_numbers_and_halves_stay_exact() {
        let half = Interval::of(1, 2);
        assert_eq!(half.reciprocal(), Some(Interval::whole(2)));
        assert_eq!(half.checked_mul(half), Some(Interval::of(1, 4)));
        assert_eq!(half.complement(), Some(half));
        assert_eq!(Interval::whole(1).reciprocal(), Some(Interval::whole(1)));
        assert_eq!(Interval::whole(7).ceil(), Some(7));
        assert_eq!(Interval::of(15, 2).ceil(), Some(8));
    }

    #[test]
    fn what_leaves_the_range_is_refused() {
        assert_eq!(Interval::ZERO.reciprocal(), None);
        assert_eq!(Interval::whole(1 << 40).checked_mul(Interval::whole(1 << 24)), None);
        assert_eq!(Interval::whole(2).complement(), None);
        let third = Interval::of(1, 3);
        assert_eq!((third + third + third).ceil(), None);
    }

    #[test]
    fn bounds_enclose_the_exact_value() {
        let seed = 4_242;
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..10_000 {
            let mut draw = || (random.u64(1..1 << 30), random.u64(1..1 << 30));
            let (a, b) = (draw(), draw());
            let (x, y) = (Interval::of(a.0, a.1), Interval::of(b.0, b.1));
            let wide = 2 * (u128::from(a.0 / a.1) + u128::from(b.0 / b.1)) + 4;
            assert!(encloses(x.checked_mul(y).unwrap(), &(rational(a.0, a.1) * rational(b.0, b.1)), wide));
            let steep = u128::from(a.1 / a.0) + 2;
            assert!(encloses(x.reciprocal().unwrap(), &rational(a.1, a.0), steep * steep));
        }
    }
}
