//! From the stamp that a frame carries to CLOCK_MONOTONIC, where the task's own stamp is.
//!
//! Pure. The kernel's software stamps are of CLOCK_REALTIME, a card's are of its own clock. The wall clock differs from
//! CLOCK_MONOTONIC by a number that only a step changes, since both are slewed alike; a card's clock also runs at its own rate,
//! so that two relations, before and after, are needed to judge it, and the newest one to convert.

pub(super) use prazo_sys::card_clock::Bracket;

/// How a foreign clock stands to CLOCK_MONOTONIC at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relation {
    /// The foreign clock less CLOCK_MONOTONIC.
    pub ahead_ns: i64,
    /// The true difference lies within this of `ahead_ns`.
    pub uncertainty_ns: u64,
    /// When it was read, on CLOCK_MONOTONIC.
    pub at_ns: u64,
}

impl Relation {
    /// The narrowest of several readings; `None` of none.
    pub fn narrowest(brackets: impl IntoIterator<Item = Bracket>) -> Option<Self> {
        let width = |bracket: &Bracket| bracket.after_ns.saturating_sub(bracket.before_ns);
        let best = brackets.into_iter().filter(|bracket| bracket.after_ns >= bracket.before_ns).min_by_key(width)?;
        let middle = best.before_ns + width(&best) / 2;
        let ahead_ns = best.foreign_ns.wrapping_sub(middle) as i64;
        Some(Self { ahead_ns, uncertainty_ns: width(&best).div_ceil(2), at_ns: middle })
    }

    /// The stamp on CLOCK_MONOTONIC.
    #[inline]
    pub const fn to_monotonic(self, foreign_ns: u64) -> u64 {
        foreign_ns.wrapping_sub(self.ahead_ns as u64)
    }

    /// How far the foreign clock has moved against CLOCK_MONOTONIC since `earlier`.
    pub fn moved_since(&self, earlier: &Self) -> i64 {
        self.ahead_ns.wrapping_sub(earlier.ahead_ns)
    }

    /// True where the two relations differ by more than both readings can explain.
    pub fn has_moved_since(&self, earlier: &Self) -> bool {
        self.moved_since(earlier).unsigned_abs() > self.uncertainty_ns + earlier.uncertainty_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_true_difference_lies_within_the_uncertainty(
            ahead in -1_000_000_000_000i64..2_000_000_000_000_000_000,
            readings in prop::collection::vec((0u64..10_000, 0u64..10_000), 1..10),
        ) {
            let mut now = 5_000_000_000_000u64;
            let brackets: Vec<Bracket> = readings.iter().map(|(until, then)| {
                let before_ns = now;
                let foreign_ns = (before_ns + until).wrapping_add(ahead as u64);
                now = before_ns + until + then;
                Bracket { before_ns, foreign_ns, after_ns: now }
            }).collect();
            let relation = Relation::narrowest(brackets).unwrap();
            prop_assert!(relation.ahead_ns.abs_diff(ahead) <= relation.uncertainty_ns);
            let event = 5_000_000_500_000u64;
            let converted = relation.to_monotonic(event.wrapping_add(ahead as u64));
            prop_assert!(converted.abs_diff(event) <= relation.uncertainty_ns);
        }
    }

    #[test]
    fn a_step_is_told_from_the_readings_own_uncertainty() {
        let earlier = Relation { ahead_ns: 1_000, uncertainty_ns: 50, at_ns: 0 };
        let same = Relation { ahead_ns: 1_090, uncertainty_ns: 40, at_ns: 1 };
        let stepped = Relation { ahead_ns: 1_091, uncertainty_ns: 40, at_ns: 1 };
        assert!(!same.has_moved_since(&earlier));
        assert!(stepped.has_moved_since(&earlier));
        assert_eq!(stepped.moved_since(&earlier), 91);
    }

    #[test]
    fn no_reading_is_no_relation() {
        assert_eq!(Relation::narrowest([]), None);
        assert_eq!(Relation::narrowest([Bracket { before_ns: 2, foreign_ns: 0, after_ns: 1 }]), None);
    }
}
