//! Every pattern of sporadic arrivals and late releases at whole ticks, and under EDF every way to break ties, or one: as far as
//! a number of states goes.

use prazo_core::task::Task;
use std::collections::HashSet;

/// Who goes first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// Earlier absolute deadline; equal ones in any order.
    Edf,
    /// Earlier absolute deadline; of equal ones, that of a job that just ran, then the lower index.
    EdfByIndex,
    /// Lower index.
    Fixed,
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MissSearch {
    /// Some job misses its deadline.
    Miss,
    /// No job misses in any of the patterns.
    NoMiss,
    /// None was seen to miss in as many states as were allowed.
    Stopped,
}

/// A task between two ticks: ticks left to run, ticks to its deadline, ticks until it may arrive again, ticks until its job
/// is released at the latest (0 once it is), and where that ranks it whether it just ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    left: u8,
    due: u8,
    again: u8,
    held: u8,
    ran: bool,
}

/// Looks for a miss of `tasks`, each with D <= T, on `processors`; at most five tasks with periods up to 255.
pub fn search(tasks: &[Task], processors: u32, order: Order, states: usize) -> MissSearch {
    let tasks: Vec<State> = tasks.iter().map(arrived).collect();
    let idle = [State::default(); 5];
    let (mut seen, mut open) = (HashSet::from([idle]), vec![idle]);
    while let Some(state) = open.pop() {
        // The last pushed is looked at first: those with most arrivals.
        for arriving in 0..1u32 << tasks.len() {
            let Some(state) = with_arrivals(&tasks, state, arriving) else { continue };
            for state in releases(state) {
                for running in choices(&state[..tasks.len()], processors as usize, order) {
                    let Some(next) = after_a_tick(state, running, order) else { return MissSearch::Miss };
                    if seen.len() >= states {
                        return MissSearch::Stopped;
                    }
                    if seen.insert(next) {
                        open.push(next);
                    }
                }
            }
        }
    }
    MissSearch::NoMiss
}

/// The task at its arrival.
fn arrived(task: &Task) -> State {
    State {
        left: task.cost as u8,
        due: task.deadline as u8,
        again: task.period as u8,
        held: task.jitter as u8,
        ran: false,
    }
}

/// The state with jobs of the tasks whose bit is set; `None` where one may not arrive yet.
fn with_arrivals(tasks: &[State], mut state: [State; 5], arriving: u32) -> Option<[State; 5]> {
    for (index, task) in tasks.iter().enumerate().filter(|(index, _)| arriving >> index & 1 == 1) {
        if state[index].left > 0 || state[index].again > 0 {
            return None;
        }
        state[index] = *task;
    }
    Some(state)
}

/// The state with any of the jobs that are not yet released released now.
fn releases(state: [State; 5]) -> impl Iterator<Item = [State; 5]> {
    let held = (0..5).filter(|index| state[*index].held > 0).fold(0u32, |bits, index| bits | 1 << index);
    (0..1u32 << 5).filter(move |chosen| chosen & !held == 0).map(move |chosen| {
        let mut state = state;
        state.iter_mut().enumerate().filter(|(index, _)| chosen >> index & 1 == 1).for_each(|(_, task)| task.held = 0);
        state
    })
}

/// The sets of tasks that may run, as bits: of those that are equally urgent, any that fill the processors.
fn choices(state: &[State], processors: usize, order: Order) -> Vec<u32> {
    let mut ready: Vec<usize> =
        (0..state.len()).filter(|index| state[*index].left > 0 && state[*index].held == 0).collect();
    let bits = |chosen: &[usize]| chosen.iter().fold(0, |bits, index| bits | 1 << index);
    if order == Order::EdfByIndex {
        ready.sort_by_key(|index| (state[*index].due, !state[*index].ran, *index));
    }
    if order != Order::Edf || ready.len() <= processors {
        ready.truncate(processors);
        return vec![bits(&ready)];
    }
    ready.sort_by_key(|index| state[*index].due);
    let last = state[ready[processors - 1]].due;
    let sure: Vec<usize> = ready.iter().copied().filter(|index| state[*index].due < last).collect();
    let tied: Vec<usize> = ready.iter().copied().filter(|index| state[*index].due == last).collect();
    let free = processors - sure.len();
    let of_tied = |choice: u32| tied.iter().enumerate().filter(move |(place, _)| choice >> place & 1 == 1);
    (0..1u32 << tied.len())
        .filter(|choice| choice.count_ones() as usize == free)
        .map(|choice| of_tied(choice).fold(bits(&sure), |bits, (_, index)| bits | 1 << index))
        .collect()
}

/// The state one tick later; `None` where a job can no longer end in time.
fn after_a_tick(mut state: [State; 5], running: u32, order: Order) -> Option<[State; 5]> {
    for (index, task) in state.iter_mut().enumerate() {
        task.left -= u8::from(running >> index & 1 == 1);
        task.due = if task.left == 0 { 0 } else { task.due - 1 };
        task.again = task.again.saturating_sub(1);
        task.held = task.held.saturating_sub(1);
        task.ran = order == Order::EdfByIndex && task.left > 0 && running >> index & 1 == 1;
        if task.left > task.due {
            return None;
        }
    }
    Some(state)
}
