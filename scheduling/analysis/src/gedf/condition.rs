//! What the tests share: which sets they speak of, and how a condition on each task becomes a finding.
//!
//! A test hands in its name, its reach and a function that decides; jitter, impossible tasks and U > m never get that
//! far. So a test's file holds its formula and nothing else.

use super::test::Test;
use crate::budget::Spent;
use crate::exact::compare_sum;
use crate::{Budget, Finding, Margin, Quantity, Task, TaskSet};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// The deadlines for which a test is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// D <= T for every task.
    Constrained,
    /// Any deadlines.
    Arbitrary,
}

/// Whether a condition holds, and its two sides where they are closest or where it failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Decision {
    pub holds: bool,
    pub task: Option<usize>,
    pub margin: Option<Margin>,
}

impl Decision {
    /// The condition fails at `task`.
    pub(super) fn fails(task: usize, margin: Margin) -> Self {
        Self { holds: false, task: Some(task), margin: Some(margin) }
    }

    /// The whole set asks too much.
    pub(super) fn outgrown(margin: Margin) -> Self {
        Self { holds: false, task: None, margin: Some(margin) }
    }
}

const JITTER: &str = "this test covers tasks without release jitter only";
const DEADLINES: &str = "this test is proven for D <= T only; BAK and LOAD cover D > T";

/// Asks `decide` if the set lies within the test's reach.
pub(super) fn ask(
    test: Test,
    reach: Reach,
    tasks: TaskSet<'_>,
    processors: u32,
    budget: &mut Budget,
    decide: impl FnOnce(TaskSet<'_>, u32, &mut Budget) -> Result<Decision, Spent>,
) -> Finding {
    asked(test, reach, tasks, budget, |budget| match overload(tasks, processors) {
        Some(overload) => Ok(overload),
        None => decide(tasks, processors, budget),
    })
}

/// The same for a test that computes with any U: since it can only prove what is schedulable, U is looked at where it does not. No test is
/// stated for no processors, on which any U is too much.
pub(super) fn ask_before_utilization(
    test: Test,
    reach: Reach,
    tasks: TaskSet<'_>,
    processors: u32,
    budget: &mut Budget,
    decide: impl FnOnce(TaskSet<'_>, u32, &mut Budget) -> Result<Decision, Spent>,
) -> Finding {
    if processors == 0 {
        return ask(test, reach, tasks, processors, budget, decide);
    }
    asked(test, reach, tasks, budget, |budget| {
        let mut of_test = *budget;
        let decision = decide(tasks, processors, &mut of_test);
        if !matches!(decision, Ok(Decision { holds: true, .. }))
            && let Some(overload) = overload(tasks, processors)
        {
            return Ok(overload);
        }
        *budget = of_test;
        decision
    })
}

fn asked(
    test: Test,
    reach: Reach,
    tasks: TaskSet<'_>,
    budget: &mut Budget,
    decide: impl FnOnce(&mut Budget) -> Result<Decision, Spent>,
) -> Finding {
    let Seen { jitter, is_late, is_impossible } = Seen::of(tasks);
    if jitter > 0 {
        return Finding::not_applicable(test.name(), JITTER);
    }
    if reach == Reach::Constrained && is_late {
        return Finding::not_applicable(test.name(), DEADLINES);
    }
    let before = budget.spent();
    let decision = match budget.spend(tasks.len() as u64) {
        Ok(()) if is_impossible => impossible(tasks).map_or_else(|| decide(budget), Ok),
        Ok(()) => decide(budget),
        Err(spent) => Err(spent),
    };
    conclude(test.name(), decision, budget.spent() - before)
}

fn conclude(test: &'static str, decision: Result<Decision, Spent>, work: u64) -> Finding {
    match decision {
        Ok(Decision { holds: true, task, margin }) => Finding::proven(test, task, margin, work),
        Ok(Decision { holds: false, task, margin }) => Finding::does_not_hold(test, task, margin, work),
        Err(Spent) => Finding::budget_spent(test, work),
    }
}

/// What one pass over the tasks shows, without a branch.
#[derive(Default)]
struct Seen {
    /// All jitters, one over the other.
    jitter: u64,
    /// Some D > T.
    is_late: bool,
    /// Some C > min(D, T).
    is_impossible: bool,
}

impl Seen {
    fn of(tasks: TaskSet<'_>) -> Self {
        tasks.iter().fold(Self::default(), |seen, task| Self {
            jitter: seen.jitter | task.jitter,
            is_late: seen.is_late | (task.deadline > task.period),
            is_impossible: seen.is_impossible | (task.cost > task.window()),
        })
    }
}

/// A task with C > min(D, T), which no test can do with. Disproving is not a sufficient test's affair.
fn impossible(tasks: TaskSet<'_>) -> Option<Decision> {
    let task = tasks.iter().position(|task| task.cost > task.window());
    task.map(|task| Decision::fails(task, work(tasks[task].cost, tasks[task].window(), tasks[task].window())))
}

/// U > m.
fn overload(tasks: TaskSet<'_>, processors: u32) -> Option<Decision> {
    let capacity = Ratio::whole(processors.into());
    let is_overload = compare_utilization(&tasks, capacity) == Ordering::Greater;
    is_overload.then(|| Decision::outgrown(utilization(&tasks, capacity)))
}

/// Ticks of work against ticks of capacity in a window, for a reader.
pub(super) fn work(demand: u64, capacity: u64, window: u64) -> Margin {
    Margin { demand: demand as f64, capacity: capacity as f64, of: Quantity::Work { window } }
}

/// The task whose condition is closest to failing; among equals the first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tightest(Option<(usize, Margin)>);

impl Tightest {
    /// Remembers `task` if its demand takes a larger part of its capacity than any before.
    pub(super) fn see(&mut self, task: usize, margin: Margin) {
        let tighter = |(_, held): (usize, Margin)| margin.demand * held.capacity > held.demand * margin.capacity;
        if self.0.is_none_or(tighter) {
            self.0 = Some((task, margin));
        }
    }

    /// The condition held for every task.
    pub(super) fn holds(self) -> Decision {
        let (task, margin) = self.0.unzip();
        Decision { holds: true, task, margin }
    }
}

/// How U compares with `bound`, exactly.
pub(super) fn compare_utilization(tasks: &[Task], bound: Ratio) -> Ordering {
    compare_sum(tasks.iter().map(|task| (task.cost, task.period)), bound)
}

/// U against a capacity in processors, for a reader.
pub(super) fn utilization(tasks: &[Task], capacity: Ratio) -> Margin {
    let demand = tasks.iter().map(|task| task.cost as f64 / task.period as f64).sum();
    Margin { demand, capacity: capacity.to_f64(), of: Quantity::Utilization }
}

/// Index of the task with the largest density; among equals the first.
pub(super) fn densest(tasks: &[Task]) -> usize {
    (1..tasks.len()).fold(0, |held, next| if is_denser(&tasks[next], &tasks[held]) { next } else { held })
}

/// True if `one` has a larger density C/min(D,T) than `other`, exactly.
pub(super) fn is_denser(one: &Task, other: &Task) -> bool {
    u128::from(one.cost) * u128::from(other.window()) > u128::from(other.cost) * u128::from(one.window())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding_within(tasks: &[Task], reach: Reach, budget: u64) -> Finding {
        let decide = |_: TaskSet<'_>, _, _: &mut Budget| Ok(Tightest::default().holds());
        ask(Test::Gfb, reach, TaskSet::new(tasks).unwrap(), 2, &mut Budget::new(budget), decide)
    }

    #[test]
    fn what_lies_beyond_a_tests_reach_is_said() {
        let jitter = Task { jitter: 1, ..Task::implicit(1, 4) };
        assert_eq!(finding_within(&[jitter], Reach::Arbitrary, 9).reason, crate::Reason::NotApplicable(JITTER));
        let late = [Task::new(1, 4, 5)];
        assert_eq!(finding_within(&late, Reach::Constrained, 9).reason, crate::Reason::NotApplicable(DEADLINES));
        assert!(finding_within(&late, Reach::Arbitrary, 9).is_proven());
    }

    #[test]
    fn impossible_tasks_and_too_much_utilization_are_unknown_with_their_margin() {
        let impossible = finding_within(&[Task::implicit(1, 4), Task::new(5, 9, 4)], Reach::Constrained, 9);
        assert_eq!((impossible.task, impossible.margin.unwrap().demand), (Some(1), 5.0));
        let overload = finding_within(&[Task::implicit(3, 4); 3], Reach::Constrained, 9);
        assert_eq!((overload.is_proven(), overload.margin.unwrap().demand), (false, 2.25));
    }

    #[test]
    fn a_budget_too_small_for_the_set_is_spent() {
        let finding = finding_within(&[Task::implicit(1, 4); 3], Reach::Constrained, 2);
        assert_eq!((finding.reason, finding.work), (crate::Reason::BudgetSpent, 2));
    }
}
