//! Task sets as papers/004 section IV draws them, for benchmarks: many light tasks with periods of whole milliseconds.

use prazo_analysis::Task;

/// A set with periods uniform in 3..33 ms, utilizations uniform in [0.001, 0.1] and D = T, in microseconds, filled up to a
/// utilization of `millis` thousandths: the last task is shrunk to fit and left out where nothing of it remains.
pub fn set(random: &mut fastrand::Rng, millis: u64) -> Vec<Task> {
    const UNIT: u64 = 1 << 32;
    let (mut tasks, mut left) = (Vec::new(), millis * UNIT / 1000);
    loop {
        let period = random.u64(3..=33) * 1000;
        let drawn = random.u64(UNIT / 1000..=UNIT / 10);
        let cost = drawn.min(left) * period / UNIT;
        if cost > 0 {
            tasks.push(Task::implicit(cost, period));
        }
        if drawn >= left {
            return tasks;
        }
        left -= (cost * UNIT).div_ceil(period).min(left);
    }
}
