//! Whether a periodic, non-preemptive set on one clock ever misses: all orders in which its jobs can start.
//!
//! Job k of a task arrives at O + kT, is released at most J later, runs for more than nothing, at least B and at most C, and once it has started
//! runs to its end. Whenever a processor is free, the most urgent released job starts. The schedule abstraction graph of Nasri and Brandenburg
//! ("An Exact and Sustainable Analysis of Non-Preemptive Scheduling", RTSS 2017) has a state for each set of jobs that have started, with the
//! interval in which the processor becomes free, and an edge for each job that can be the next:
//!
//! ```text
//! EST = max(A-, r-)        LST = min(t_wc, t_high)        t_wc = max(A+, min r+ of all)        t_high < r+ of all that are more urgent
//! the job can be next iff EST <= LST; the processor is then free again in [EST + B, LST + C]; it is late iff LST + C > d
//! ```
//!
//! States of the same jobs merge where their intervals meet. On one processor that loses nothing, so both verdicts are exact. On m processors
//! (Nasri, Nelissen, Brandenburg, ECRTS 2018) a state has an interval for the x-th processor to become free, x = 1..m, which is a bound:
//! the test proves, and it disproves only by an execution that is run.
//!
//! **Any real instant.** The paper counts whole ticks: t_high is r+ - 1 there. Here it is r+ itself, excluded. [`graph`] computes with ends
//! that are included or excluded, so nothing that is reachable is left out and nothing else is taken in; and a late end that is only
//! approached is late by some part of a tick that [`execution`] chooses.
//!
//! **Exact, why.** What decides next is which jobs are released by an instant t >= A. A job that has not started although it is more urgent than
//! the last one, which began at s, is released after s; and A > s, because every job runs for more than nothing. So every release in its
//! interval that is consistent with "released by t" or "released at u > t" is consistent with what was before.
//!
//! **All jobs.** The jobs of one hyperperiod H later are the same jobs H later. A state whose every task has started all jobs of another
//! hyperperiod is the same as H before; where its interval is inside one that is known, nothing new follows. So a proof is of all jobs,
//! not of those up to a horizon.
//!
//! At one instant jobs end, then others are released, then one starts. Jobs of a task start in the order of their arrival. Under EDF equal deadlines are
//! tried in both orders; only where that does not prove the set the house's rule is (the lower index), and the finding says so.

mod execution;
mod graph;
mod queue;

pub use queue::{ClosedState, PeriodicQueue, Size, uncovered};

use crate::answer::LateExecution;
use crate::budget::Unfinished;
use crate::disproof::necessary;
use crate::reach::Ranking;
use crate::{Budget, Finding};
use graph::{Graph, Leaf};
use queue::Ties;

/// What findings call this test.
pub const NAME: &str = "schedule graph";

/// What they call it where a proof needs the rule for ties: of equal deadlines the lower task index goes first.
pub const NAME_BY_INDEX: &str = "schedule graph, ties by index";

/// Both of these.
pub const NAMES: [&str; 2] = [NAME, NAME_BY_INDEX];

/// The states of the graph that proved the set, by the test of the name `test`: what follows one of them is inside one of them, if need be
/// some hyperperiods later. `None` if the budget ends first, or a job may be late.
pub fn closed_states(queue: PeriodicQueue<'_>, test: &str, budget: &mut Budget) -> Option<Vec<ClosedState>> {
    if uncovered(queue).is_some() {
        return None;
    }
    let ties = if test == NAME { Ties::Any } else { Ties::ByIndex };
    let mut graph = Graph::new(queue, ties);
    matches!(graph.search(budget), Ok(Leaf::None)).then(|| graph.closed())
}

/// Proven, Disproven with an execution, or Unknown: on one processor only where the budget is spent or numbers are too large.
pub fn test(queue: PeriodicQueue<'_>, budget: &mut Budget) -> Finding {
    measured(queue, budget).0
}

/// The same with the size of the last graph.
pub fn measured(queue: PeriodicQueue<'_>, budget: &mut Budget) -> (Finding, Size) {
    if let Some(why) = uncovered(queue) {
        return (Finding::not_applicable(NAME, why), Size::default());
    }
    let before = budget.spent();
    if let Some(overload) = necessary::overload(queue.tasks, queue.processors) {
        return (overload, Size::default());
    }
    let mut size = Size::default();
    let found = searched(queue, budget, &mut size);
    let work = budget.spent() - before;
    let finding = match found {
        Ok(Found::NoneLate(Ties::Any)) => Finding::proven(NAME, None, None, work),
        Ok(Found::NoneLate(Ties::ByIndex)) => Finding::proven(NAME_BY_INDEX, None, None, work),
        Ok(Found::Late(execution)) => Finding::late_execution(NAME, execution, work),
        Ok(Found::Perhaps) => Finding::does_not_hold(NAME, None, None, work),
        Err(Unfinished::BudgetSpent) => Finding::budget_spent(NAME, work),
        Err(Unfinished::TooLarge) => {
            let why = "the schedule graph needs instants beyond 2^60 ticks; use a coarser unit";
            Finding { work, ..Finding::not_applicable(NAME, why) }
        }
    };
    (finding, size)
}

/// What the search comes to.
enum Found {
    NoneLate(Ties),
    Late(LateExecution),
    /// Some bound is late, and no execution that was run.
    Perhaps,
}

fn searched(queue: PeriodicQueue<'_>, budget: &mut Budget, size: &mut Size) -> Result<Found, Unfinished> {
    if queue.processors > 1
        && let Some(execution) = execution::usual(queue, budget)?
    {
        return Ok(Found::Late(execution));
    }
    let rules: &[Ties] = match queue.ranking {
        Ranking::Edf => &[Ties::Any, Ties::ByIndex],
        Ranking::AsOrdered => &[Ties::Any],
    };
    let mut last = Found::Perhaps;
    for &ties in rules {
        let mut graph = Graph::new(queue, ties);
        let leaf = graph.search(budget);
        *size = graph.size();
        last = match leaf? {
            Leaf::None => return Ok(Found::NoneLate(ties)),
            Leaf::Bound => Found::Perhaps,
            Leaf::Late { path, task } => match execution::along(queue, &path, task, budget)? {
                Some(execution) => return Ok(Found::Late(execution)),
                None => Found::Perhaps,
            },
        };
    }
    Ok(last)
}
