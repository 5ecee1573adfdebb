//! A task set whose instants lie apart: the same set in slower motion, each cost cut a little.
//!
//! The sets of papers are made of few whole numbers, so jobs of theirs end exactly when others arrive, and what comes first is
//! nobody's promise. Here periods and deadlines keep their proportions, on a grid that a kernel can tell apart, and every cost
//! loses a little. Where two instants still fall together, the costs of their tasks are cut anew, as long as that helps.

use super::compare::{self, Doubt};
use super::simulated;
use crate::kernel::configuration::Configuration;
use crate::kernel::tasks::Tasks;
use prazo_core::task::Task;
use prazo_core::time::Duration;
use prazo_scenario::{Conduct, Reservation};

/// Of which all periods and deadlines are multiples: so that the longest is about this, within these bounds.
const LONGEST: Duration = Duration::from_ms(2_000);
const GRID_LEAST: Duration = Duration::from_ms(12);
const GRID_MOST: Duration = Duration::from_ms(100);
/// A run covers so many of the longest periods, or deadlines, but not more than this: what each migration takes adds up.
const PERIODS: u64 = 3;
const WANTED_MOST: Duration = Duration::from_ms(2_500);
/// What is cut of a cost at most: this part of it or this time, whichever is longer, and never half of it.
const CUT_PART: u64 = 16;
const CUT: Duration = Duration::from_ms(10);
const TRIES: u32 = 1_000;
/// What is beyond doubt for less than this is not worth comparing.
const SHORTEST: Duration = Duration::from_ms(200);
/// How much coarser the grid may become where cuts alone do not help.
const COARSER: [u64; 3] = [1, 4, 16];

/// A set, and for how long its schedule is beyond doubt.
pub(super) struct Apart {
    /// Slower, and cut.
    pub tasks: Tasks,
    /// How long.
    pub duration: Duration,
}

/// Makes `tasks` so, trying cuts from `seed` on.
pub(super) fn of(tasks: &Tasks, configuration: &Configuration, seed: u64) -> Result<Apart, String> {
    let tries = COARSER.iter().map(|factor| at_pace(&slower(tasks, *factor), configuration, seed));
    let first = tries.into_iter().find_map(Result::transpose);
    first.unwrap_or_else(|| Err("its instants fall together, however its costs are cut".into()))
}

/// The cuts of `slow` that last, or nothing where none lasts.
fn at_pace(slow: &Tasks, configuration: &Configuration, seed: u64) -> Result<Option<Apart>, String> {
    let longest = slow.tasks.iter().map(|task| task.period.max(task.deadline)).max().unwrap_or(0);
    let wanted_ns = (PERIODS * longest).min(WANTED_MOST.as_ns());
    let mut random = fastrand::Rng::with_seed(seed);
    let all: Vec<usize> = (0..slow.tasks.len()).collect();
    let mut best = cut(slow, slow, &all, &mut random);
    let mut doubt = first_doubt(&best, configuration, wanted_ns)?;
    for _ in 0..TRIES {
        let Some(found) = &doubt else { break };
        let tried = cut(slow, &best, &found.tasks, &mut random);
        let now = first_doubt(&tried, configuration, wanted_ns)?;
        if now.as_ref().is_none_or(|now| now.at_ns >= found.at_ns) {
            (best, doubt) = (tried, now);
        }
    }
    let duration = Duration::from_ns(doubt.map_or(wanted_ns, |doubt| doubt.at_ns));
    let all_arrive = best.conduct.iter().all(|conduct| conduct.offset.is_none_or(|ns| ns < duration.as_ns()));
    Ok((duration >= SHORTEST && all_arrive).then_some(Apart { tasks: best, duration }))
}

/// The same proportions on a coarser grid.
fn slower(tasks: &Tasks, factor: u64) -> Tasks {
    let offsets = tasks.conduct.iter().filter_map(|conduct| conduct.offset);
    let times = || tasks.tasks.iter().flat_map(|task| [task.period, task.deadline]).chain(offsets.clone());
    let grid = times().fold(0, gcd).max(1);
    let fitting = LONGEST.as_ns() / (times().max().unwrap_or(0) / grid).max(1);
    let slow = factor * fitting.clamp(GRID_LEAST.as_ns(), GRID_MOST.as_ns());
    let scaled = |ns: u64| (u128::from(ns) * u128::from(slow)).div_ceil(u128::from(grid)) as u64;
    let task = |task: &Task| Task::new(scaled(task.cost), scaled(task.period), scaled(task.deadline));
    let conduct = |conduct: &Conduct| Conduct {
        offset: conduct.offset.map(scaled),
        execution: conduct.execution.map(scaled),
        max_inter_arrival: conduct.max_inter_arrival.map(scaled),
        best_case: conduct.best_case.map(scaled),
        server: conduct.server.map(|of| Reservation { budget: scaled(of.budget), period: scaled(of.period) }),
    };
    Tasks {
        tasks: tasks.tasks.iter().map(task).collect(),
        conduct: tasks.conduct.iter().map(conduct).collect(),
        ..tasks.clone()
    }
}

/// `tasks` with the costs of `which` cut anew from those of `whole`.
fn cut(whole: &Tasks, tasks: &Tasks, which: &[usize], random: &mut fastrand::Rng) -> Tasks {
    let mut tasks = tasks.clone();
    for task in which {
        let (whole, place) = match tasks.conduct.get_mut(*task).and_then(|conduct| conduct.execution.as_mut()) {
            Some(execution) => (whole.conduct[*task].execution.unwrap_or(*execution), execution),
            None => (whole.tasks[*task].cost, &mut tasks.tasks[*task].cost),
        };
        *place = whole - random.u64(0..=(whole / CUT_PART).max(CUT.as_ns()).min(whole / 2));
    }
    tasks
}

/// The first instant of any queue, before `until_ns`, that could go either way.
fn first_doubt(tasks: &Tasks, configuration: &Configuration, until_ns: u64) -> Result<Option<Doubt>, String> {
    let events = simulated::events(tasks, configuration, Duration::from_ns(until_ns))?;
    let queues = 0..configuration.clusters.len() as u64;
    let first = queues.filter_map(|queue| compare::doubt_in(queue, &events)).min_by_key(|doubt| doubt.at_ns);
    Ok(first.filter(|doubt| doubt.at_ns < until_ns))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn dhall() -> Tasks {
        let light = Task::implicit(2 * MS, 10 * MS);
        Tasks { tasks: vec![light, light, Task::implicit(10 * MS, 11 * MS)], queues: vec![0; 3], ..Tasks::default() }
    }

    #[test]
    fn proportions_stay_and_the_grid_is_coarse() {
        let slow = slower(&dhall(), 1);
        let step = GRID_MOST.as_ns();
        assert_eq!(slow.tasks[2], Task::implicit(10 * step, 11 * step));
        assert_eq!(slow.tasks[0], Task::implicit(2 * step, 10 * step));
    }

    #[test]
    fn the_effect_of_a_set_outlives_its_cuts() {
        let configuration = Configuration { criterion: "EarliestDeadlineFirst".into(), clusters: vec![2] };
        let apart = of(&dhall(), &configuration, 1).unwrap();
        let events = simulated::events(&apart.tasks, &configuration, apart.duration).unwrap();
        assert!(events.iter().any(|event| event.event == "miss" && event.task == 2), "Dhall's heavy task is late");
        assert_eq!(compare::doubt_in(0, &events).map(|doubt| doubt.at_ns), None);
        assert_eq!(apart.duration, WANTED_MOST);
    }
}
