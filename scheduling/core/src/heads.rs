//! The running jobs of one cluster: one head for each processor that its queue serves.
//!
//! A head is known by its place in the cluster, counted from 0. Who runs is decided here and at once; the processor follows
//! when its interrupt arrives, so a head is what a processor shall run, and for a moment it may still run another.
//!
//! The least urgent job is searched from head to head, and only when all are busy and a job comes. A tournament as the queue's
//! would find it in no time, but must be kept up at every dispatch: that pays from eight heads or so (at 32 an insertion took
//! 609 instructions at worst this way and 321 that way, but at 4 a completion 211 against 294).

use crate::job::TaskIndex;
use crate::rank::Rank;

/// The most heads one cluster can have: as many as there are bits in the set of idle ones.
pub(crate) const HEADS_MAX: usize = 64;

/// A running job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Whose job.
    pub task: TaskIndex,
    /// How urgent it is.
    pub rank: Rank,
}

/// At most `HEADS` processors and what they run.
#[derive(Clone, Debug)]
pub(crate) struct Heads<const HEADS: usize> {
    /// By head, out of date where it is idle: whose job, and how urgent it is.
    tasks: [u16; HEADS],
    ranks: [Rank; HEADS],
    /// Bit `i` is set where head `i` is idle.
    idle: u64,
    count: usize,
}

impl<const HEADS: usize> Heads<HEADS> {
    /// `count` idle heads.
    pub(crate) const fn new(count: usize) -> Self {
        const { assert!(HEADS > 0 && HEADS <= HEADS_MAX, "a cluster has 1 to 64 heads") };
        assert!(count > 0 && count <= HEADS, "more heads than the cluster has places, or none");
        Self { tasks: [0; HEADS], ranks: [Rank::NOBODY; HEADS], idle: u64::MAX >> (HEADS_MAX - count), count }
    }

    /// How many heads there are.
    pub(crate) const fn count(&self) -> usize {
        self.count
    }

    /// What head `head` runs.
    #[inline]
    pub(crate) fn running(&self, head: usize) -> Option<Head> {
        if self.is_idle(head) { None } else { Some(self.at(head)) }
    }

    #[inline]
    fn at(&self, head: usize) -> Head {
        Head { task: TaskIndex::stored(self.tasks[head]), rank: self.ranks[head] }
    }

    /// True if `head` runs nothing.
    #[inline]
    pub(crate) const fn is_idle(&self, head: usize) -> bool {
        self.idle >> (head % HEADS_MAX) & 1 == 1
    }

    /// The idle head with the lowest number.
    #[inline]
    pub(crate) const fn lowest_idle(&self) -> Option<usize> {
        if self.idle == 0 { None } else { Some(self.idle.trailing_zeros() as usize) }
    }

    /// `head` runs `job` from now on.
    #[inline]
    pub(crate) fn start(&mut self, head: usize, job: Head) {
        (self.tasks[head], self.ranks[head]) = (job.task.number(), job.rank);
        self.idle &= !(1 << (head % HEADS_MAX));
    }

    /// `head`, which is not idle, runs `job` from now on.
    #[inline]
    pub(crate) fn change(&mut self, head: usize, job: Head) {
        debug_assert!(!self.is_idle(head), "an idle head is started, not changed");
        (self.tasks[head], self.ranks[head]) = (job.task.number(), job.rank);
    }

    /// `head` is idle from now on.
    #[inline]
    pub(crate) const fn vacate(&mut self, head: usize) {
        self.idle |= 1 << (head % HEADS_MAX);
    }

    /// The head whose job is the least urgent, the highest task index among equals, and what it runs. Only where no head is
    /// idle.
    #[inline]
    pub(crate) fn least_urgent(&self) -> (usize, Head) {
        debug_assert!(self.idle == 0, "an idle head makes room before a running one does");
        let (mut least, mut task, mut rank) = (0, self.tasks[0], self.ranks[0]);
        // By index: adapters over both arrays cost three times as many instructions a head.
        for head in 1..self.count.min(HEADS) {
            let (next, next_rank) = (self.tasks[head], self.ranks[head]);
            if rank.goes_before(next_rank, task <= next) {
                (least, task, rank) = (head, next, next_rank);
            }
        }
        (least, Head { task: TaskIndex::stored(task), rank })
    }
}
