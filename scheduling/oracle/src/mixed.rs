//! One processor with two criticalities: every pattern of sporadic arrivals together with every execution, tick by tick.
//!
//! The search knows no critical instant and no worst pattern. In each tick it lets any tasks arrive that may, of equally urgent jobs lets any
//! run, and then lets the job end, or go on as long as it may. A job that goes on beyond its C begins high mode: all jobs of low criticality
//! vanish, and none arrives until nobody waits. Only arrivals between the ticks are left out, so callers scale their sets.

use crate::any_arrival::MissSearch;
use prazo_core::task::{Task, Ticks};
use std::collections::HashSet;

/// A task, with its cost in high mode if it is of high criticality.
pub type Critical = (Task, Option<Ticks>);

/// Who goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// The tasks are given the most urgent first.
    Fixed,
    /// By arrival + D; in low mode, those of high criticality by arrival + D `over` / `under`.
    Virtual {
        /// Numerator of the factor.
        over: u128,
        /// Its denominator.
        under: u128,
    },
}

/// A task between two ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Waiting {
    /// Ticks since the last arrival, no more than the period; as D <= T, the age of its job if there is one.
    since: u8,
    /// True if that job has not ended.
    is_pending: bool,
    /// What it has run.
    executed: u8,
}

/// All tasks, and the mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    tasks: [Waiting; 4],
    is_high: bool,
}

/// Looks for a miss of `tasks` in so many states; at most four tasks with D <= T <= 120.
pub fn search(tasks: &[Critical], ranking: Ranking, states: usize) -> MissSearch {
    assert!(tasks.len() <= 4 && tasks.iter().all(|(task, _)| task.deadline <= task.period && task.period <= 120));
    let mut idle = State::default();
    tasks.iter().zip(&mut idle.tasks).for_each(|((task, _), waiting)| waiting.since = task.period as u8);
    let (mut seen, mut open) = (HashSet::from([idle]), vec![idle]);
    while let Some(state) = open.pop() {
        for arriving in 0..1u32 << tasks.len() {
            let Some(state) = with_arrivals(tasks, state, arriving) else { continue };
            for next in after_a_tick(tasks, ranking, state) {
                if is_late(tasks, &next) {
                    return MissSearch::Miss;
                }
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

/// The state with jobs of the tasks whose bit is set; `None` where one may not arrive yet, or would be dropped at once.
fn with_arrivals(tasks: &[Critical], mut state: State, arriving: u32) -> Option<State> {
    for (index, (task, cost_high)) in tasks.iter().enumerate().filter(|(index, _)| arriving >> index & 1 == 1) {
        let waiting = &mut state.tasks[index];
        if u64::from(waiting.since) < task.period || state.is_high && cost_high.is_none() {
            return None;
        }
        *waiting = Waiting { since: 0, is_pending: true, executed: 0 };
    }
    Some(state)
}

/// All states that can follow a tick.
fn after_a_tick(tasks: &[Critical], ranking: Ranking, mut state: State) -> Vec<State> {
    let first = first(tasks, ranking, &state);
    for ((task, _), waiting) in tasks.iter().zip(&mut state.tasks) {
        waiting.since = (waiting.since + 1).min(task.period as u8);
    }
    if first.is_empty() {
        return vec![state];
    }
    first.into_iter().flat_map(|index| after_running(tasks, state, index)).collect()
}

/// The tasks of which one runs: more than one where several are equally urgent.
fn first(tasks: &[Critical], ranking: Ranking, state: &State) -> Vec<usize> {
    let key = |index: usize| {
        let ((task, cost_high), age) = (&tasks[index], i128::from(state.tasks[index].since));
        match ranking {
            Ranking::Fixed => index as i128,
            Ranking::Virtual { over, under } => {
                let over = if cost_high.is_some() && !state.is_high { over } else { under };
                i128::from(task.deadline) * over as i128 - age * under as i128
            }
        }
    };
    let pending: Vec<usize> = (0..tasks.len()).filter(|&index| state.tasks[index].is_pending).collect();
    let least = pending.iter().map(|&index| key(index)).min();
    pending.into_iter().filter(|&index| Some(key(index)) == least).collect()
}

/// The job of `index` has run for one tick more: it ends, or goes on, perhaps beyond its C.
fn after_running(tasks: &[Critical], mut state: State, index: usize) -> Vec<State> {
    let (task, cost_high) = &tasks[index];
    state.tasks[index].executed += 1;
    let executed = Ticks::from(state.tasks[index].executed);
    let mut ended = state;
    ended.tasks[index] = Waiting { is_pending: false, executed: 0, ..state.tasks[index] };
    let mut all = vec![settled(ended)];
    if executed < task.cost || state.is_high && executed < cost_high.unwrap_or(0) {
        all.push(state);
    } else if executed == task.cost && !state.is_high && cost_high.is_none_or(|high| executed < high) {
        // One of low criticality begins high mode, too, and is dropped itself.
        let mut high = State { is_high: true, ..state };
        for ((_, cost_high), waiting) in tasks.iter().zip(&mut high.tasks).filter(|((_, high), _)| high.is_none()) {
            debug_assert!(cost_high.is_none());
            *waiting = Waiting { is_pending: false, executed: 0, ..*waiting };
        }
        all.push(settled(high));
    }
    all
}

/// Where nobody waits, it is low mode.
fn settled(state: State) -> State {
    let is_high = state.is_high && state.tasks.iter().any(|waiting| waiting.is_pending);
    State { is_high, ..state }
}

/// True if a job has reached its deadline and has not ended.
fn is_late(tasks: &[Critical], state: &State) -> bool {
    let is_late =
        |((task, _), waiting): (&Critical, &Waiting)| waiting.is_pending && u64::from(waiting.since) >= task.deadline;
    tasks.iter().zip(&state.tasks).any(is_late)
}

/// One job with what it will run, unless it is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CriticalJob {
    /// Index of its task.
    pub task: usize,
    /// When it arrives.
    pub arrival: u64,
    /// What it needs to end.
    pub needs: u64,
}

/// What becomes of one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It ends at this instant.
    Ended(u64),
    /// It is dropped at this instant.
    Dropped(u64),
    /// It is pending at the end of the schedule.
    Pending,
}

/// What becomes of each of `jobs`, which are in the order of their arrival, up to `until`. Of equally urgent jobs the one that runs goes on, else the
/// lower task goes first. Jobs of a task run in the order of their arrival.
pub fn schedule(tasks: &[Critical], ranking: Ranking, jobs: &[CriticalJob], until: u64) -> Vec<Fate> {
    let (mut fates, mut executed) = (vec![Fate::Pending; jobs.len()], vec![0u64; jobs.len()]);
    let (mut is_high, mut running) = (false, None);
    for now in 0..until {
        let waits = |fates: &[Fate], index: usize| jobs[index].arrival <= now && fates[index] == Fate::Pending;
        if (0..jobs.len()).all(|index| jobs[index].arrival == now || !waits(&fates, index)) {
            is_high = false;
        }
        let is_low = |index: usize| tasks[jobs[index].task].1.is_none();
        for index in 0..jobs.len() {
            if is_high && is_low(index) && waits(&fates, index) {
                fates[index] = Fate::Dropped(now);
            }
        }
        let is_oldest =
            |index: usize| !(0..index).any(|other| jobs[other].task == jobs[index].task && waits(&fates, other));
        let key = |index: &usize| {
            let (task, cost_high) = &tasks[jobs[*index].task];
            let rank = match ranking {
                Ranking::Fixed => jobs[*index].task as u128,
                Ranking::Virtual { over, under } => {
                    let over = if cost_high.is_some() && !is_high { over } else { under };
                    u128::from(jobs[*index].arrival) * under + u128::from(task.deadline) * over
                }
            };
            (rank, running != Some(*index), jobs[*index].task)
        };
        running = (0..jobs.len()).filter(|&index| waits(&fates, index) && is_oldest(index)).min_by_key(key);
        let Some(index) = running else { continue };
        executed[index] += 1;
        if executed[index] == jobs[index].needs {
            fates[index] = Fate::Ended(now + 1);
        } else if executed[index] == tasks[jobs[index].task].0.cost {
            is_high = true;
            for index in 0..jobs.len() {
                if is_low(index) && waits(&fates, index) {
                    fates[index] = Fate::Dropped(now + 1);
                }
            }
        }
    }
    fates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overrun_drops_what_is_of_low_criticality_until_nobody_waits() {
        let tasks = [(Task::implicit(2, 10), Some(5)), (Task::implicit(1, 4), None)];
        let job = |task, arrival, needs| CriticalJob { task, arrival, needs };
        let jobs = [job(0, 0, 5), job(1, 0, 1), job(1, 4, 1), job(1, 8, 1)];
        let fates = schedule(&tasks, Ranking::Fixed, &jobs, 20);
        assert_eq!(fates, [Fate::Ended(5), Fate::Dropped(2), Fate::Dropped(4), Fate::Ended(9)]);
    }

    #[test]
    fn a_late_change_of_mode_is_found() {
        // Under plain EDF the long job waits for 2 ticks, overruns, and ends at 7. U_LL = 1/2, U_HL = 1/6, U_HH = 5/6: x = 1/3 is just enough.
        let tasks = [(Task::implicit(2, 4), None), (Task::implicit(1, 6), Some(5))];
        let ranked = |over, under| search(&tasks, Ranking::Virtual { over, under }, usize::MAX);
        assert_eq!(ranked(1, 1), MissSearch::Miss);
        assert_eq!(ranked(1, 3), MissSearch::NoMiss);
    }
}
