//! Global EDF looked at for a miss: the synchronous periodic schedule, computed exactly.
//!
//! The most urgent job is the one with the earliest absolute deadline. A miss found is a proof, by example, that the set is
//! not schedulable under this policy; no miss found is Unknown (see the folder's first lines).

use super::HORIZON_MAX;
use super::schedule::{Rank, Schedule};
use crate::{Budget, Finding, TaskSet, Ticks};

/// What findings call this search.
pub const NAME: &str = "G-EDF schedule";

/// Earlier absolute deadline first.
#[derive(Clone, Copy, Debug)]
pub struct EarliestDeadline<'a>(pub TaskSet<'a>);

impl Rank for EarliestDeadline<'_> {
    /// Deadlines pass, and then nothing that arrives later is more urgent.
    const MAY_STARVE: bool = false;

    fn rank(&self, task: usize, arrival: Ticks) -> u64 {
        arrival + self.0[task].deadline
    }
}

/// Looks for a job that ends late on `processors` processors until the schedule repeats; Disproven or Unknown.
pub fn find_miss(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Finding {
    find_miss_until(tasks, processors, HORIZON_MAX, budget)
}

/// The same for the first `horizon` ticks, the horizon included.
pub fn find_miss_until(tasks: TaskSet<'_>, processors: u32, horizon: Ticks, budget: &mut Budget) -> Finding {
    let schedule = Schedule { rank: EarliestDeadline(tasks), processors };
    super::search(NAME, tasks, schedule, horizon, budget)
}
