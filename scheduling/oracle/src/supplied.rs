//! One processor that its tasks have only in part: every pattern of sporadic arrivals together with every
//! supply that keeps its promise, at whole ticks; and the schedule of given jobs under a given supply.
//!
//! The search knows no critical instant and no worst phase. In each tick it lets any tasks arrive that may, and the tick be
//! served or not as long as the promise can still be kept: the period's budget, or the rate of any interval after the delay.

use crate::any_arrival::Order;
use prazo_core::behaviour::Supply;
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

/// What the supply still owes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Promise {
    /// So many ticks of the period are left, and so many of them will be served.
    Period {
        /// Ticks that are left.
        ticks: u8,
        /// Those that will be served.
        budget: u8,
    },
    /// In some interval that ends here so much less was served than the rate of all of it; in parts of a tick, as many as the
    /// denominator has. That of no interval is 0.
    Behind(u64),
}

impl Promise {
    /// Where a supply begins.
    pub fn of(supply: Supply) -> Self {
        match supply {
            Supply::Periodic { budget, period } => Self::Period { ticks: period as u8, budget: budget as u8 },
            Supply::BoundedDelay { .. } => Self::Behind(0),
        }
    }

    /// After a tick; `None` if it would break the promise of `supply`.
    pub fn after(self, supply: Supply, is_served: bool) -> Option<Self> {
        match (self, supply) {
            (Self::Period { ticks, budget }, Supply::Periodic { budget: all, period }) => {
                let left = if is_served { budget.checked_sub(1)? } else { budget };
                let is_last = ticks == 1;
                let next = if is_last { (period as u8, all as u8) } else { (ticks - 1, left) };
                (left < ticks).then_some(Self::Period { ticks: next.0, budget: next.1 })
            }
            (Self::Behind(behind), Supply::BoundedDelay { rate, delay }) => {
                let (over, under) = (rate.numerator() as u64, rate.denominator() as u64);
                // The delay's worth of the rate may be missing, in any interval.
                let behind = (behind + over).saturating_sub(if is_served { under } else { 0 });
                (behind <= over * delay).then_some(Self::Behind(behind))
            }
            _ => None,
        }
    }
}

/// All tasks, and what the supply owes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct State {
    tasks: [Waiting; 4],
    promise: Promise,
}

/// The longest response of each of `tasks` in `supply`; `None` if a job misses its deadline. At most four
/// tasks, each with D <= T and no jitter, periods up to 255.
pub fn longest_responses(tasks: &[Task], supply: Supply, order: Order) -> Option<Vec<Ticks>> {
    assert!(tasks.iter().all(|task| task.deadline <= task.period && task.jitter == 0));
    let mut idle = [Waiting::default(); 4];
    tasks.iter().zip(&mut idle).for_each(|(task, state)| state.since = task.period as u8);
    let first = State { tasks: idle, promise: Promise::of(supply) };
    let (mut seen, mut open) = (HashSet::from([first]), vec![first]);
    let mut longest = vec![0; tasks.len()];
    while let Some(state) = open.pop() {
        for arriving in 0..1u32 << tasks.len() {
            let Some(arrived) = with_arrivals(tasks, state, arriving) else { continue };
            for is_served in [false, true] {
                let Some(promise) = arrived.promise.after(supply, is_served) else { continue };
                let next = after_a_tick(tasks, State { promise, ..arrived }, is_served, order, &mut longest)?;
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
    Some(state)
}

/// The first instant up to `until` at which one of `jobs` misses its deadline. The jobs of a task are in the order of their
/// arrival and run one after the other. No job runs in a tick for whose beginning `is_served` is false.
pub fn first_miss(jobs: &[crate::Job], order: Order, until: i64, is_served: &dyn Fn(i64) -> bool) -> Option<i64> {
    let mut left: Vec<u64> = jobs.iter().map(|job| job.cost).collect();
    // A job may be due before it is released.
    let from = jobs.iter().map(|job| job.release.min(job.due)).min()?;
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
    use prazo_core::ratio::Ratio;

    #[test]
    fn a_job_waits_for_two_gaps_and_no_longer() {
        let tasks = [Task::implicit(1, 9)];
        let third = Supply::Periodic { budget: 1, period: 3 };
        assert_eq!(longest_responses(&tasks, third, Order::Fixed), Some(vec![5]));
        assert_eq!(longest_responses(&[Task::new(1, 9, 4)], third, Order::Fixed), None);
        assert_eq!(longest_responses(&tasks, Supply::Periodic { budget: 3, period: 3 }, Order::Edf), Some(vec![1]));
    }

    #[test]
    fn a_job_waits_for_the_delay_and_then_has_its_rate() {
        let half = Supply::BoundedDelay { rate: Ratio::new(1, 2).unwrap(), delay: 3 };
        // Nothing for 3 ticks, then the first of two.
        assert_eq!(longest_responses(&[Task::implicit(1, 9)], half, Order::Fixed), Some(vec![4]));
        assert_eq!(longest_responses(&[Task::implicit(2, 9)], half, Order::Fixed), Some(vec![6]));
        assert_eq!(longest_responses(&[Task::new(1, 9, 3)], half, Order::Fixed), None);
    }

    #[test]
    fn nobody_runs_in_a_gap() {
        let job = crate::Job { task: 0, arrival: 0, release: 0, due: 5, cost: 2 };
        let in_fours = |now: i64| now.rem_euclid(4) >= 2;
        assert_eq!(first_miss(&[job], Order::Edf, 9, &in_fours), None);
        assert_eq!(first_miss(&[crate::Job { due: 3, ..job }], Order::Edf, 9, &in_fours), Some(3));
        assert_eq!(first_miss(&[crate::Job { due: 3, release: 5, ..job }], Order::Edf, 9, &in_fours), Some(3));
    }
}
