//! Release jitter under global fixed priorities, turned into a shorter period and a shorter deadline.
//!
//! A job is released at most J after it arrives, and arrivals are at least T apart. So releases are at least T - J apart, and a job has at
//! least D - J from its release to its deadline. The releases of a task are therefore a legal sequence of arrivals of the sporadic task
//! (C, T - J, D - J) without jitter, and priorities do not depend on when a job arrives. What holds for all those tasks, in the same order
//! of priority, holds for the ones with jitter. (Under EDF it would not: there the arrival ranks the job.)
//!
//! A test may see the moved tasks if it covers every legal sequence of arrivals of sporadic tasks, under any order of priorities or under
//! one that it finds in the moved tasks. RM-US, the density bound and Guan's test do.

use crate::{Task, TaskSet};

/// The tasks without jitter; or why there are none.
pub(super) fn moved(tasks: TaskSet<'_>) -> Result<Vec<Task>, &'static str> {
    let fits = |task: &Task| task.jitter < task.deadline.min(task.period);
    if !tasks.iter().all(fits) {
        return Err("a task's release jitter must be less than its period and its deadline");
    }
    let moved = |task: &Task| Task {
        period: task.period - task.jitter,
        deadline: task.deadline - task.jitter,
        jitter: 0,
        ..*task
    };
    Ok(tasks.iter().map(moved).collect())
}
