//! All sets of states that any order of events reaches, until nothing new is reached or a job is late.

use super::pattern;
use super::state::{Event, Pending, Reached, System};
use crate::Budget;
use crate::answer::LatePattern;
use crate::budget::Unfinished;
use std::collections::HashMap;

/// How many sets are looked at before what they lead to is sorted in. It does not depend on the machine, so neither does what is found.
const BATCH: usize = 16;

/// A set of states, how it was reached, and whether a larger one has made it needless.
struct Node {
    reached: Reached,
    from: Option<(usize, Event)>,
    is_covered: bool,
}

/// What a search comes to.
pub(super) enum Found {
    /// Sets that hold all states that can be reached, in none of which a job is late.
    Closed(Vec<Reached>),
    /// Arrivals that make a job late.
    Late(LatePattern),
    /// Late states, but no arrivals that make a job late under the rule for ties.
    Doubtful,
}

/// The most sets that are kept, so that memory stays below a gigabyte or two.
const SETS_MAX: usize = 100_000;

/// How many late states are followed back to their arrivals.
const DOUBTS: usize = 24;

/// What looking at one set gives.
struct Expanded {
    late: Option<usize>,
    successors: Vec<(Event, Reached)>,
    work: u64,
}

/// What becomes of sets of states in which the same jobs are pending.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeping {
    /// Each is kept unless another includes it: what is found is exact.
    Each,
    /// All are kept as one, with every mixture of their states: fewer sets, of which a late state shows nothing.
    Hull,
}

/// The search itself.
struct Search<'a> {
    system: &'a System,
    keeping: Keeping,
    nodes: Vec<Node>,
    by_pending: HashMap<Pending, Vec<usize>>,
    open: Vec<usize>,
}

/// Searches until the end, or until the budget is spent.
pub(super) fn search(system: &System, keeping: Keeping, budget: &mut Budget) -> Result<Found, Unfinished> {
    let mut search = Search { system, keeping, nodes: Vec::new(), by_pending: HashMap::new(), open: Vec::new() };
    let idle = system.idle(budget)?;
    search.add(idle, None, budget)?;
    let mut doubts = 0;
    while !search.open.is_empty() {
        let batch = search.open.split_off(search.open.len().saturating_sub(BATCH));
        let batch: Vec<usize> = batch.into_iter().filter(|&node| !search.nodes[node].is_covered).collect();
        let expanded = search.expand(&batch, budget.left());
        // The last one is looked at first.
        for (&node, expanded) in batch.iter().zip(expanded) {
            let expanded = expanded?;
            budget.spend(expanded.work)?;
            if let Some(task) = expanded.late {
                if keeping == Keeping::Hull {
                    return Ok(Found::Doubtful);
                }
                doubts += 1;
                match pattern::of(system, &search.way_to(node), task, budget)? {
                    Some(pattern) => return Ok(Found::Late(pattern)),
                    None if doubts == DOUBTS => return Ok(Found::Doubtful),
                    None => {}
                }
            }
            for (event, reached) in expanded.successors {
                search.add(reached, Some((node, event)), budget)?;
            }
        }
    }
    if doubts > 0 {
        return Ok(Found::Doubtful);
    }
    Ok(Found::Closed(search.nodes.into_iter().filter(|node| !node.is_covered).map(|node| node.reached).collect()))
}

impl Search<'_> {
    /// What each set of `batch` leads to, on as many processors as there are.
    fn expand(&self, batch: &[usize], left: u64) -> Vec<Result<Expanded, Unfinished>> {
        let of = |&node: &usize| self.expand_one(&self.nodes[node].reached, left);
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(batch.len() / 4);
        if threads < 2 {
            return batch.iter().map(of).collect();
        }
        std::thread::scope(|scope| {
            let share = batch.len().div_ceil(threads);
            let workers: Vec<_> = batch
                .chunks(share)
                .map(|chunk| scope.spawn(move || chunk.iter().map(of).collect::<Vec<_>>()))
                .collect();
            workers.into_iter().flat_map(|worker| worker.join().expect("a worker does not panic")).collect()
        })
    }

    fn expand_one(&self, reached: &Reached, left: u64) -> Result<Expanded, Unfinished> {
        let mut budget = Budget::new(left);
        let elapsed = self.system.elapse(reached, &mut budget)?;
        let late = self.system.late(&reached.pending, &elapsed);
        let successors = match late {
            Some(_) => Vec::new(),
            None => self.system.successors(&reached.pending, &elapsed, &mut budget)?,
        };
        Ok(Expanded { late, successors, work: budget.spent() })
    }

    /// Keeps `reached` unless a set that is there includes it; what it includes itself is needless from now on.
    fn add(
        &mut self,
        mut reached: Reached,
        from: Option<(usize, Event)>,
        budget: &mut Budget,
    ) -> Result<(), Unfinished> {
        let alike = self.by_pending.entry(reached.pending).or_default();
        budget.spend(alike.len() as u64 + 1)?;
        let nodes = &mut self.nodes;
        if alike.iter().any(|&other| nodes[other].reached.includes(&reached)) {
            return Ok(());
        }
        if self.keeping == Keeping::Hull && !alike.is_empty() {
            let others = alike.iter().flat_map(|&other| nodes[other].reached.points.iter().copied());
            let points = others.chain(reached.points).collect();
            reached = self.system.reached(reached.pending, points, budget)?.expect("the hull of sets is not empty");
        }
        alike.retain(|&other| {
            let is_covered = reached.includes(&nodes[other].reached);
            nodes[other].is_covered |= is_covered;
            !is_covered
        });
        if nodes.len() == SETS_MAX {
            return Err(Unfinished::TooLarge);
        }
        alike.push(nodes.len());
        self.open.push(nodes.len());
        nodes.push(Node { reached, from, is_covered: false });
        Ok(())
    }

    /// The sets from the first on that lead to `node`.
    fn way_to(&self, node: usize) -> Vec<(Option<Event>, Reached)> {
        let mut way = Vec::new();
        let mut next = Some(node);
        while let Some(node) = next {
            let Node { reached, from, .. } = &self.nodes[node];
            way.push((from.map(|(_, event)| event), reached.clone()));
            next = from.map(|(before, _)| before);
        }
        way.reverse();
        way
    }
}
