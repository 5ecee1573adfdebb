//! The fraction with the smallest denominator between two others.

use prazo_core::ratio::Ratio;

/// The simplest fraction in [`low`, `high`]; `None` if they have crossed or 128 bits do not suffice.
///
/// A whole number if one lies between; otherwise both have the same whole part, and the simplest fraction between the
/// reciprocals of what is left leads to it (one step of a continued fraction).
pub(super) fn simplest_between(low: Ratio, high: Ratio) -> Option<Ratio> {
    let (above, below) = (Ratio::new(low.ceil(), 1)?, Ratio::new(low.floor(), 1)?);
    if low > high {
        return None;
    }
    if above <= high {
        return Some(above);
    }
    let reciprocal = |bound: Ratio| Ratio::ONE.checked_div(bound.checked_sub(below)?);
    let between = simplest_between(reciprocal(high)?, reciprocal(low)?)?;
    below.checked_add(Ratio::ONE.checked_div(between)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_trying_every_denominator() {
        let seed = 5;
        let mut random = fastrand::Rng::with_seed(seed);
        let ratio = |over: u64, under: u64| Ratio::new(over.into(), under.into()).unwrap();
        for _ in 0..2_000 {
            let mut any = || ratio(random.u64(0..60), random.u64(1..60));
            let (a, b) = (any(), any());
            let (low, high) = (a.min(b), a.max(b));
            let first_within = |under: u64| (0..=60 * under).map(|over| ratio(over, under)).find(|r| *r >= low);
            let expected = (1..).filter_map(first_within).find(|fraction| *fraction <= high);
            assert_eq!(simplest_between(low, high), expected, "[{low}, {high}], seed {seed}");
        }
        assert_eq!(simplest_between(ratio(2, 1), ratio(1, 1)), None);
    }
}
