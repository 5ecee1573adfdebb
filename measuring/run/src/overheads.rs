//! What a traced run says of each kind of overhead besides its samples: which stamps it is between, what was left out, or why
//! there are none.
//!
//! A kind's samples are series like all others; a pair of stamps that is marked is among the skipped ones of its series, never
//! among the samples. Invariant: the marked pairs of a kind are as many as its series skipped.

use crate::run::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was traced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Traced {
    /// Number of tasks.
    pub tasks: u32,
    /// Jobs that should have been released.
    pub jobs_due: u64,
    /// Jobs that ran. The others were late by more than a period and were skipped.
    pub jobs_served: u64,
    /// Period of the system's tick.
    pub tick_period_ns: u64,
    /// Each requested kind.
    pub kinds: Vec<TracedKind>,
    /// Cache-related delay, where it was requested.
    #[serde(default)]
    pub cache: Vec<CacheDelay>,
}

/// The cost to a task of a displaced working set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CacheDelay {
    /// How it was displaced.
    pub displaced: Displaced,
    /// The working set, in KiB.
    pub working_set_kib: u32,
    /// Number of displacements.
    pub count: u64,
    /// Mean increase of the walk's duration: after the displacement, compared with before.
    pub mean_ns: f64,
    /// The largest such delay.
    pub max_ns: i64,
    /// Median duration of a walk with the set in the cache.
    pub warm_ns: u64,
    /// The processors between which the task was moved; null where it was preempted.
    #[serde(default)]
    pub moved: Option<Moved>,
}

/// The processors between which a task was moved, chosen to share as few caches as possible among the given ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// The two processors.
    pub cpus: [u32; 2],
    /// The nearest cache or core that they share: a working set that fits into it need not move. Null where the
    /// machine does not report it.
    pub share: Option<Share>,
}

/// What two processors share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Share {
    /// The core: they are its hardware threads.
    Core,
    /// A cache of the first level.
    Level1,
    /// A cache of the second level.
    Level2,
    /// A cache of the third level or above.
    Level3,
    /// No cache.
    Nothing,
}

/// How a working set is displaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Displaced {
    /// A more urgent task ran on the processor and walked through a larger set.
    Preempted,
    /// The task moved to another processor.
    Migrated,
}

/// One kind of overhead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TracedKind {
    /// What is measured.
    pub quantity: Quantity,
    /// Between which stamps: `local_timer_entry to sched_wakeup`; empty where it is not traced.
    pub between: String,
    /// Why it cannot be traced on this kernel; null where it can.
    pub untraced: Option<String>,
    /// Excluded pairs by reason; a pair with several reasons counts under the first.
    pub marked: BTreeMap<Mark, Marked>,
    /// Cost of a stamp, which every pair contains: the median between two stamps in a row; null where that was not
    /// measured.
    pub stamp_ns: Option<u64>,
}

/// Why a pair of stamps was excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// An interrupt came in between.
    Interrupted,
    /// A job was made ready on another processor.
    Migrated,
    /// The interrupt served other timers too, which released no job.
    AmongOthers,
    /// A late task set the timer for an instant that had passed, so its expiry does not measure the interrupt.
    SetLate,
    /// One of the two stamps is missing.
    Incomplete,
}

/// Pairs that were excluded for one reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Marked {
    /// Number of pairs.
    pub count: u64,
    /// The longest pair; null where the pairs have no duration.
    pub max_ns: Option<u64>,
}

impl TracedKind {
    /// Excluded pairs.
    pub fn marked_total(&self) -> u64 {
        self.marked.values().map(|marked| marked.count).sum()
    }

    /// One more pair with a mark.
    pub fn mark(&mut self, mark: Mark, count: u64, length_ns: Option<u64>) {
        if count > 0 {
            let marked = self.marked.entry(mark).or_default();
            marked.count += count;
            marked.max_ns = marked.max_ns.max(length_ns);
        }
    }
}

impl Traced {
    /// What is known of one kind.
    pub fn kind(&self, quantity: Quantity) -> Option<&TracedKind> {
        self.kinds.iter().find(|kind| kind.quantity == quantity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_counted_and_the_longest_is_kept() {
        let quantity = Quantity::ReleaseOverhead;
        let mut kind =
            TracedKind { quantity, between: String::new(), untraced: None, marked: BTreeMap::new(), stamp_ns: None };
        kind.mark(Mark::Interrupted, 1, Some(7));
        kind.mark(Mark::Interrupted, 1, Some(5));
        kind.mark(Mark::Incomplete, 3, None);
        kind.mark(Mark::Migrated, 0, None);
        assert_eq!(kind.marked_total(), 5);
        assert_eq!(kind.marked[&Mark::Interrupted], Marked { count: 2, max_ns: Some(7) });
        assert_eq!(kind.marked.len(), 2);
    }
}
