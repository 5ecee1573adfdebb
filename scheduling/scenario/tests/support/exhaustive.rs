//! Every pattern of arrivals on whole ticks, tried: the truth about a handful of small sporadic tasks.

use prazo_core::task::Task;
use std::collections::HashSet;

/// What a task is doing: ticks left to run, ticks to its deadline, ticks until it may arrive again, and whether it runs.
type State = (u64, u64, u64, bool);

/// True if no pattern of whole-tick arrivals of `tasks`, each with D <= T, makes global EDF on `processors` miss.
pub fn global_edf_never_misses(tasks: &[Task], processors: usize) -> bool {
    let idle = vec![(0, 0, 0, false); tasks.len()];
    let (mut seen, mut open) = (HashSet::from([idle.clone()]), vec![idle]);
    while let Some(state) = open.pop() {
        for arriving in 0..1u32 << tasks.len() {
            let Some(state) = arrived(tasks, &state, arriving) else { continue };
            let Some(next) = after_a_tick(&state, processors) else { return false };
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    true
}

/// The state with jobs of the tasks whose bit is set; `None` where one may not arrive yet.
fn arrived(tasks: &[Task], state: &[State], arriving: u32) -> Option<Vec<State>> {
    let arrive = |(index, now): (usize, &State)| match (arriving >> index & 1, now) {
        (0, _) => Some(*now),
        (_, (0, _, 0, _)) => Some((tasks[index].cost, tasks[index].deadline, tasks[index].period, false)),
        _ => None,
    };
    state.iter().enumerate().map(arrive).collect()
}

/// The state one tick later; `None` where a job can no longer end in time.
fn after_a_tick(state: &[State], processors: usize) -> Option<Vec<State>> {
    let mut ready: Vec<usize> = (0..state.len()).filter(|index| state[*index].0 > 0).collect();
    ready.sort_by_key(|index| (state[*index].1, !state[*index].3, *index));
    let chosen = &ready[..ready.len().min(processors)];
    let tick = |(index, (left, deadline, again, _)): (usize, &State)| {
        let runs = chosen.contains(&index);
        let left = left - u64::from(runs);
        let deadline = if left == 0 { 0 } else { deadline - 1 };
        (left <= deadline).then_some((left, deadline, again.saturating_sub(1), runs && left > 0))
    };
    state.iter().enumerate().map(tick).collect()
}
