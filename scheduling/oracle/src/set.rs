//! Exact sums over small sets.

use prazo_core::task::Task;

/// The least common multiple of the periods, small as they are in tests.
pub fn hyperperiod(tasks: &[Task]) -> i64 {
    fn gcd(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    tasks.iter().fold(1, |multiple, task| multiple / gcd(multiple, task.period) * task.period) as i64
}

/// True if the utilization is at most `processors`.
pub fn fits(tasks: &[Task], processors: u64) -> bool {
    let whole = hyperperiod(tasks) as u64;
    tasks.iter().map(|task| whole / task.period * task.cost).sum::<u64>() <= processors * whole
}

/// The same set with all its times `factor` times as long: arrivals at whole ticks of it are arrivals at parts of a tick.
pub fn scaled(tasks: &[Task], factor: u64) -> Vec<Task> {
    let scaled = |task: &Task| {
        let Task { cost, period, deadline, jitter, .. } = *task;
        Task { jitter: jitter * factor, ..Task::new(cost * factor, period * factor, deadline * factor) }
    };
    tasks.iter().map(scaled).collect()
}
