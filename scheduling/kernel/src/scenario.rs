//! The scenario that is built into the kernel.

use crate::configuration::QUEUES;
use crate::run::Periodic;
use prazo_core::time::Duration;

/// Cost, period and deadline of each task, in milliseconds.
const TASKS: [[u64; 3]; 6] = [[6, 20, 20], [10, 40, 40], [24, 60, 60], [6, 24, 24], [20, 80, 80], [14, 120, 120]];

/// The threads of the scenario, dealt out to the queues in turn.
pub fn threads() -> impl Iterator<Item = Periodic> {
    TASKS.iter().enumerate().map(|(number, [cost, period, deadline])| Periodic {
        cost: Duration::from_ms(*cost),
        period: Duration::from_ms(*period),
        relative_deadline: Duration::from_ms(*deadline),
        offset: Duration::ZERO,
        queue: number % QUEUES,
    })
}
