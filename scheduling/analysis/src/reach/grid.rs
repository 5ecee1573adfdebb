//! All states that arrivals at whole ticks, or at equal parts of a tick, bring about: what most misses are found by.
//!
//! A state has for each task what its job still needs, the time to its deadline, the time until it may arrive again and whether it has just
//! run, all in parts of a tick. From one part to the next any tasks arrive that may, and the most urgent run (as in Baker and Cirinei, OPODIS
//! 2007). A late job is a disproof with its arrivals. That none is late shows it for arrivals on this grid, and no more.

use super::outcome::{Found, TASKS_MAX};
use super::pattern::first_late;
use super::state::System;
use crate::Budget;
use crate::answer::{Arrival, LatePattern};
use crate::budget::Unfinished;
use std::cmp::Reverse;
use std::collections::HashSet;

/// One task between two points of the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Progress {
    left: u16,
    due: u16,
    again: u16,
    has_run: bool,
}

type State = [Progress; TASKS_MAX];

/// A state as it is reached: after which one, and which tasks arrived then.
struct Reached {
    state: State,
    from: usize,
    arrived: u8,
}

/// The most states that are kept.
const STATES_MAX: usize = 10_000_000;

/// The longest period, in parts of a tick.
const PERIOD_MAX: u64 = 1 << 15;

/// Searches all patterns of arrivals at multiples of a tick's `parts`-th part.
pub(super) fn search(system: &System, parts: u64, budget: &mut Budget) -> Result<Found, Unfinished> {
    if system.tasks.iter().any(|task| task.period * parts > PERIOD_MAX) {
        return Err(Unfinished::TooLarge);
    }
    let mut reached = vec![Reached { state: State::default(), from: 0, arrived: 0 }];
    let mut known = HashSet::from([State::default()]);
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        let state = reached[at].state;
        let may_arrive = (0..system.tasks.len())
            .filter(|&task| state[task].left == 0 && state[task].again == 0)
            .fold(0u8, |tasks, task| tasks | 1 << task);
        // The last pushed is looked at first: the state with most arrivals.
        for arrived in (0..=may_arrive).filter(|chosen| chosen & !may_arrive == 0) {
            budget.spend(1)?;
            match next(system, with_arrivals(system, parts, state, arrived)) {
                None => {
                    let arrivals = arrivals(&reached, at, arrived);
                    let job = first_late(system, parts, &arrivals).expect("a job is late in what was searched");
                    return Ok(Found::Late(LatePattern { parts, arrivals, job }));
                }
                Some(_) if known.len() == STATES_MAX => return Err(Unfinished::TooLarge),
                Some(state) if known.insert(state) => {
                    open.push(reached.len());
                    reached.push(Reached { state, from: at, arrived });
                }
                Some(_) => {}
            }
        }
    }
    Ok(Found::NoneLate(system.ties))
}

fn with_arrivals(system: &System, parts: u64, mut state: State, arrived: u8) -> State {
    for (index, task) in system.tasks.iter().enumerate().filter(|(index, _)| arrived >> index & 1 == 1) {
        let [left, due, again] = [task.cost, task.deadline, task.period].map(|ticks| (ticks * parts) as u16);
        state[index] = Progress { left, due, again, has_run: false };
    }
    state
}

/// The state one part of a tick later; `None` where a job can no longer end in time.
fn next(system: &System, mut state: State) -> Option<State> {
    let mut ready = [0; TASKS_MAX];
    let mut count = 0;
    for task in (0..system.tasks.len()).filter(|&task| state[task].left > 0) {
        ready[count] = task;
        count += 1;
    }
    let ready = &mut ready[..count];
    if system.by_deadline {
        ready.sort_unstable_by_key(|&task| (state[task].due, Reverse(state[task].has_run), task));
    }
    let running = ready.iter().take(system.processors).fold(0u8, |tasks, task| tasks | 1 << task);
    for (task, progress) in state.iter_mut().enumerate() {
        progress.has_run = running >> task & 1 == 1;
        progress.left -= u16::from(progress.has_run);
        progress.due = progress.due.saturating_sub(1);
        progress.again = progress.again.saturating_sub(1);
        if progress.left > progress.due {
            return None;
        }
        if progress.left == 0 {
            (progress.due, progress.has_run) = (0, false);
        }
        // Under fixed priorities it does not matter who has run.
        progress.has_run &= system.by_deadline;
    }
    Some(state)
}

/// The arrivals on the way to the state at `at`, and those that follow there.
fn arrivals(reached: &[Reached], mut at: usize, last: u8) -> Vec<Arrival> {
    let mut steps = vec![last];
    while at != 0 {
        steps.push(reached[at].arrived);
        at = reached[at].from;
    }
    let of_step = |(step, tasks): (usize, u8)| {
        (0..8).filter(move |task| tasks >> task & 1 == 1).map(move |task| Arrival { task, at: step as u64 })
    };
    let mut arrivals: Vec<Arrival> = steps.into_iter().rev().enumerate().flat_map(of_step).collect();
    let first = arrivals.first().map_or(0, |arrival| arrival.at);
    arrivals.iter_mut().for_each(|arrival| arrival.at -= first);
    arrivals
}
