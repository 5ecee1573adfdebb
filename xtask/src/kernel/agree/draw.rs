//! Random task sets whose schedules are beyond doubt: drawn, made so, and kept if anything happens in them.

use super::apart::{self, Apart};
use super::simulated;
use crate::kernel::configuration::Configuration;
use crate::kernel::tasks::Tasks;
use prazo_core::overrun;
use prazo_core::task::Task;
use prazo_scenario::{Conduct, Reservation};
use prazo_sim::Policy;

/// Draws before giving up; most are kept.
const DRAWS: u32 = 100;
/// Few common multiples, so that arrivals often coincide and seldom lie close.
const PERIODS_MS: [u64; 6] = [60, 80, 120, 160, 240, 480];
const MS: u64 = 1_000_000;

/// The first set from `seed` on that is lively and beyond doubt.
pub(super) fn set(seed: u64, late: overrun::OverrunPolicy, configuration: &Configuration) -> Result<Apart, String> {
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..DRAWS {
        let tasks = Tasks { late, ..drawn(&mut random, configuration)? };
        if let Ok(set) = apart::of(&tasks, configuration, seed)
            && is_lively(&set, configuration)?
        {
            return Ok(set);
        }
    }
    Err(format!("seed {seed}: none of {DRAWS} sets has its instants apart"))
}

/// A set in which nobody is ever preempted shows little.
fn is_lively(set: &Apart, configuration: &Configuration) -> Result<bool, String> {
    let events = simulated::events(&set.tasks, configuration, set.duration)?;
    Ok(events.iter().any(|event| event.event == "preemption"))
}

/// One task more than there are processors, or up to twice as many; each costs a tenth to nine tenths of its period. Under EDF
/// one in four has a server that grants it less than it takes.
fn drawn(random: &mut fastrand::Rng, configuration: &Configuration) -> Result<Tasks, String> {
    let processors = configuration.processors() as usize;
    let count = random.usize(processors + 1..=2 * processors + 1);
    let queues = configuration.clusters.len() as u32;
    let has_servers = configuration.policy()? == Policy::EarliestDeadlineFirst;
    let tasks: Vec<Task> = (0..count).map(|_| task(random)).collect();
    let conduct =
        |task: &Task| if has_servers && random.u8(..4) == 0 { served(task, random) } else { Conduct::default() };
    let conduct = tasks.iter().map(conduct).collect();
    Ok(Tasks { queues: (0..count).map(|_| random.u32(..queues)).collect(), tasks, conduct, ..Tasks::default() })
}

fn task(random: &mut fastrand::Rng) -> Task {
    let period = PERIODS_MS[random.usize(..PERIODS_MS.len())];
    Task::implicit(random.u64(period / 10..=period * 9 / 10) * MS, period * MS)
}

/// A server of a fifth to four fifths of the cost, in the task's period; no round number, so that budgets end beside all else.
fn served(task: &Task, random: &mut fastrand::Rng) -> Conduct {
    let budget = random.u64(task.cost / 5..=task.cost * 4 / 5);
    Conduct { server: Some(Reservation { budget, period: task.period }), ..Conduct::default() }
}

#[cfg(test)]
mod tests {
    use super::super::compare;
    use super::*;

    #[test]
    fn a_seed_gives_one_set_whose_instants_lie_apart() {
        let configuration = Configuration { criterion: "EarliestDeadlineFirst".into(), clusters: vec![1, 1] };
        let set_of = |seed| set(seed, overrun::OverrunPolicy::Abort, &configuration).unwrap();
        let drawn = set_of(3);
        assert_eq!(drawn.tasks, set_of(3).tasks);
        let events = simulated::events(&drawn.tasks, &configuration, drawn.duration).unwrap();
        assert!((0..2).all(|queue| compare::doubt_in(queue, &events).is_none()));
        let is_served = |seed| set_of(seed).tasks.conduct.iter().any(|conduct| conduct.server.is_some());
        assert!((0..8).any(is_served), "no set has a server");
    }
}
