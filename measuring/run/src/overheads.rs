//! What a traced run says of each kind of overhead besides its samples: which stamps it is between, what was left out, or why
//! there are none.
//!
//! A kind's samples are series like all others; a pair of stamps that is marked is among the skipped ones of its series, never
//! among the samples. Invariant: the marked pairs of a kind are as many as its series skipped.

use crate::run::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Scheduling overheads that were traced, with the numbers of tasks and jobs that ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Traced {
    /// Number of periodic tasks that ran while prazo traced.
    pub tasks: u32,
    /// Number of jobs that should have been released.
    pub jobs_due: u64,
    /// Number of jobs that ran. The other jobs had not begun when the run ended.
    pub jobs_served: u64,
    /// Period of the kernel's tick.
    pub tick_period_ns: u64,
    /// One entry for each kind of overhead; `untraced` gives the reason where a kind was not traced.
    pub kinds: Vec<TracedKind>,
    /// Cache-related delays by working set; empty where they were not requested.
    #[serde(default)]
    pub cache: Vec<CacheDelay>,
}

/// Cache-related delay of a task whose working set was displaced from a cache.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CacheDelay {
    /// How the working set was displaced.
    pub displaced: Displaced,
    /// Size of the working set in KiB.
    pub working_set_kib: u32,
    /// Number of times that the working set was displaced and the delay measured.
    pub count: u64,
    /// Mean delay: the additional time that a walk through the working set takes after the displacement.
    pub mean_ns: f64,
    /// Largest delay.
    pub max_ns: i64,
    /// Median duration of a walk through the working set before a displacement.
    pub warm_ns: u64,
    /// Processors between which the task was moved; null where the task was preempted.
    #[serde(default)]
    pub moved: Option<Moved>,
}

/// Processors between which a task was moved: of the requested processors, two that share as few caches as possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// Numbers of the two processors.
    pub cpus: [u32; 2],
    /// Nearest core or cache that the two processors share; a working set that fits into a shared cache stays there when the task moves. Null where the machine does not report what they share.
    pub share: Option<Share>,
}

/// Nearest core or cache that two processors share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Share {
    /// A core: both processors are hardware threads of this core.
    Core,
    /// A first-level cache.
    Level1,
    /// A second-level cache.
    Level2,
    /// A cache of the third or a higher level.
    Level3,
    /// The two processors share neither a core nor a cache.
    Nothing,
}

/// How a working set is displaced from a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Displaced {
    /// A more urgent task preempted the task and walked through a working set of 4 MiB on the same processor.
    Preempted,
    /// The task moved to another processor.
    Migrated,
}

/// Tracing of one kind of overhead: its trace points, excluded pairs of stamps, and the cost of a stamp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TracedKind {
    /// Kind of overhead.
    pub quantity: Quantity,
    /// Kernel trace points between which the overhead is measured, such as `local_timer_entry to sched_wakeup`; empty
    /// where it is not traced.
    pub between: String,
    /// Why this kind was not traced; null where it was traced.
    pub untraced: Option<String>,
    /// Pairs of stamps that were excluded, by reason; a pair with several reasons counts under the first of them.
    pub marked: BTreeMap<Mark, Marked>,
    /// Cost of a stamp, which every measured overhead contains: the median time between two consecutive stamps; null
    /// where it was not measured.
    pub stamp_ns: Option<u64>,
}

/// Why a pair of stamps was excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// An interrupt occurred between the two stamps.
    Interrupted,
    /// A job that the timer interrupt released became ready on a processor other than the one that handled the
    /// interrupt.
    Migrated,
    /// The timer interrupt also served other timers, which released no job.
    AmongOthers,
    /// A late task set its timer to an instant that had already passed, so the time from expiry to interrupt includes
    /// the task's lateness.
    SetLate,
    /// One of the two stamps is missing.
    Incomplete,
}

/// Pairs of stamps that were excluded for one reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Marked {
    /// Number of excluded pairs.
    pub count: u64,
    /// Longest time between the two stamps of an excluded pair; null where no pair has both stamps.
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
