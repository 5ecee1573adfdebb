//! The running jobs of one cluster: one head for each processor that its queue serves.
//!
//! A head is known by its place in the cluster, counted from 0. Who runs is decided here and at once; the processor follows
//! when its interrupt arrives, so a head is what a processor shall run, and for a moment it may still run another.

use crate::job::TaskIndex;
use crate::rank::Rank;

/// The most heads one cluster can have: as many as there are bits in the set of idle ones.
pub const HEADS_MAX: usize = 64;

/// A running job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Whose job.
    pub task: TaskIndex,
    /// How urgent it is.
    pub rank: Rank,
}

/// At most `HEADS` processors and what they run.
#[derive(Clone, Debug)]
pub struct Heads<const HEADS: usize> {
    /// Out of date where the head is idle.
    running: [Head; HEADS],
    /// Bit `i` is set where head `i` is idle.
    idle: u64,
    count: usize,
}

impl<const HEADS: usize> Heads<HEADS> {
    /// `count` idle heads.
    pub const fn new(count: usize) -> Self {
        const { assert!(HEADS > 0 && HEADS <= HEADS_MAX, "a cluster has 1 to 64 heads") };
        assert!(count > 0 && count <= HEADS, "more heads than the cluster has places, or none");
        let running = [Head { task: TaskIndex::stored(0), rank: Rank::NOBODY }; HEADS];
        Self { running, idle: u64::MAX >> (HEADS_MAX - count), count }
    }

    /// How many heads there are.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// What head `head` runs.
    #[inline]
    pub fn running(&self, head: usize) -> Option<Head> {
        if self.is_idle(head) { None } else { self.running.get(head).copied() }
    }

    /// True if `head` runs nothing.
    #[inline]
    pub const fn is_idle(&self, head: usize) -> bool {
        self.idle >> (head % HEADS_MAX) & 1 == 1
    }

    /// The idle head with the lowest number.
    #[inline]
    pub const fn lowest_idle(&self) -> Option<usize> {
        if self.idle == 0 { None } else { Some(self.idle.trailing_zeros() as usize) }
    }

    /// `head` runs `job` from now on.
    #[inline]
    pub fn start(&mut self, head: usize, job: Head) {
        self.running[head] = job;
        self.idle &= !(1 << (head % HEADS_MAX));
    }

    /// `head` is idle from now on.
    #[inline]
    pub const fn vacate(&mut self, head: usize) {
        self.idle |= 1 << (head % HEADS_MAX);
    }

    /// The head whose job is the least urgent, the highest task index among equals. Only where no head is idle.
    #[inline]
    pub fn least_urgent(&self) -> usize {
        debug_assert!(self.idle == 0, "an idle head makes room before a running one does");
        let mut least = 0;
        for (place, job) in self.running.iter().enumerate().take(self.count) {
            let chosen = self.running[least];
            let behind = chosen.rank.is_more_urgent_than(job.rank);
            if behind || (chosen.rank == job.rank && chosen.task < job.task) {
                least = place;
            }
        }
        least
    }
}
