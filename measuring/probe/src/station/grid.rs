//! When triggers leave: an absolute grid, each point put off by a seeded jitter.
//!
//! Pure. The grid is absolute, so that a late trigger delays none behind it; jitter below a period keeps the order.

use crate::event::frame::Offer;

/// The instants of a series, in nanoseconds since its first point; ends with the series.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    offer: Offer,
    random: fastrand::Rng,
    number: u64,
}

impl Grid {
    /// The grid of an offer: the same offer, the same instants.
    pub(crate) fn of(offer: Offer) -> Self {
        Self { offer, random: fastrand::Rng::with_seed(offer.seed), number: 0 }
    }
}

impl Iterator for Grid {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let number = (self.number < self.offer.count).then_some(self.number)?;
        self.number += 1;
        let put_off_ns = if self.offer.jitter_ns == 0 { 0 } else { self.random.u64(0..=self.offer.jitter_ns) };
        Some(number.saturating_mul(self.offer.period_ns).saturating_add(put_off_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_instant_lies_behind_its_point_and_before_the_next(
            period_ns in 2u64..10_000_000,
            share in 0.0..1.0f64,
            seed in any::<u64>(),
        ) {
            let jitter_ns = (period_ns as f64 * share) as u64;
            let offer = Offer { period_ns, count: 200, jitter_ns, seed };
            let instants: Vec<u64> = Grid::of(offer).collect();
            prop_assert_eq!(instants.len(), 200);
            for (number, instant) in instants.iter().enumerate() {
                let point = number as u64 * period_ns;
                prop_assert!((point..=point + jitter_ns).contains(instant));
            }
            prop_assert_eq!(instants, Grid::of(offer).collect::<Vec<_>>());
        }
    }

    #[test]
    fn without_jitter_the_grid_is_its_points() {
        let offer = Offer { period_ns: 7, count: 4, jitter_ns: 0, seed: 3 };
        assert_eq!(Grid::of(offer).collect::<Vec<_>>(), [0, 7, 14, 21]);
    }

    #[test]
    fn jitter_uses_its_whole_range_and_another_seed_gives_another_series() {
        let offer = |seed| Offer { period_ns: 1_000, count: 1_000, jitter_ns: 9, seed };
        let put_off = |seed| Grid::of(offer(seed)).map(|instant| instant % 1_000).collect::<Vec<_>>();
        let seen: std::collections::BTreeSet<u64> = put_off(1).into_iter().collect();
        assert_eq!(seen, (0..=9).collect());
        assert_ne!(put_off(1), put_off(2));
    }
}
