//! Release jitter under global EDF: which tests may take D - J for D.
//!
//! A job is released up to J after its arrival, and jobs are ranked by arrival + D. Let D <= T and J < D. Then a task's
//! deadlines are at least T apart, and each of its windows, from release to deadline, contains the last D - J before
//! the deadline. So its jobs are those of the task (C, T, D - J) without jitter, with the same deadlines, but some of them
//! released earlier, by J at most.
//!
//! ```text
//! arrival    release             deadline
//!    |<-- <=J -->|<------ >= D-J ----->|
//!                        |<--- D-J --->|     the window that the tests see
//! ```
//!
//! An earlier release with the same deadline is harmless to a proof that uses three facts only: deadlines are T apart, a job
//! has at least D - J from release to deadline, and a job waits only while all processors serve earlier deadlines. For the job
//! that would miss, the proof looks at the last D - J before its deadline: it has at most C left there and is ready
//! throughout. For the others:
//!
//! - GFB: each job can run at the constant speed C/(D - J) in that window, and the theorem holds for every set of jobs
//!   for which this is so (Goossens, Funk, Baruah 2003, theorem 4);
//! - BAK, LOAD: work carried in is bounded by the time since the release, of which there is more;
//! - BCL, BCLI: the work of others is counted by their deadlines, which are T apart;
//! - BAR: demand counts jobs that are released and due within an interval, dbf with D - J; carried in is counted by deadlines;
//! - FF-DBF: what must run before an instant is the least for the shortest window.
//!
//! RTA is not among them: W_i(L) counts the arrivals that follow a late job, and these come T - D after its deadline, not
//! T - (D - J). It has to know both, so it goes on to refuse jitter. With D > T windows of one task overlap, and all refuse.

use crate::{Task, TaskSet};

const DEADLINES: &str = "with release jitter this test is proven for J < D <= T only";
/// Why RTA goes on to refuse jitter.
pub(super) const RESPONSE_TIMES: &str =
    "this test does not cover release jitter; GFB, BAK, BCL, LOAD, FF-DBF, BAR and BCLI do";

/// `tasks` as the tests named above may see them, without jitter; or why they may not.
pub(super) fn moved(tasks: TaskSet<'_>) -> Result<Vec<Task>, &'static str> {
    let window = |task: &Task| (task.jitter < task.deadline && task.deadline <= task.period).then(|| shortened(task));
    tasks.iter().map(window).collect::<Option<_>>().ok_or(DEADLINES)
}

fn shortened(task: &Task) -> Task {
    Task { deadline: task.deadline - task.jitter, jitter: 0, ..*task }
}
