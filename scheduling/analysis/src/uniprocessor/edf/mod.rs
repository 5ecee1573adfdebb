//! Earliest deadline first on one processor: exact, cheapest condition first.
//!
//! Release jitter needs no analysis of its own. A job that arrives at a is released at a + J at the latest and due at a +
//! D, and the worst is that all tasks release late together and then as early as they may: the demand of a window t is
//! that of a task without jitter whose deadline is D - J (Spuri, INRIA research report 2873, 1996; George, Rivierre,
//! Spuri, INRIA 2966, 1996). What is exact without jitter is therefore exact with it.

pub mod qpa;
pub mod response_time;
pub mod utilization;

use crate::{Budget, Finding, TaskSet, Verdict};
use prazo_core::task::{Task, Ticks};
use std::borrow::Cow;

/// The exact answer: "utilization" where that decides (U > 1, or D - J >= T for every task), "QPA" otherwise.
pub fn test(tasks: TaskSet<'_>, budget: &mut Budget) -> Finding {
    let by_utilization = utilization::test(tasks, budget);
    if by_utilization.verdict != Verdict::Unknown {
        return by_utilization;
    }
    let by_demand = qpa::test(tasks, budget);
    Finding { work: by_utilization.work + by_demand.work, ..by_demand }
}

/// D - J: how long after its latest release a job is due; `None` if it may be released when it is already due.
fn window_after_release(task: &Task) -> Option<Ticks> {
    task.deadline.checked_sub(task.jitter).filter(|window| *window > 0)
}

/// The tasks with jitter moved into the deadline; `None` if some job may be released when it is already due.
fn without_jitter(tasks: TaskSet<'_>) -> Option<Cow<'_, [Task]>> {
    if !tasks.has_jitter() {
        return Some(Cow::Borrowed(tasks.tasks()));
    }
    let moved = tasks.iter().map(|task| Some(Task::new(task.cost, task.period, window_after_release(task)?)));
    moved.collect::<Option<Vec<_>>>().map(Cow::Owned)
}
