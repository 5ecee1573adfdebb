//! Global fixed priority looked at for a miss: the synchronous periodic schedule, computed exactly.
//!
//! Each task has a rank, 0 the most urgent. Jobs of equal rank do not preempt each other: that is another policy than an order
//! of tasks, which the analyses are about, and may miss where the order is proven. Who means the order passes ranks without ties.
//! A miss found is a proof, no miss found is Unknown (see the folder's first lines).

use super::HORIZON_MAX;
use super::schedule::{Rank, Schedule};
use crate::{Budget, Finding, TaskSet, Ticks};

/// What findings call this search.
pub const NAME: &str = "G-FP schedule";

/// The task's own rank.
#[derive(Clone, Copy, Debug)]
pub struct TaskRank<'a>(pub &'a [u32]);

impl Rank for TaskRank<'_> {
    /// A task of low rank may never run.
    const MAY_STARVE: bool = true;

    fn rank(&self, task: usize, _arrival: Ticks) -> u64 {
        u64::from(self.0[task])
    }
}

/// Looks for a job that ends late on `processors` processors until the schedule repeats; Disproven or Unknown.
///
/// `ranks` has one number for each task.
pub fn find_miss(tasks: TaskSet<'_>, ranks: &[u32], processors: u32, budget: &mut Budget) -> Finding {
    assert_eq!(tasks.len(), ranks.len(), "each task has one rank");
    let schedule = Schedule { rank: TaskRank(ranks), processors };
    super::search(NAME, tasks, schedule, HORIZON_MAX, budget)
}
