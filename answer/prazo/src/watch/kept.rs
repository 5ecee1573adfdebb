//! The end of a watch that its run file keeps: from which second on; pure.
//!
//! The seconds themselves are in the file, which is a ring: what is older goes, second by second.

use prazo_run::store::SeriesSecond;

/// The last seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    length_s: u32,
    last_s: u32,
    /// The first second that stays however late it becomes: a miss was noticed.
    pinned_s: Option<u32>,
}

impl Kept {
    /// Nothing yet; so many seconds at most.
    pub(super) fn new(length_s: u32) -> Self {
        Self { length_s, last_s: 0, pinned_s: None }
    }

    /// A miss was noticed: what is there, as far as it is not old, and the miss stay whatever comes.
    pub(super) fn pin(&mut self) {
        self.pinned_s.get_or_insert(self.last_s.saturating_sub(self.length_s));
    }

    /// New activations; the first second that stays.
    pub(super) fn first_s(&mut self, batch: &[SeriesSecond]) -> u32 {
        for second in batch {
            if second.missed > 0 {
                // A long one was due long before it was noticed.
                let from_s = second.at_s.saturating_sub(self.length_s);
                self.pinned_s = self.pinned_s.map(|pinned_s| pinned_s.min(from_s));
            }
            self.last_s = self.last_s.max(second.at_s);
        }
        self.last_s.saturating_sub(self.length_s).min(self.pinned_s.unwrap_or(u32::MAX))
    }

    /// For how many seconds before the last one everything is there; the last second that went for want of space.
    pub(super) fn complete_s(&self, crowded_out_s: Option<u32>) -> u32 {
        crowded_out_s.map_or(self.length_s, |gone_s| self.last_s.saturating_sub(gone_s)).min(self.length_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(at_s: u32, missed: u64) -> SeriesSecond {
        SeriesSecond { at_s, missed, ..SeriesSecond::default() }
    }

    #[test]
    fn what_is_older_than_the_asked_time_goes() {
        let mut kept = Kept::new(3);
        let first: Vec<u32> = (0..10).map(|at_s| kept.first_s(&[at(at_s, 2), at(at_s, 0)])).collect();
        assert_eq!(first, [0, 0, 0, 0, 1, 2, 3, 4, 5, 6]);
        assert_eq!((kept.complete_s(None), kept.complete_s(Some(7))), (3, 2));
        assert_eq!(kept.complete_s(Some(1)), 3, "space was short long ago");
    }

    #[test]
    fn a_miss_stays_while_the_watch_goes_on_behind_it() {
        let mut kept = Kept::new(1);
        for at_s in 0..=7 {
            kept.first_s(&[at(at_s, u64::from(at_s == 7))]);
        }
        kept.pin();
        assert_eq!(kept.first_s(&[at(8, 0)]), 6);
        kept.pin();
        assert_eq!(kept.first_s(&[at(9, 0)]), 6);
        // It is noticed when it ends, four seconds after it was due, and other threads go on meanwhile.
        let mut kept = Kept::new(5);
        for at_s in 0..=7 {
            kept.first_s(&[at(at_s, 0)]);
        }
        kept.pin();
        assert_eq!(kept.first_s(&[at(4, 1), at(8, 0)]), 0);
        assert_eq!(kept.first_s(&[at(20, 0)]), 0);
    }
}
