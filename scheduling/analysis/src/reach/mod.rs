//! Whether a small set on one shared queue ever misses: every state that sporadic arrivals at any real instant can bring about.
//!
//! State spaces of sporadic tasks at whole ticks are searched by Baker and Cirinei (OPODIS 2007), Bonifaci and Marchetti-Spaccamela
//! (ESA 2010) and Burmyakov, Bini and Tovar (RTNS 2015). No such grid proves anything of arrivals between its points, and none is
//! fine enough for all sets: when a preempted job ends is a sum of several differences of arrivals, so the orders of events
//! that lead to a miss are polyhedra whose corners may have any denominator. So the polyhedra themselves are searched here ([`state`]).
//! Their corners are exact integers in homogeneous coordinates ([`cone`]); the search ends when each set that follows is inside
//! one that is known ([`search`]).
//!
//! Why an end without a late job is a proof. (1) Between two events (arrival, completion) the running jobs are fixed, so every state on
//! the way is in the set that [`state`] moves along the direction of time, cut where a running job would be past its end. (2) At an event the
//! state is on the face where some r or t is 0, whose image is one of the successors; events at one instant follow each other
//! with no time between. Under EDF an arrival is tried at every place among the pending deadlines that it may have, and jobs of equal
//! deadline may change places at any instant, so the proof holds for every rule for ties; where it does not, only the changes that the house's
//! rule makes are tried, and the finding says so. (3) Sets are closed, so some hold states that are only approached, in which a pending
//! job has nothing left; such a job is not late, and where it ends at once the same state follows from its end. (4) What is
//! dropped is inside a set that is kept, and jobs that need less than C end no later (Ha and Liu). By induction every state that is
//! ever reached is in a set in which no job has more to do than time to its deadline.
//!
//! A late state is no disproof by itself: the arrivals behind it are computed and run ([`pattern`]), and only a late job there
//! disproves. The search may not end for a set whose states go on without end; then, and where a number passes 64 bits, it
//! says that it found nothing. Work is counted as everywhere, and what is found depends neither on it nor on the machine's processors.
//!
//! Assumes C <= D <= T, no jitter, no overheads beyond charged ones, jobs that are preempted at once.

mod cone;
mod grid;
mod outcome;
mod pattern;
mod search;
mod state;

use crate::budget::Unfinished;
use crate::{Budget, Finding, Task, TaskSet, TimeModel};
use cone::Vector;
pub use outcome::TASKS_MAX;
use outcome::{Found, Ties};
use search::Keeping;
use state::System;

/// What findings call this search.
pub const NAME: &str = "state search";

/// What they call it where a proof needs the rule for ties: a running job stays, else the lower task index goes first.
pub const NAME_BY_INDEX: &str = "state search, ties by index";

/// What they call it where only arrivals at whole ticks are searched.
pub const NAME_DISCRETE: &str = "tick search";

/// All of these.
pub const NAMES: [&str; 3] = [NAME, NAME_BY_INDEX, NAME_DISCRETE];

/// The longest period that is searched, in ticks, so that numbers stay small.
const PERIOD_MAX: u64 = 1 << 20;

/// Into how many parts a tick is divided before all instants are searched, and how many steps each of these grids may take.
const GRIDS: [u64; 3] = [1, 2, 3];
const GRID_STEPS: u64 = 200_000;

/// What the search that merges sets may take; it ends soon or not at all.
const HULL_STEPS: u64 = 400_000;

/// How jobs are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// By their absolute deadlines.
    Edf,
    /// By the order of the tasks, the first the most urgent.
    AsOrdered,
}

/// Tasks and the processors that share their queue.
#[derive(Clone, Copy, Debug)]
pub struct SharedQueue<'a> {
    /// The tasks.
    pub tasks: TaskSet<'a>,
    /// How many jobs run at once.
    pub processors: u32,
    /// Who goes first.
    pub ranking: Ranking,
}

/// A set of states in which the same jobs are pending, by the sides of its polyhedron. A state is (1, t of each task, r of each task).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSet {
    /// Tasks whose jobs are pending, most urgent first.
    pub pending: Vec<usize>,
    /// Normals n of half-spaces n x >= 0.
    pub facets: Vec<Vec<i64>>,
    /// Normals n of planes n x = 0.
    pub equal: Vec<Vec<i64>>,
}

/// Why the search does not speak of these tasks; `None` if it does.
pub fn uncovered(tasks: TaskSet<'_>) -> Option<&'static str> {
    let is_covered = |task: &Task| task.cost <= task.deadline && task.deadline <= task.period;
    if tasks.len() > TASKS_MAX {
        return Some("this search is for up to 6 tasks");
    }
    if tasks.iter().any(|task| task.period > PERIOD_MAX) {
        return Some("this search is for periods up to 2^20 ticks; write the set in a coarser unit");
    }
    (tasks.has_jitter() || !tasks.iter().all(is_covered))
        .then_some("this search needs C <= D <= T and no release jitter")
}

/// Searches all states of `queue`: Proven, Disproven with a pattern of arrivals, or Unknown.
///
/// In discrete time all arrivals of a disproof are at whole ticks; so are those of a proof under [`Ranking::AsOrdered`].
pub fn test(queue: SharedQueue<'_>, time: TimeModel, budget: &mut Budget) -> Finding {
    if let Some(why) = uncovered(queue.tasks) {
        return Finding::not_applicable(NAME, why);
    }
    let before = budget.spent();
    let (name, found) = match time {
        TimeModel::Discrete if queue.ranking == Ranking::Edf => at_whole_ticks_by_deadline(queue, budget),
        TimeModel::Discrete => (NAME_DISCRETE, grid::search(&system(queue, Ties::House), 1, budget)),
        TimeModel::Continuous => (NAME, searched(queue, budget)),
    };
    let work = budget.spent() - before;
    match found {
        Ok(Found::NoneLate(Ties::Any)) => Finding::proven(name, None, None, work),
        Ok(Found::NoneLate(Ties::House)) if name == NAME => Finding::proven(NAME_BY_INDEX, None, None, work),
        Ok(Found::NoneLate(Ties::House)) => Finding::proven(name, None, None, work),
        Ok(Found::Late(pattern)) => {
            Finding::late_in(name, pattern::shortest(&system(queue, Ties::House), pattern), work)
        }
        Ok(Found::Doubtful) => Finding::does_not_hold(name, None, None, work),
        Err(Unfinished::BudgetSpent) => Finding::budget_spent(name, work),
        Err(Unfinished::TooLarge) => Finding {
            work,
            ..Finding::not_applicable(
                name,
                "the state search exceeds a limit: too many states, numbers above 2^52, or, at whole ticks, a period above 2^15 ticks",
            )
        },
    }
}

/// A miss at whole ticks; else a proof for any instant, for jobs that need less than C may end between ticks and meet other ties.
fn at_whole_ticks_by_deadline(
    queue: SharedQueue<'_>,
    budget: &mut Budget,
) -> (&'static str, Result<Found, Unfinished>) {
    let grid = within(budget, GRID_STEPS, |budget| grid::search(&system(queue, Ties::House), 1, budget));
    if let Ok(Ok(Found::Late(pattern))) = grid {
        return (NAME_DISCRETE, Ok(Found::Late(pattern)));
    }
    let found = searched(queue, budget).map(|found| match found {
        Found::Late(pattern) if pattern.parts > 1 => Found::Doubtful,
        found => found,
    });
    (NAME, found)
}

/// The sets that a proof by the search called `name` found, found again; for certificates.
pub fn closed_sets(queue: SharedQueue<'_>, name: &str, budget: &mut Budget) -> Option<Vec<StateSet>> {
    let ties = match name {
        NAME => Ties::Any,
        NAME_BY_INDEX => Ties::House,
        _ => return None,
    };
    if uncovered(queue.tasks).is_some() {
        return None;
    }
    let system = system(queue, ties);
    let hull = search::search(&system, Keeping::Hull, &mut Budget::new(HULL_STEPS));
    let closed = match hull {
        Ok(search::Found::Closed(sets)) => sets,
        _ => match search::search(&system, Keeping::Each, budget) {
            Ok(search::Found::Closed(sets)) => sets,
            _ => return None,
        },
    };
    let coordinates = system.coordinates();
    let normals = |vectors: &mut dyn Iterator<Item = &Vector>| -> Vec<Vec<i64>> {
        vectors.map(|vector| vector[..coordinates].to_vec()).collect()
    };
    let set = |reached: &state::Reached| StateSet {
        pending: reached.pending.tasks().collect(),
        facets: normals(&mut reached.facets.rays()),
        equal: normals(&mut reached.facets.lines().iter()),
    };
    Some(closed.iter().map(set).collect())
}

fn system(queue: SharedQueue<'_>, ties: Ties) -> System {
    let by_deadline = queue.ranking == Ranking::Edf;
    System { tasks: queue.tasks.to_vec(), processors: queue.processors as usize, by_deadline, ties }
}

/// A few coarse grids, where most misses are found at little cost; then sets merged, by which most proofs are; then each set.
fn searched(queue: SharedQueue<'_>, budget: &mut Budget) -> Result<Found, Unfinished> {
    let (by_index, any) = (system(queue, Ties::House), system(queue, Ties::Any));
    for parts in GRIDS {
        let found = within(budget, GRID_STEPS, |budget| grid::search(&by_index, parts, budget))?;
        if let Ok(Found::Late(pattern)) = found {
            return Ok(Found::Late(pattern));
        }
    }
    let of_sets = |system: &System, keeping: Keeping, most: u64, budget: &mut Budget| {
        within(budget, most, |budget| search::search(system, keeping, budget))
    };
    if let Ok(search::Found::Closed(_)) = of_sets(&any, Keeping::Hull, HULL_STEPS, budget)? {
        return Ok(Found::NoneLate(Ties::Any));
    }
    match search::search(&by_index, Keeping::Each, budget)? {
        search::Found::Late(pattern) => return Ok(Found::Late(pattern)),
        search::Found::Doubtful => return Ok(Found::Doubtful),
        search::Found::Closed(_) if !any.by_deadline => return Ok(Found::NoneLate(Ties::Any)),
        search::Found::Closed(_) => {}
    }
    // It is proven by the rule for ties. Perhaps by every rule?
    Ok(match search::search(&any, Keeping::Each, budget) {
        Ok(search::Found::Closed(_)) => Found::NoneLate(Ties::Any),
        _ => Found::NoneLate(Ties::House),
    })
}

/// What `search` finds with `most` of the budget, a quarter of what is left at most, and what it did is spent.
fn within<T>(
    budget: &mut Budget,
    most: u64,
    search: impl FnOnce(&mut Budget) -> Result<T, Unfinished>,
) -> Result<Result<T, Unfinished>, Unfinished> {
    let mut own = Budget::new(most.min(budget.left() / 4));
    let found = search(&mut own);
    budget.spend(own.spent())?;
    Ok(found)
}
