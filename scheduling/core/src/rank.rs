//! How urgent a job is: a number that only a criterion makes and only `is_more_urgent_than` reads.
//!
//! Ranks have no `<`: whether the smaller or the larger number goes first is a question no reader should have to ask.
//! A rank is one word, whatever the criterion, so that a queue can keep it beside the task and compare without a call.

/// The urgency of a job under some criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rank(u64);

impl Rank {
    /// The rank of value `value`, the smaller the more urgent; the two largest values there are rank as the one before.
    #[inline]
    pub const fn new(value: u64) -> Self {
        const LARGEST: u64 = Rank::NOBODY.0 - 1;
        if value > LARGEST { Self(LARGEST) } else { Self(value) }
    }

    /// Less urgent than every job: what a queue holds in the place of a job that is not there. One more still fits a word.
    pub(crate) const NOBODY: Rank = Rank(u64::MAX - 1);

    /// True if a job of this rank goes before one of `other`; false between equals.
    #[inline]
    pub const fn is_more_urgent_than(self, other: Rank) -> bool {
        self.0 < other.0
    }

    /// True if a job of this rank goes before one of `other`, among equals if it `wins_ties`. One comparison, no branch:
    /// one more than [`NOBODY`](Self::NOBODY) does not wrap.
    #[inline]
    pub(crate) const fn goes_before(self, other: Rank, wins_ties: bool) -> bool {
        self.0 < other.0.wrapping_add(wins_ties as u64)
    }

    /// The more urgent of the two.
    #[inline]
    pub const fn or_more_urgent(self, other: Rank) -> Rank {
        if other.is_more_urgent_than(self) { other } else { self }
    }

    /// A rank that no other task has: `value` decides, and among equal values the lower task index.
    ///
    /// Analysis of fixed priorities assumes a strict order of the tasks, so the tie is broken inside the rank, where it
    /// also preempts. Values of 2^48 and more (3.2 days in nanoseconds) count as equal.
    #[inline]
    pub const fn strict(value: u64, task: crate::job::TaskIndex) -> Self {
        const LARGEST: u64 = (1 << 48) - 1;
        let value = if value > LARGEST { LARGEST } else { value };
        Self(value << 16 | task.number() as u64)
    }
}
