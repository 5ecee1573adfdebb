//! How long a job can take under earliest deadline first: from arrival to completion, the longest over all arrival
//! sequences.
//!
//! The worst job of task i need not belong to a synchronous arrival of all. It lies in a busy period of jobs due no later
//! than itself, at whose start all other tasks are released together, at their latest; its own arrival a is what must be
//! searched:
//!
//! ```text
//! W_i(a, L) = sum over j != i, D_j <= a + D_i + J_j, of min(ceil((L + J_j)/T_j), 1 + floor((a + D_i + J_j - D_j)/T_j)) C_j
//! L_i(a)    = least L = W_i(a, L) + (1 + floor((a + J_i)/T_i)) C_i
//! R_i       = max over a >= -J_i of max(J_i + C_i, L_i(a) - a)
//! ```
//!
//! L_i(a) grows in steps, so only arrivals where a step happens count: a + D_i = k T_j + D_j - J_j for some task j.
//! Between two of them L_i(a) stays and a grows, so an arrival in between, at whatever real instant, responds no worse.
//! Spuri, INRIA research report 2873, 1996; deadlines may be of any kind.

use crate::budget::Spent;
use crate::hyperperiod::hyperperiod;
use crate::{Budget, TaskSet};
use prazo_core::task::{Task, Ticks};

/// The longest response time of each task, deadlines met or not; `None` for all of them if U > 1, where there is none.
///
/// The work is proportional to the arrivals in a busy period: this answers for small and medium sets, and tells by `Spent`
/// where it does not.
pub fn response_times(tasks: TaskSet<'_>, budget: &mut Budget) -> Result<Option<Vec<Ticks>>, Spent> {
    let Some(search) = Search::of(&tasks, budget)? else { return Ok(None) };
    (0..tasks.len()).map(|index| search.longest(index, budget)).collect::<Result<_, _>>().map(Some)
}

/// Which arrivals must be tried.
struct Search<'a> {
    tasks: &'a [Task],
    /// Later arrivals respond no worse.
    arrivals_before: i128,
    /// No L_i(a) is longer, so that late arrivals cannot respond worse than what was already found; `None` if not known.
    longest_window: Option<i128>,
}

impl<'a> Search<'a> {
    /// Arrivals in the longest busy period, or in a hyperperiod if that is shorter; `None` if U > 1.
    ///
    /// With U = 1 and jitter the busy period never ends, but L_i(a + H) <= L_i(a) + H for the hyperperiod H, so that
    /// arrivals before H suffice. Without jitter no busy period is longer than H.
    fn of(tasks: &'a [Task], budget: &mut Budget) -> Result<Option<Self>, Spent> {
        budget.spend(tasks.len() as u64)?;
        if super::utilization::Utilization::of(tasks).compare_with_one(tasks).is_gt() {
            return Ok(None);
        }
        let limit = hyperperiod(tasks).map_or(i128::MAX, i128::from);
        let mut length: i128 = tasks.iter().map(|task| i128::from(task.cost)).sum();
        loop {
            budget.spend(tasks.len() as u64)?;
            let next: i128 = tasks.iter().map(|task| released(task, length)).sum();
            if next == length {
                return Ok(Some(Self { tasks, arrivals_before: next, longest_window: Some(next) }));
            } else if next >= limit {
                let without_jitter = tasks.iter().all(|task| task.jitter == 0);
                let longest_window = without_jitter.then_some(limit);
                return Ok(Some(Self { tasks, arrivals_before: limit, longest_window }));
            }
            length = next;
        }
    }

    /// The longest response of task `index`.
    fn longest(&self, index: usize, budget: &mut Budget) -> Result<Ticks, Spent> {
        let task = &self.tasks[index];
        let mut longest = i128::from(task.jitter) + i128::from(task.cost);
        for other in self.tasks {
            let step = i128::from(other.period);
            let mut arrival = first_arrival(task, other);
            while arrival < self.longest_window.map_or(self.arrivals_before, |window| window - longest) {
                longest = longest.max(completion(self.tasks, index, arrival, budget)? - arrival);
                arrival += step;
            }
        }
        Ticks::try_from(longest).map_err(|_| Spent)
    }
}

/// The first arrival from -J_i on of a job of `task` that is due when a job of `other` is.
fn first_arrival(task: &Task, other: &Task) -> i128 {
    let step = i128::from(other.period);
    let phase = i128::from(other.deadline) - i128::from(other.jitter) - i128::from(task.deadline);
    let skipped = -i128::from(task.jitter) - phase;
    if skipped > 0 { phase + quotient(skipped + step - 1, other.period) * step } else { phase }
}

/// Rounded down; with one 64-bit division where that is enough. Nothing here is below zero.
fn quotient(over: i128, under: Ticks) -> i128 {
    match u64::try_from(over) {
        Ok(over) => i128::from(over / under),
        Err(_) => over / i128::from(under),
    }
}

/// L_i(a): when the job of task `index` that arrives at `arrival` ends, if everything due no later goes first.
fn completion(tasks: &[Task], index: usize, arrival: i128, budget: &mut Budget) -> Result<i128, Spent> {
    let task = &tasks[index];
    let due = arrival + i128::from(task.deadline);
    let own = (1 + quotient(arrival + i128::from(task.jitter), task.period)) * i128::from(task.cost);
    let mut length = own;
    loop {
        budget.spend(tasks.len() as u64)?;
        let others = tasks.iter().enumerate().filter(|(other, _)| *other != index);
        let next = own + others.map(|(_, other)| interference(other, due, length)).sum::<i128>();
        if next == length {
            return Ok(length);
        }
        length = next;
    }
}

/// Work of `other` that is released within `length` and due at `due` or before.
fn interference(other: &Task, due: i128, length: i128) -> i128 {
    let slack = due + i128::from(other.jitter) - i128::from(other.deadline);
    if slack < 0 {
        return 0;
    }
    let due = (1 + quotient(slack, other.period)) * i128::from(other.cost);
    due.min(released(other, length))
}

/// ceil((L + J)/T) C: work of `task` that is released within `length`.
fn released(task: &Task, length: i128) -> i128 {
    quotient(length + i128::from(task.jitter) + i128::from(task.period) - 1, task.period) * i128::from(task.cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response_times(tasks: &[Task]) -> Option<Vec<Ticks>> {
        super::response_times(TaskSet::new(tasks).unwrap(), &mut Budget::unlimited()).unwrap()
    }

    #[test]
    fn two_tasks_by_hand() {
        // Arriving at 1, due at 9, the job of the second task waits for both jobs of the first that are due at 4 and 8.
        let tasks = [Task::implicit(2, 4), Task::implicit(3, 8)];
        assert_eq!(response_times(&tasks), Some(vec![3, 7]));
        assert_eq!(response_times(&[Task::implicit(2, 4), Task::implicit(5, 8)]), None);
    }

    #[test]
    fn a_task_alone_responds_after_its_jitter_and_its_cost() {
        let task = Task { jitter: 4, ..Task::new(10, 10, 20) };
        assert_eq!(response_times(&[task]), Some(vec![14]));
        let late = Task { jitter: 25, ..Task::new(10, 10, 40) };
        assert_eq!(response_times(&[late]), Some(vec![35]));
    }
}
