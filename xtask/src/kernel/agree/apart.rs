//! A task set whose instants lie apart: the same set in slower motion, each cost cut a little.
//!
//! The sets of papers are made of few whole numbers, so jobs of theirs end exactly when others arrive, and what comes first is
//! nobody's promise. Here periods and deadlines keep their proportions, on a grid that a kernel can tell apart, and every cost
//! loses up to a sixteenth. Of the cuts that are tried, that one stays whose schedule is beyond doubt for longest.

use super::{compare, simulated};
use crate::kernel::configuration::Configuration;
use crate::kernel::tasks::Tasks;
use prazo_core::task::Task;
use prazo_core::time::Duration;

/// Of which all periods and deadlines are multiples, where the longest of them allows it.
const GRID: Duration = Duration::from_ms(100);
const GRID_LEAST: Duration = Duration::from_ms(5);
/// The longest period or deadline, where the grid allows it.
const LONGEST: Duration = Duration::from_ms(1_000);
/// A run covers so many of the longest periods.
const PERIODS: u64 = 3;
/// The largest part of a cost that is cut.
const CUT: u64 = 16;
const TRIES: u32 = 400;

/// A set, and for how long its schedule is beyond doubt.
pub struct Apart {
    /// Slower, and cut.
    pub tasks: Tasks,
    /// How long.
    pub duration: Duration,
}

/// Makes `tasks` so, trying cuts from `seed` on.
pub fn of(tasks: &Tasks, configuration: &Configuration, seed: u64) -> Result<Apart, String> {
    let slow = slower(tasks);
    let longest = slow.tasks.iter().map(|task| task.period.max(task.deadline)).max().unwrap_or(0);
    let wanted = Duration::from_ns(PERIODS * longest);
    let mut random = fastrand::Rng::with_seed(seed);
    let mut best = None;
    for _ in 0..TRIES {
        let tasks = cut(&slow, &mut random);
        let duration = beyond_doubt(&tasks, configuration, wanted)?;
        if best.as_ref().is_none_or(|best: &Apart| best.duration < duration) {
            best = Some(Apart { tasks, duration });
        }
        if duration == wanted {
            break;
        }
    }
    best.ok_or_else(|| "there is no task".to_owned())
}

/// The same proportions on a coarser grid.
fn slower(tasks: &Tasks) -> Tasks {
    let times = || tasks.tasks.iter().flat_map(|task| [task.period, task.deadline]);
    let grid = times().fold(0, gcd).max(1);
    let most = LONGEST.as_ns() / (times().max().unwrap_or(1) / grid).max(1);
    let slow = most.clamp(GRID_LEAST.as_ns(), GRID.as_ns());
    let scaled = |ns: u64| (u128::from(ns) * u128::from(slow)).div_ceil(u128::from(grid)) as u64;
    let task = |task: &Task| Task::new(scaled(task.cost), scaled(task.period), scaled(task.deadline));
    Tasks { tasks: tasks.tasks.iter().map(task).collect(), ..tasks.clone() }
}

fn cut(tasks: &Tasks, random: &mut fastrand::Rng) -> Tasks {
    let mut task = |task: &Task| Task { cost: task.cost - random.u64(0..=task.cost / CUT), ..*task };
    Tasks { tasks: tasks.tasks.iter().map(&mut task).collect(), ..tasks.clone() }
}

/// How much of `wanted` passes before the first instant of any queue that could go either way.
fn beyond_doubt(tasks: &Tasks, configuration: &Configuration, wanted: Duration) -> Result<Duration, String> {
    let events = simulated::events(tasks, configuration, wanted)?;
    let queues = 0..configuration.clusters.len() as u64;
    let first = queues.filter_map(|queue| compare::doubt_in(queue, &events)).min();
    Ok(first.map_or(wanted, |at_ns| Duration::from_ns(at_ns.min(wanted.as_ns()))))
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
        let slow = slower(&dhall());
        let step = LONGEST.as_ns() / 11;
        assert_eq!(slow.tasks[2], Task::implicit(10 * step, 11 * step));
        assert_eq!(slow.tasks[0], Task::implicit(2 * step, 10 * step));
    }

    #[test]
    fn the_effect_of_a_set_outlives_its_cuts() {
        let configuration = Configuration { criterion: "EarliestDeadlineFirst".into(), clusters: vec![2] };
        let apart = of(&dhall(), &configuration, 1).unwrap();
        let events = simulated::events(&apart.tasks, &configuration, apart.duration).unwrap();
        assert!(events.iter().any(|event| event.event == "miss" && event.task == 2), "Dhall's heavy task is late");
        assert!(compare::doubt_in(0, &events).is_none_or(|at_ns| at_ns >= apart.duration.as_ns()));
    }
}
