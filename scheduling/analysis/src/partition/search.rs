//! Search through all assignments of tasks to processors, when the heuristics have failed.
//!
//! Tasks are placed largest utilization first, each into every bin that takes it; of the bins that are still empty only the
//! first is tried, since equal empty bins are interchangeable. A bin that refuses some tasks refuses every larger set too,
//! because the uniprocessor tests used here are exact and a subset of a schedulable set is schedulable; so a search that
//! comes to its end without a place for everyone has shown that there is none. Bin packing is NP-hard: the search counts the
//! questions that it asks and stops at its budget.

use crate::exact::Interval;
use crate::{Budget, Task, Verdict};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// What the search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssignmentSearch {
    /// Bin of each task, every bin proven.
    Assignment(Vec<u32>),
    /// There is no assignment at all.
    NoneExists,
    /// The budget was spent, or a bin's test could not tell.
    Unknown,
}

/// Looks for an assignment of `tasks` to `bins` processors of which `judge` proves each bin; one unit of `budget` is one
/// task of a bin that is judged.
pub fn search(
    tasks: &[Task],
    bins: u32,
    budget: &mut Budget,
    judge: &mut dyn FnMut(&[usize]) -> Verdict,
) -> AssignmentSearch {
    let order = super::Order::DecreasingUtilization.of(tasks);
    if exceeds(tasks, bins) {
        return AssignmentSearch::NoneExists;
    }
    let mut search =
        Search { order: &order, bins: vec![Vec::new(); bins as usize], budget, judge, sure: true, spent: false };
    match search.place(0) {
        true => AssignmentSearch::Assignment(assignment(tasks.len(), &search.bins)),
        false if search.sure => AssignmentSearch::NoneExists,
        false => AssignmentSearch::Unknown,
    }
}

/// True if all tasks together surely ask for more than all processors.
fn exceeds(tasks: &[Task], bins: u32) -> bool {
    let sum = tasks.iter().fold(Interval::ZERO, |sum, task| sum + Interval::of(task.cost, task.period));
    sum.compare(Ratio::whole(bins.into())) == Some(Ordering::Greater)
}

struct Search<'a> {
    order: &'a [usize],
    bins: Vec<Vec<usize>>,
    budget: &'a mut Budget,
    judge: &'a mut dyn FnMut(&[usize]) -> Verdict,
    /// False once a branch was left without knowing that it is barren.
    sure: bool,
    /// True once the budget is spent.
    spent: bool,
}

impl Search<'_> {
    /// Places the tasks from position `at` of the order on; true if all found a place.
    fn place(&mut self, at: usize) -> bool {
        let Some(&task) = self.order.get(at) else { return true };
        for bin in 0..self.bins.len() {
            let opens_bin = self.bins[bin].is_empty();
            if self.joins(bin, task) {
                if self.place(at + 1) {
                    return true;
                }
                self.bins[bin].pop();
            }
            if opens_bin || self.spent {
                return false;
            }
        }
        false
    }

    /// Puts `task` into `bin` if the bin still holds with it.
    fn joins(&mut self, bin: usize, task: usize) -> bool {
        self.bins[bin].push(task);
        self.spent |= self.budget.spend(self.bins[bin].len() as u64).is_err();
        let verdict = if self.spent { Verdict::Unknown } else { (self.judge)(&self.bins[bin]) };
        self.sure &= verdict != Verdict::Unknown;
        if verdict != Verdict::Proven {
            self.bins[bin].pop();
        }
        verdict == Verdict::Proven
    }
}

fn assignment(count: usize, bins: &[Vec<usize>]) -> Vec<u32> {
    let mut assignment = vec![0; count];
    for (bin, members) in bins.iter().enumerate() {
        members.iter().for_each(|&task| assignment[task] = bin as u32);
    }
    assignment
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::compare_sum;

    fn fits(tasks: &[Task], members: &[usize]) -> Verdict {
        match compare_sum(members.iter().map(|&i| (tasks[i].cost, tasks[i].period)), Ratio::ONE) {
            Ordering::Greater => Verdict::Disproven,
            _ => Verdict::Proven,
        }
    }

    fn searched(tasks: &[Task], bins: u32, units: u64) -> AssignmentSearch {
        search(tasks, bins, &mut Budget::new(units), &mut |members| fits(tasks, members))
    }

    #[test]
    fn a_packing_that_every_decreasing_heuristic_misses_is_found() {
        let tasks = [4, 4, 5, 5, 6, 6].map(|cost| Task::implicit(cost, 15));
        assert_eq!(searched(&tasks, 2, 1_000), AssignmentSearch::Assignment(vec![0, 1, 0, 1, 0, 1]));
    }

    #[test]
    fn three_tasks_of_two_thirds_have_no_place_on_two_processors() {
        let tasks = [Task::implicit(2, 3); 3];
        assert_eq!(searched(&tasks, 2, 1_000), AssignmentSearch::NoneExists);
    }

    #[test]
    fn a_spent_budget_shows_nothing() {
        let tasks = [Task::implicit(2, 3); 3];
        assert_eq!(searched(&tasks, 2, 2), AssignmentSearch::Unknown);
    }

    #[test]
    fn the_search_agrees_with_all_assignments_tried_one_by_one() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..300 {
            let tasks: Vec<Task> = (0..6).map(|_| Task::implicit(rng.u64(1..=6), rng.u64(6..=9))).collect();
            let exists = (0..3u32.pow(6)).any(|code| {
                let bin_of = |task: usize| code / 3u32.pow(task as u32) % 3;
                (0..3).all(|bin| {
                    let members: Vec<usize> = (0..6).filter(|&task| bin_of(task) == bin).collect();
                    fits(&tasks, &members) == Verdict::Proven
                })
            });
            let found = matches!(searched(&tasks, 3, u64::MAX), AssignmentSearch::Assignment(_));
            assert_eq!(found, exists, "{tasks:?}");
        }
    }
}
