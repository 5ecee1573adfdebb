//! The threads of a scenario: those of the command line, or those built into the kernel.

use crate::configuration::QUEUES;
use crate::run::Periodic;
use crate::words;
use prazo_core::time::Duration;

/// The longest time that a task may name: an hour, so that sums of a run stay small.
const LONGEST_US: u64 = 3_600_000_000;

/// Cost, period and deadline of each task, in milliseconds, where the command line names none.
const BUILT_IN: [[u64; 3]; 6] = [[6, 20, 20], [10, 40, 40], [24, 60, 60], [6, 24, 24], [20, 80, 80], [14, 120, 120]];

/// Hands every thread of the scenario to `admit`, checked; panics with the reason where one cannot be.
pub fn threads(admit: impl FnMut(Periodic)) {
    if words::tasks().next().is_some() {
        words::tasks().enumerate().map(|(number, task)| told(number, task)).for_each(admit);
    } else {
        BUILT_IN.iter().enumerate().map(|(number, task)| built_in(number, *task)).for_each(admit);
    }
}

fn built_in(number: usize, [cost, period, deadline]: [u64; 3]) -> Periodic {
    told(number, [cost * 1_000, period * 1_000, deadline * 1_000, 0, (number % QUEUES) as u64])
}

fn told(number: usize, [cost, period, deadline, offset, queue]: [u64; words::NUMBERS]) -> Periodic {
    for (name, value) in [("cost", cost), ("period", period), ("deadline", deadline)] {
        assert!(value > 0 && value <= LONGEST_US, "task {number}: {name} is {value} us, not 1 to {LONGEST_US}");
    }
    assert!(offset <= LONGEST_US, "task {number}: offset is {offset} us, more than {LONGEST_US}");
    assert!(cost <= period, "task {number}: cost {cost} us is longer than its period {period} us");
    assert!(queue < QUEUES as u64, "task {number}: queue {queue} is not one of the {QUEUES} of this kernel");
    Periodic {
        cost: Duration::from_us(cost),
        period: Duration::from_us(period),
        relative_deadline: Duration::from_us(deadline),
        offset: Duration::from_us(offset),
        queue: queue as usize,
    }
}
