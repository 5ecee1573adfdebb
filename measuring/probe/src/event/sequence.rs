//! Which trigger an arriving number is: the next one, one behind a gap, a duplicate, or one that was overtaken.
//!
//! Pure. A number behind the newest one is looked up among the last [`REMEMBERED`]: there once, it is a duplicate; not yet, it
//! was overtaken, and it stays counted among those that were jumped over, since by then the gap has been told. So
//! `sent = served + skipped` holds, and the overtaken ones are a part of skipped.

/// How many numbers behind the newest one are told apart; an older one counts as a duplicate.
pub(super) const REMEMBERED: u64 = 64;

/// What an arriving number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// Newer than all before it; this many between them have not arrived.
    New {
        /// Numbers jumped over.
        skipped: u64,
    },
    /// It has arrived before.
    Duplicate,
    /// A newer one arrived before it.
    Overtaken,
}

/// The numbers seen so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sequence {
    /// One more than the newest.
    next: u64,
    /// Bit n: number `next - 1 - n` has arrived.
    seen: u64,
}

impl Sequence {
    /// Takes the number of an arriving trigger.
    #[inline]
    pub(super) fn take(&mut self, number: u64) -> Arrival {
        if number >= self.next {
            let skipped = number - self.next;
            self.seen = if skipped + 1 >= REMEMBERED { 1 } else { self.seen << (skipped + 1) | 1 };
            self.next = number + 1;
            return Arrival::New { skipped };
        }
        let behind = self.next - 1 - number;
        if behind >= REMEMBERED || self.seen >> behind & 1 == 1 {
            return Arrival::Duplicate;
        }
        self.seen |= 1 << behind;
        Arrival::Overtaken
    }

    /// How many of `sent` numbers are newer than all that arrived.
    pub(super) fn missing_at_end(&self, sent: u64) -> u64 {
        sent.saturating_sub(self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// The obvious twin: remembers everything.
    #[derive(Default)]
    struct Twin {
        seen: HashSet<u64>,
        newest: Option<u64>,
    }

    impl Twin {
        fn take(&mut self, number: u64) -> Arrival {
            let is_new = self.seen.insert(number);
            match self.newest {
                Some(newest) if number > newest => {
                    self.newest = Some(number);
                    Arrival::New { skipped: number - newest - 1 }
                }
                None => {
                    self.newest = Some(number);
                    Arrival::New { skipped: number }
                }
                _ if is_new => Arrival::Overtaken,
                _ => Arrival::Duplicate,
            }
        }
    }

    proptest! {
        /// Numbers that wander around a growing one, never further back than is remembered.
        #[test]
        fn it_agrees_with_a_set_of_all_numbers(steps in prop::collection::vec((0u64..5, 0u64..30), 0..400)) {
            let (mut sequence, mut twin, mut around) = (Sequence::default(), Twin::default(), 0u64);
            let (mut served, mut skipped, mut newest) = (0, 0, 0);
            for (forward, back) in steps {
                around += forward;
                let number = around.saturating_sub(back);
                let arrival = sequence.take(number);
                prop_assert_eq!(arrival, twin.take(number), "{}", number);
                if let Arrival::New { skipped: gap } = arrival {
                    served += 1;
                    skipped += gap;
                    newest = number + 1;
                }
            }
            let sent = around + 3;
            prop_assert_eq!(served + skipped, newest);
            prop_assert_eq!(served + skipped + sequence.missing_at_end(sent), sent.max(newest));
        }
    }

    #[test]
    fn a_gap_longer_than_the_memory_forgets_what_was_before() {
        let mut sequence = Sequence::default();
        assert_eq!(sequence.take(0), Arrival::New { skipped: 0 });
        assert_eq!(sequence.take(1_000), Arrival::New { skipped: 999 });
        assert_eq!(sequence.take(999), Arrival::Overtaken);
        assert_eq!(sequence.take(999), Arrival::Duplicate);
        assert_eq!(sequence.take(1_000 - REMEMBERED), Arrival::Duplicate, "too old to be told apart");
    }

    #[test]
    fn a_gap_of_exactly_the_memory_keeps_no_stale_bit() {
        for gap in REMEMBERED - 2..=REMEMBERED + 1 {
            let mut sequence = Sequence::default();
            let _ = sequence.take(0);
            let _ = sequence.take(gap);
            assert_eq!(sequence.take(gap - 1), Arrival::Overtaken, "{gap}");
            assert_eq!(sequence.take(0), Arrival::Duplicate, "{gap}");
        }
    }
}
