//! Which task decides: the one whose cost may grow least, or where the set is not proven, must shrink least.
//!
//! Least in ticks, because that is what somebody would have to save or may yet spend. Ties go to the lower index. A task is
//! searched in full only if a single question says that it beats the best so far, so that most tasks cost one question; a
//! verdict that is not monotone may mislead that question, as it may any search.

use super::AskTasks;
use super::largest_task_cost::largest_task_cost;
use super::search::Boundary;
use crate::{Task, TaskSet, Ticks, Verdict};

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Critical {
    /// Index of the task.
    pub task: usize,
    /// True if the set is proven as it is: the cost may grow. False: it must shrink.
    pub is_proven: bool,
    /// The largest proven cost of the task and the next larger.
    pub cost: Boundary,
    /// How often the tests were asked about the whole set.
    pub questions: u32,
}

/// The critical task of `tasks`; `None` if the set is not proven and no single task's cost can be cut so that it is.
///
/// No cost grows beyond min(D, T): a task that fills it already may grow by nothing.
pub fn critical_task(tasks: TaskSet<'_>, ask: AskTasks<'_>) -> Option<Critical> {
    let mut questions = 0;
    let mut counted = |tasks: &[Task]| {
        questions += 1;
        ask(tasks)
    };
    let is_proven = counted(&tasks) == Verdict::Proven;
    let mut best: Option<(Ticks, usize, Boundary)> = None;
    for index in 0..tasks.len() {
        let nearest = best.map(|best| best.0);
        if !may_beat(nearest, tasks, index, is_proven, &mut counted) {
            continue;
        }
        let boundary = largest_task_cost(tasks, index, &mut counted);
        let distance = boundary.proven.map(|proven| proven.abs_diff(tasks[index].cost));
        if let Some(distance) = distance.filter(|distance| nearest.is_none_or(|nearest| *distance < nearest)) {
            best = Some((distance, index, boundary));
        }
    }
    best.map(|(_, task, cost)| Critical { task, is_proven, cost, questions })
}

/// At most one question: can the boundary of this task lie nearer than `nearest`?
fn may_beat(nearest: Option<Ticks>, tasks: TaskSet<'_>, index: usize, is_proven: bool, ask: AskTasks<'_>) -> bool {
    let Task { cost: now, .. } = tasks[index];
    let cost = match (is_proven, nearest) {
        (true, None) => return true,
        (true, Some(growth)) if now + growth > tasks[index].window() => return true,
        (true, Some(growth)) => now + growth,
        (false, None) => 1,
        (false, Some(cut)) => now.saturating_sub(cut - 1).max(1),
    };
    let mut changed = tasks.to_vec();
    changed[index].cost = cost;
    cost != now && (ask(&changed) == Verdict::Proven) != is_proven
}
