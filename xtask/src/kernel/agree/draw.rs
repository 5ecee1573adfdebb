//! Random task sets whose schedules are beyond doubt: what is drawn is simulated, and kept only if its instants lie apart.

use super::{compare, simulated};
use crate::kernel::configuration::Configuration;
use crate::kernel::tasks::Tasks;
use prazo_core::task::Task;
use prazo_core::time::Duration;

/// Draws before giving up; one in some thousands is kept.
const DRAWS: u32 = 200_000;
/// Few common multiples, so that arrivals often coincide and seldom lie close.
const PERIODS_MS: [u64; 6] = [60, 80, 120, 160, 240, 480];

/// The first set from `seed` on that is beyond doubt for `duration`.
pub fn tasks(seed: u64, configuration: &Configuration, duration: Duration) -> Result<Tasks, String> {
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..DRAWS {
        let tasks = drawn(&mut random, configuration);
        let events = simulated::events(&tasks, configuration, duration)?;
        let queues = 0..configuration.clusters.len() as u64;
        // A set in which nobody is ever preempted shows little.
        let is_lively = events.iter().any(|event| event.event == "preemption");
        if is_lively && queues.into_iter().all(|queue| compare::doubt_in(queue, &events).is_none()) {
            return Ok(tasks);
        }
    }
    Err(format!(
        "seed {seed}: none of {DRAWS} sets has its instants apart for the whole run: give a shorter --duration"
    ))
}

/// One task more than there are processors, or up to twice as many; each costs a tenth to nine tenths of its period.
fn drawn(random: &mut fastrand::Rng, configuration: &Configuration) -> Tasks {
    let processors = configuration.processors() as usize;
    let count = random.usize(processors + 1..=2 * processors + 1);
    let queues = configuration.clusters.len() as u32;
    let task = |random: &mut fastrand::Rng| {
        let period = PERIODS_MS[random.usize(..PERIODS_MS.len())];
        Task::implicit(random.u64(period / 10..=period * 9 / 10) * 1_000_000, period * 1_000_000)
    };
    Tasks {
        tasks: (0..count).map(|_| task(random)).collect(),
        queues: (0..count).map(|_| random.u32(..queues)).collect(),
        ..Tasks::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_set_whose_instants_lie_apart() {
        let configuration = Configuration { criterion: "EarliestDeadlineFirst".into(), clusters: vec![1, 1] };
        let duration = Duration::from_ms(300);
        let set = tasks(3, &configuration, duration).unwrap();
        assert_eq!(tasks(3, &configuration, duration).unwrap(), set);
        let events = simulated::events(&set, &configuration, duration).unwrap();
        assert!((0..2).all(|queue| compare::doubt_in(queue, &events).is_none()));
    }
}
