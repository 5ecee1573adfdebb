//! The deadlines kT + D of a task set, with the demand that has accumulated at each.

use crate::budget::Spent;
use crate::gedf::divisor::Divisor;
use crate::{Budget, Task, Ticks};

/// Tasks with the same period and deadline, as one.
#[derive(Clone, Copy, Debug)]
struct Group {
    deadline: Ticks,
    period: Divisor,
    cost: u64,
}

/// Every window length at which some task's demand bound function steps.
#[derive(Clone, Debug)]
pub(in crate::gedf) struct Deadlines {
    groups: Vec<Group>,
    longest: Ticks,
}

/// One window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gedf) struct Point {
    /// Its length; it ends with a deadline where only those are looked at.
    pub window: Ticks,
    /// Sum of all dbf_i of that window.
    pub demand: u128,
}

impl Deadlines {
    /// Of `tasks`, none with a period of zero.
    pub(crate) fn of(tasks: &[Task]) -> Self {
        let mut sorted: Vec<&Task> = tasks.iter().collect();
        sorted.sort_unstable_by_key(|task| (task.deadline, task.period));
        let groups = sorted.chunk_by(|a, b| (a.deadline, a.period) == (b.deadline, b.period)).flat_map(groups_of_alike);
        Self { groups: groups.collect(), longest: sorted.last().map_or(0, |task| task.deadline) }
    }

    /// The last deadline at or before `window`; `None` if there is none. `window` is below 2^63.
    #[inline]
    pub(crate) fn last_until(&self, window: Ticks, budget: &mut Budget) -> Result<Option<Point>, Spent> {
        budget.spend(self.groups.len() as u64)?;
        let mut point = Point { window: 0, demand: 0 };
        for group in &self.groups {
            let Some(since_first) = window.checked_sub(group.deadline) else { break };
            let (jobs_before, since_last) = group.period.divide(since_first);
            point.window = point.window.max(window - since_last);
            point.demand += u128::from(jobs_before + 1) * u128::from(group.cost);
        }
        Ok((point.window > 0).then_some(point))
    }

    /// The window of exactly this length; `None` if it is shorter than every deadline. `window` is below 2^63.
    #[inline]
    pub(crate) fn at(&self, window: Ticks, budget: &mut Budget) -> Result<Option<Point>, Spent> {
        Ok(self.last_until(window, budget)?.map(|point| Point { window, ..point }))
    }

    /// Ends of the slices in which the search goes down: the longest relative deadline, then four times as far, up to `last`.
    pub(crate) fn slices(&self, last: Ticks) -> impl Iterator<Item = Ticks> + use<> {
        let first = self.longest.min(last);
        std::iter::successors(Some(first), move |slice| (*slice < last).then(|| slice.saturating_mul(4).min(last)))
    }
}

/// One group, or several where the sum of the costs would leave 64 bits.
fn groups_of_alike(tasks: &[&Task]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::with_capacity(1);
    for task in tasks {
        match groups.last_mut().and_then(|group| group.cost.checked_add(task.cost).map(|cost| (group, cost))) {
            Some((group, cost)) => group.cost = cost,
            None => {
                groups.push(Group { deadline: task.deadline, period: Divisor::new(task.period), cost: task.cost });
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::{deadline_before, total_demand_bound};

    #[test]
    fn agrees_with_the_demand_bound_function() {
        let seed = 11;
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..2_000 {
            let tasks: Vec<Task> =
                (0..6).map(|_| Task::new(random.u64(1..9), random.u64(1..9), random.u64(1..30))).collect();
            let (deadlines, window) = (Deadlines::of(&tasks), random.u64(1..200));
            let found = deadlines.last_until(window, &mut Budget::unlimited()).unwrap();
            let expected = deadline_before(&tasks, window + 1)
                .map(|window| Point { window, demand: total_demand_bound(&tasks, window) });
            assert_eq!(found, expected, "{tasks:?} until {window}, seed {seed}");
        }
    }

    #[test]
    fn slices_end_at_the_last_window() {
        let deadlines = Deadlines::of(&[Task::implicit(1, 10), Task::new(1, 10, 7)]);
        assert_eq!(deadlines.slices(200).collect::<Vec<_>>(), [10, 40, 160, 200]);
        assert_eq!(deadlines.slices(8).collect::<Vec<_>>(), [8]);
        assert_eq!(deadlines.slices(0).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn costs_whose_sum_leaves_64_bits_are_counted_apart() {
        let task = Task::implicit(1 << 48, 1 << 48);
        let point = Deadlines::of(&vec![task; 1 << 16]).last_until(1 << 48, &mut Budget::unlimited()).unwrap();
        assert_eq!(point, Some(Point { window: 1 << 48, demand: 1 << 64 }));
    }
}
