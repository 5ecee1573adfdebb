//! The threads of a scenario: those of the table that the loader hands over, those of the command line, or those built in.

use crate::arch;
use crate::configuration::{PROCESSORS, QUEUES};
use crate::words;
use prazo_core::overrun::OverrunPolicy;
use prazo_core::time::Duration;
use prazo_scenario::binary::{LONGEST, TaskRecord, TaskTable};

/// Cost, period and deadline of each task, in milliseconds, where nobody says otherwise.
const BUILT_IN: [[u64; 3]; 6] = [[6, 20, 20], [10, 40, 40], [24, 60, 60], [6, 24, 24], [20, 80, 80], [14, 120, 120]];

/// Hands every thread of the scenario to `admit`, checked; panics with the reason where one cannot be.
pub fn threads(admit: impl FnMut(TaskRecord)) {
    let has_words = words::tasks().next().is_some();
    match arch::handed_over() {
        Some(_) if has_words => panic!("a task table is handed over, and the command line has tasks too: which?"),
        Some(bytes) => table(bytes).tasks().for_each(admit),
        None if has_words => words::tasks().enumerate().map(|(number, task)| notified(number, task)).for_each(admit),
        None => BUILT_IN.iter().enumerate().map(|(number, task)| built_in(number, *task)).for_each(admit),
    }
}

/// The table in `bytes`, which must be made for this kernel's shape.
fn table(bytes: &'static [u8]) -> TaskTable<'static> {
    let table = TaskTable::read(bytes).unwrap_or_else(|why| panic!("{why}"));
    let (processors, queues) = (table.processors(), table.queues());
    assert!(
        (processors, queues) == (PROCESSORS, QUEUES),
        "the task table is for {queues} queues on {processors} processors, this kernel has {QUEUES} on {PROCESSORS}"
    );
    table
}

fn built_in(number: usize, [cost, period, deadline]: [u64; 3]) -> TaskRecord {
    notified(number, [cost * 1_000, period * 1_000, deadline * 1_000, 0, (number % QUEUES) as u64])
}

fn notified(number: usize, [cost, period, deadline, offset, queue]: [u64; words::NUMBERS]) -> TaskRecord {
    let longest_us = LONGEST.as_ns() / 1_000;
    for (name, value) in [("cost", cost), ("period", period), ("deadline", deadline)] {
        assert!(value > 0 && value <= longest_us, "task {number}: {name} is {value} us, not 1 to {longest_us}");
    }
    assert!(offset <= longest_us, "task {number}: offset is {offset} us, more than {longest_us}");
    assert!(cost <= period, "task {number}: cost {cost} us is longer than its period {period} us");
    assert!(queue < QUEUES as u64, "task {number}: queue {queue} is not one of the {QUEUES} of this kernel");
    TaskRecord {
        cost: Duration::from_us(cost),
        period: Duration::from_us(period),
        relative_deadline: Duration::from_us(deadline),
        offset: Duration::from_us(offset),
        jobs: None,
        server: None,
        priority: number as u32,
        queue: queue as u16,
        overrun: OverrunPolicy::Continue,
    }
}
