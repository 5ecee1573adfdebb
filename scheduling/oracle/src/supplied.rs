//! One processor that its tasks have only for a budget in every period: every pattern of sporadic arrivals together with every
//! supply that keeps its promise, at whole ticks; and the schedule of given jobs under a given supply.
//!
//! The search knows no critical instant and no worst phase. In each tick it lets any tasks arrive that may, and the tick be
//! served or not as long as the period's budget can still be kept.

use crate::any_arrival::Order;
use prazo_core::task::{Task, Ticks};
use std::collections::HashSet;

/// A task between two ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Waiting {
    /// Ticks left to run; 0 if no job is there.
    left: u8,
    /// Ticks since the last arrival, no more than the period.
    since: u8,
}

/// All tasks, and what is left of the supply's period: ticks, and those of them that will be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct State {
    tasks: [Waiting; 4],
    ticks: u8,
    budget: u8,
}

/// The longest response of each of `tasks` with `budget` in every `period`; `None` if a job misses its deadline. At most four
/// tasks, each with D <= T and no jitter, periods up to 255.
pub fn longest_responses(tasks: &[Task], budget: Ticks, period: Ticks, order: Order) -> Option<Vec<Ticks>> {
    assert!(tasks.iter().all(|task| task.deadline <= task.period && task.jitter == 0));
    let mut idle = [Waiting::default(); 4];
    tasks.iter().zip(&mut idle).for_each(|(task, state)| state.since = task.period as u8);
    let first = State { tasks: idle, ticks: period as u8, budget: budget as u8 };
    let (mut seen, mut open) = (HashSet::from([first]), vec![first]);
    let mut longest = vec![0; tasks.len()];
    while let Some(state) = open.pop() {
        for arriving in 0..1u32 << tasks.len() {
            let Some(arrived) = with_arrivals(tasks, state, arriving) else { continue };
            for is_served in [false, true] {
                let possible = if is_served { arrived.budget > 0 } else { arrived.ticks > arrived.budget };
                if !possible {
                    continue;
                }
                let next = after_a_tick(tasks, arrived, is_served, order, (budget, period), &mut longest)?;
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
    }
    Some(longest)
}

fn with_arrivals(tasks: &[Task], mut state: State, arriving: u32) -> Option<State> {
    for (index, task) in tasks.iter().enumerate().filter(|(index, _)| arriving >> index & 1 == 1) {
        let waiting = &mut state.tasks[index];
        if u64::from(waiting.since) < task.period {
            return None;
        }
        *waiting = Waiting { left: task.cost as u8, since: 0 };
    }
    Some(state)
}

/// `None` if a job misses its deadline by the end of the tick.
fn after_a_tick(
    tasks: &[Task],
    mut state: State,
    is_served: bool,
    order: Order,
    supply: (Ticks, Ticks),
    longest: &mut [Ticks],
) -> Option<State> {
    let due = |index: usize| tasks[index].deadline - Ticks::from(state.tasks[index].since);
    let key = |index: &usize| match order {
        Order::Edf | Order::EdfByIndex => (due(*index), *index),
        Order::Fixed => (0, *index),
    };
    let chosen = (0..tasks.len()).filter(|index| state.tasks[*index].left > 0).min_by_key(key);
    let chosen = chosen.filter(|_| is_served);
    for (index, task) in tasks.iter().enumerate() {
        let waiting = &mut state.tasks[index];
        waiting.since = (waiting.since + 1).min(task.period as u8);
        if chosen == Some(index) {
            waiting.left -= 1;
            if waiting.left == 0 {
                longest[index] = longest[index].max(waiting.since.into());
            }
        }
        if waiting.left > 0 && u64::from(waiting.since) >= task.deadline {
            return None;
        }
    }
    state.ticks -= 1;
    state.budget -= u8::from(is_served);
    if state.ticks == 0 {
        (state.budget, state.ticks) = (supply.0 as u8, supply.1 as u8);
    }
    Some(state)
}

/// The first instant up to `until` at which one of `jobs` misses its deadline. The jobs of a task are in the order of their
/// arrival and run one after the other. No job runs in a tick for whose beginning `is_served` is false.
pub fn first_miss(jobs: &[crate::Job], order: Order, until: i64, is_served: &dyn Fn(i64) -> bool) -> Option<i64> {
    let mut left: Vec<u64> = jobs.iter().map(|job| job.cost).collect();
    let from = jobs.iter().map(|job| job.release).min()?;
    for now in from..=until {
        if (0..jobs.len()).any(|index| left[index] > 0 && jobs[index].due <= now) {
            return Some(now);
        }
        if !is_served(now) {
            continue;
        }
        let key = |index: &usize| match order {
            Order::Edf | Order::EdfByIndex => (jobs[*index].due, jobs[*index].task, jobs[*index].arrival),
            Order::Fixed => (0, jobs[*index].task, jobs[*index].arrival),
        };
        let waits = |index: &usize| left[*index] > 0 && jobs[*index].release <= now;
        let is_first = |index: &usize| {
            let before = |other: usize| jobs[other].task == jobs[*index].task && left[other] > 0;
            !(0..*index).any(before)
        };
        if let Some(chosen) = (0..jobs.len()).filter(waits).filter(is_first).min_by_key(key) {
            left[chosen] -= 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_waits_for_two_gaps_and_no_longer() {
        let tasks = [Task::implicit(1, 9)];
        assert_eq!(longest_responses(&tasks, 1, 3, Order::Fixed), Some(vec![5]));
        assert_eq!(longest_responses(&[Task::new(1, 9, 4)], 1, 3, Order::Fixed), None);
        assert_eq!(longest_responses(&tasks, 3, 3, Order::Edf), Some(vec![1]));
    }

    #[test]
    fn nobody_runs_in_a_gap() {
        let job = crate::Job { task: 0, arrival: 0, release: 0, due: 5, cost: 2 };
        let in_fours = |now: i64| now.rem_euclid(4) >= 2;
        assert_eq!(first_miss(&[job], Order::Edf, 9, &in_fours), None);
        assert_eq!(first_miss(&[crate::Job { due: 3, ..job }], Order::Edf, 9, &in_fours), Some(3));
    }
}
