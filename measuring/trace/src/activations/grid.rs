//! The due instants of one wait, one after the other: their period, and how many periods the program let pass.
//!
//! The period is found, not asked for: most programs add the same time to each due instant, so the most frequent distance is
//! it. A program that computes its next instant anew each time has no exact distance; its period is the median one.

use std::collections::BTreeMap;

/// Distances that are told apart; others are counted as the next smaller one.
const KEPT: usize = 1_024;
/// A period is taken for settled after so many distances.
const SETTLED: u64 = 8;

/// Distances between due instants, with their counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Grid {
    last_ns: Option<i64>,
    distances: BTreeMap<u64, u64>,
    /// Distances over waits that were not seen.
    gaps: BTreeMap<u64, u64>,
    count: u64,
    /// How far the timer went on after the last due instant before the program asked it.
    beyond_ns: u64,
}

impl Grid {
    /// The next due instant; `is_gap` where waits were lost before it. Its distance to the one before; 0 where
    /// that was not seen.
    pub(super) fn add(&mut self, due_ns: i64, is_gap: bool) -> u64 {
        let distance = self.last_ns.and_then(|last| u64::try_from(due_ns - last).ok()).filter(|distance| *distance > 0);
        (self.last_ns, self.beyond_ns) = (Some(due_ns), 0);
        let Some(distance) = distance else { return 0 };
        if is_gap {
            count(&mut self.gaps, distance);
            return 0;
        }
        self.count += 1;
        count(&mut self.distances, distance);
        distance
    }

    /// The last wait also took the instants of so much time after its due instant. The next due instant shows the same; after the
    /// last one there is none.
    pub(super) fn went_on(&mut self, beyond_ns: u64) {
        self.beyond_ns = beyond_ns;
    }

    /// The instants begin anew: the distance to the next one is none.
    pub(super) fn restart(&mut self) {
        (self.last_ns, self.beyond_ns) = (None, 0);
    }

    /// The period, from three distances on.
    pub(super) fn period_ns(&self) -> Option<u64> {
        if self.count < 3 {
            return None;
        }
        // The smaller of two that are equally frequent: what was skipped now and then makes larger ones.
        let (mode, most) =
            self.distances.iter().max_by_key(|(distance, count)| (**count, std::cmp::Reverse(**distance)))?;
        if most * 2 >= self.count {
            return Some(*mode);
        }
        let mut before = 0;
        self.distances
            .iter()
            .find(|(_, count)| {
                before += **count;
                before * 2 >= self.count
            })
            .map(|(distance, _)| *distance)
    }

    /// True once the period will hardly change.
    pub(super) fn is_settled(&self) -> bool {
        self.count >= SETTLED
    }

    /// Periods that passed between two waits that were both seen.
    pub(super) fn skipped(&self, period_ns: u64) -> u64 {
        passed(&self.distances, period_ns) + (self.beyond_ns + period_ns / 2) / period_ns.max(1)
    }

    /// Periods that passed while waits were not seen.
    pub(super) fn unseen(&self, period_ns: u64) -> u64 {
        passed(&self.gaps, period_ns)
    }
}

fn count(distances: &mut BTreeMap<u64, u64>, distance: u64) {
    let known = if distances.len() < KEPT || distances.contains_key(&distance) {
        distance
    } else {
        distances.range(..distance).next_back().map_or(distance, |(smaller, _)| *smaller)
    };
    *distances.entry(known).or_default() += 1;
}

fn passed(distances: &BTreeMap<u64, u64>, period_ns: u64) -> u64 {
    distances.iter().map(|(distance, count)| between(*distance, period_ns) * count).sum()
}

/// Periods that passed within the distance of two due instants.
pub(super) fn between(distance_ns: u64, period_ns: u64) -> u64 {
    let period_ns = period_ns.max(1);
    ((distance_ns + period_ns / 2) / period_ns).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grid(dues: impl IntoIterator<Item = i64>) -> Grid {
        let mut grid = Grid::default();
        for due in dues {
            grid.add(due, false);
        }
        grid
    }

    #[test]
    fn the_most_frequent_distance_is_the_period_and_longer_ones_skipped_some() {
        let grid = grid([0, 10, 20, 50, 60, 70, 90]);
        assert_eq!((grid.period_ns(), grid.skipped(10)), (Some(10), 3));
    }

    #[test]
    fn a_program_without_exact_distances_has_the_median() {
        let grid = grid([0, 1_001, 2_003, 3_006, 4_011, 5_012]);
        assert_eq!((grid.period_ns(), grid.skipped(1_002)), (Some(1_002), 0));
    }

    #[test]
    fn what_passed_while_nothing_was_seen_is_not_skipped() {
        let mut grid = grid([0, 10, 20, 30]);
        grid.add(70, true);
        assert_eq!((grid.period_ns(), grid.skipped(10), grid.unseen(10)), (Some(10), 0, 3));
        assert_eq!(Grid::default().period_ns(), None);
    }

    #[test]
    fn instants_that_begin_anew_skip_nothing() {
        let mut grid = grid([0, 10, 20, 30]);
        grid.restart();
        for due in [77, 87, 97] {
            grid.add(due, false);
        }
        assert_eq!((grid.period_ns(), grid.skipped(10), grid.unseen(10)), (Some(10), 0, 0));
    }

    #[test]
    fn what_the_last_read_of_a_timer_took_was_skipped() {
        let mut grid = grid([0, 10, 20, 30]);
        grid.went_on(40);
        assert_eq!((grid.period_ns(), grid.skipped(10)), (Some(10), 4));
        grid.add(80, false);
        assert_eq!(grid.skipped(10), 4);
    }

    proptest! {
        /// The twin walks the grid instant by instant.
        #[test]
        fn due_instants_are_served_or_skipped(period in 2_u64..50, steps in prop::collection::vec(prop_oneof![8 => Just(1_u64), 1 => 2_u64..4], 3..60)) {
            prop_assume!(steps.iter().filter(|step| **step == 1).count() * 2 > steps.len());
            let mut served = vec![0];
            steps.iter().for_each(|step| served.push(served[served.len() - 1] + (step * period) as i64));
            let last = served[served.len() - 1];
            let skipped = (0..=last).step_by(period as usize).filter(|due| !served.contains(due)).count();
            let grid = grid(served);
            prop_assert_eq!(grid.period_ns(), Some(period));
            prop_assert_eq!(grid.skipped(period), skipped as u64);
        }
    }
}
