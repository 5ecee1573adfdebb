//! One processor whose tasks suspend themselves: every pattern of sporadic arrivals and late releases together with every pattern of
//! suspensions, tick by tick; and the schedule of given jobs that draw lots for when they do.
//!
//! The search knows no critical instant and no worst pattern. In each tick it lets any tasks arrive that may, and anybody run who may,
//! as long as all that would run before it can be away: suspended for this tick, or not released yet. A job that would not run
//! anyway gains nothing by being away, so it is not tried.

use crate::any_arrival::{MissSearch, Order};
use prazo_core::task::{Task, Ticks};
use std::collections::HashSet;

/// One job that has not ended; none where it has nothing left to run and to suspend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Pending {
    /// Ticks left to run; 0 if there is no job.
    left: u8,
    /// Ticks for which it may still suspend itself.
    away: u8,
    /// Ticks since its arrival.
    age: u8,
}

/// A task between two ticks: its jobs in the order of their arrival, and the ticks since the last arrival, no more than the period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Waiting {
    jobs: [Pending; 2],
    since: u8,
}

type State = [Waiting; 4];

/// Looks for a miss of `tasks`, most urgent first, each with its longest suspension and D <= 2 T, in as many states; at most four tasks with periods and
/// deadlines up to 120.
pub fn search(tasks: &[(Task, Ticks)], order: Order, states: usize) -> MissSearch {
    assert!(tasks.len() <= 4 && tasks.iter().all(|(task, _)| task.deadline <= 2 * task.period && task.deadline <= 120));
    let mut idle = State::default();
    tasks.iter().zip(&mut idle).for_each(|((task, _), waiting)| waiting.since = task.period as u8);
    let (mut seen, mut open) = (HashSet::from([idle]), vec![idle]);
    while let Some(state) = open.pop() {
        // The last pushed is looked at first: those with most arrivals.
        for arriving in 0..1u32 << tasks.len() {
            let Some(state) = with_arrivals(tasks, state, arriving) else { continue };
            for (state, runs) in choices(tasks, state, order) {
                let Some(next) = after_a_tick(tasks, state, runs) else { return MissSearch::Miss };
                if seen.len() >= states {
                    return MissSearch::Stopped;
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
    }
    MissSearch::NoMiss
}

/// The state with jobs of the tasks whose bit is set; `None` where one may not arrive yet.
fn with_arrivals(tasks: &[(Task, Ticks)], mut state: State, arriving: u32) -> Option<State> {
    for (index, (task, suspension)) in tasks.iter().enumerate().filter(|(index, _)| arriving >> index & 1 == 1) {
        let waiting = &mut state[index];
        if u64::from(waiting.since) < task.period {
            return None;
        }
        let free = waiting.jobs.iter().position(|job| job.left == 0).expect("of three jobs the first would be late");
        waiting.jobs[free] = Pending { left: task.cost as u8, away: *suspension as u8, age: 0 };
        waiting.since = 0;
    }
    Some(state)
}

/// Every task that may run now, with the state in which all before it are away; and the state in which nobody runs, if all may be.
fn choices(tasks: &[(Task, Ticks)], state: State, order: Order) -> Vec<(State, Option<usize>)> {
    let mut pending: Vec<usize> = (0..tasks.len()).filter(|&index| state[index].jobs[0].left > 0).collect();
    let due = |index: usize| match order {
        Order::Edf | Order::EdfByIndex => tasks[index].0.deadline - Ticks::from(state[index].jobs[0].age),
        Order::Fixed => index as Ticks,
    };
    pending.sort_by_key(|&index| due(index));
    let mut all = Vec::new();
    // Of those that are equally urgent, anybody may go first.
    for &runs in &pending {
        let before = pending.iter().copied().filter(|&other| due(other) < due(runs));
        all.extend(away(tasks, state, before).map(|state| (state, Some(runs))));
    }
    all.extend(away(tasks, state, pending.iter().copied()).map(|state| (state, None)));
    all
}

/// The state in which the first jobs of `those` are away for a tick; `None` if one of them cannot be.
fn away(tasks: &[(Task, Ticks)], mut state: State, those: impl Iterator<Item = usize>) -> Option<State> {
    for index in those {
        let ((task, suspension), job) = (&tasks[index], &mut state[index].jobs[0]);
        let is_untouched = u64::from(job.left) == task.cost && u64::from(job.away) == *suspension;
        if is_untouched && u64::from(job.age) < task.jitter {
            continue;
        }
        job.away = job.away.checked_sub(1)?;
    }
    Some(state)
}

/// The state one tick later; `None` where a job can no longer end in time.
fn after_a_tick(tasks: &[(Task, Ticks)], mut state: State, runs: Option<usize>) -> Option<State> {
    for (index, ((task, _), waiting)) in tasks.iter().zip(&mut state).enumerate() {
        waiting.since = (waiting.since + 1).min(task.period as u8);
        waiting.jobs[0].left -= u8::from(runs == Some(index));
        for job in waiting.jobs.iter_mut().filter(|job| job.left > 0) {
            job.age += 1;
            if u64::from(job.age) + u64::from(job.left) > task.deadline {
                return None;
            }
        }
        if waiting.jobs[0].left == 0 {
            waiting.jobs = [waiting.jobs[1], Pending::default()];
        }
    }
    Some(state)
}

/// The first instant up to `until` at which one of `jobs` misses its deadline, each with its longest suspension, the jobs of a task in the order of their
/// arrival. A job that would run suspends itself instead as often as `is_away` says so, until its suspension is spent.
pub fn first_miss(
    jobs: &[(crate::Job, u64)],
    order: Order,
    until: i64,
    is_away: &mut dyn FnMut() -> bool,
) -> Option<i64> {
    let mut left: Vec<(u64, u64)> = jobs.iter().map(|(job, suspension)| (job.cost, *suspension)).collect();
    let from = jobs.iter().map(|(job, _)| job.release).min()?;
    for now in from..=until {
        if (0..jobs.len()).any(|index| left[index].0 > 0 && jobs[index].0.due <= now) {
            return Some(now);
        }
        let first_of_task =
            |index: &usize| !(0..*index).any(|other| jobs[other].0.task == jobs[*index].0.task && left[other].0 > 0);
        let waits = |index: &usize| left[*index].0 > 0 && jobs[*index].0.release <= now;
        let mut ready: Vec<usize> = (0..jobs.len()).filter(waits).filter(first_of_task).collect();
        ready.sort_by_key(|&index| match order {
            Order::Edf | Order::EdfByIndex => (jobs[index].0.due, jobs[index].0.task),
            Order::Fixed => (0, jobs[index].0.task),
        });
        for index in ready {
            let (to_run, to_be_away) = &mut left[index];
            if *to_be_away == 0 || !is_away() {
                *to_run -= 1;
                break;
            }
            *to_be_away -= 1;
        }
    }
    None
}

/// When each of `jobs` ends, up to `until`, where each suspends itself at given places: after it has executed so much, for so long. A job
/// suspends itself when it would run. Jobs of a task are in the order of their arrival; of equal deadlines the job that runs goes on,
/// else the lower task goes first.
pub fn ends(jobs: &[(crate::Job, Vec<(u64, u64)>)], order: Order, until: i64) -> Vec<Option<i64>> {
    let (mut executed, mut passed) = (vec![0u64; jobs.len()], vec![0usize; jobs.len()]);
    let (mut back_at, mut ended) = (vec![i64::MIN; jobs.len()], vec![None; jobs.len()]);
    let mut running = None;
    for now in jobs.iter().map(|(job, _)| job.release).min().unwrap_or(until)..until {
        loop {
            let is_first = |index: usize| {
                !(0..index).any(|other| jobs[other].0.task == jobs[index].0.task && ended[other].is_none())
            };
            let is_ready = |index: &usize| {
                let waits = ended[*index].is_none() && jobs[*index].0.release <= now && back_at[*index] <= now;
                waits && is_first(*index)
            };
            let key = |index: &usize| match order {
                Order::Edf | Order::EdfByIndex => (jobs[*index].0.due, Some(*index) != running, jobs[*index].0.task),
                Order::Fixed => (0, false, jobs[*index].0.task),
            };
            let Some(chosen) = (0..jobs.len()).filter(is_ready).min_by_key(key) else { break };
            running = Some(chosen);
            let (job, stops) = &jobs[chosen];
            let mut suspends = |executed: u64, from: i64| {
                let stop = stops.get(passed[chosen]).filter(|(after, _)| *after == executed);
                if let Some((_, length)) = stop {
                    passed[chosen] += 1;
                    back_at[chosen] = from + *length as i64;
                }
                stop.is_some()
            };
            if suspends(executed[chosen], now) {
                running = None;
                continue;
            }
            executed[chosen] += 1;
            if executed[chosen] == job.cost {
                ended[chosen] = Some(now + 1);
                running = None;
            } else if suspends(executed[chosen], now + 1) {
                running = None;
            }
            break;
        }
    }
    ended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_away_for_as_long_as_it_says() {
        let job = |task, cost| crate::Job { task, arrival: 0, release: 0, due: 99, cost };
        let jobs = [(job(0, 2), vec![(1, 3)]), (job(1, 4), vec![(0, 1)])];
        assert_eq!(ends(&jobs, Order::Fixed, 20), [Some(5), Some(7)]);
        assert_eq!(ends(&jobs, Order::Fixed, 6), [Some(5), None]);
    }

    #[test]
    fn a_suspension_lets_two_jobs_of_a_more_urgent_task_run_in_a_row() {
        // The first job of the more urgent task is away for 2 of its 4 ticks, and the next one follows at once.
        let urgent = (Task::implicit(2, 4), 2);
        let found = |deadline| search(&[urgent, (Task::new(1, 9, deadline), 0)], Order::Fixed, usize::MAX);
        assert_eq!((found(5), found(4)), (MissSearch::NoMiss, MissSearch::Miss));
        assert_eq!(search(&[(Task::implicit(2, 4), 3)], Order::Edf, usize::MAX), MissSearch::Miss);
    }

    #[test]
    fn a_job_that_is_away_lets_others_run() {
        let job = |task, due| crate::Job { task, arrival: 0, release: 0, due, cost: 2 };
        let jobs = [(job(0, 9), 3), (job(1, 2), 0)];
        assert_eq!(first_miss(&jobs, Order::Fixed, 9, &mut || true), None);
        assert_eq!(first_miss(&jobs, Order::Fixed, 9, &mut || false), Some(2));
    }
}
