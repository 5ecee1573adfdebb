//! What is wrong ends on the console with its reason, and the machine with a failure.

use crate::machine::{Shift, boot, boot_with};
use prazo_core::overrun::OverrunPolicy;
use prazo_core::time::Duration;
use prazo_lab::BootOutcome;
use prazo_scenario::binary::{TaskRecord, bytes};

fn is_refused(processors: u32, words: &str, reason: &str) {
    if let Ok(ended) = boot("clustered-edf", processors, Shift(3), words) {
        has_said(&ended, reason);
    }
}

fn has_said(ended: &BootOutcome, reason: &str) {
    let text = String::from_utf8_lossy(&ended.console).into_owned();
    assert!(!ended.ending.is_pass() && ended.ending.value().is_some(), "{}\n{text}", ended.ending);
    assert!(text.contains(reason), "not '{reason}': {text}");
}

const TASK: TaskRecord = TaskRecord {
    cost: Duration::from_ms(2),
    period: Duration::from_ms(10),
    relative_deadline: Duration::from_ms(10),
    offset: Duration::ZERO,
    jobs: None,
    server: None,
    priority: 0,
    queue: 1,
    overrun: OverrunPolicy::Continue,
};

/// Hands `table` to a kernel with two queues on four processors, which must end with `reason`.
fn table_is_refused(words: &str, table: &[u8], reason: &str) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), table).unwrap();
    if let Ok(ended) = boot_with("clustered-edf", 4, Shift(3), words, Some(file.path().to_owned())) {
        has_said(&ended, reason);
    }
}

#[test]
fn fewer_processors_than_the_shape_has_are_refused() {
    is_refused(2, "scenario", "the shape has 4 processors, this machine 2");
}

#[test]
fn a_scenario_that_cannot_be_is_refused() {
    is_refused(4, "scenario task=2000,1000,1000,0,0", "task 0: cost 2000 us is longer than its period 1000 us");
    is_refused(4, "scenario task=1000,9000,9000,0,0 task=1000,9000,9000,0,2", "task 1: queue 2 is not one of the 2");
    is_refused(4, "scenario task=1000,9000", "a task has 5 numbers");
    is_refused(4, "measure threads=128", "a run has at most 127 threads");
    is_refused(4, "nonsense", "the first word is none of");
    is_refused(4, "measure thread=5", "'thread' is none of this kernel's words");
    is_refused(4, "measure seed=18446744073709551616", "the value of 'seed' is no number of 64 bits");
    is_refused(4, "measure seed=5x", "the value of 'seed' is no whole number");
}

#[test]
fn a_table_that_was_damaged_is_refused() {
    let good = bytes(4, 2, &[TASK, TASK]).unwrap();
    let changed = |at: usize, to: u8| {
        let mut table = good.clone();
        table[at] = to;
        table
    };
    table_is_refused("scenario", &changed(0, b'p'), "this is not a task table: it does not begin with PRAZOSET");
    table_is_refused("scenario", &changed(8, 2), "the task table has version 2, but only version 1 is supported");
    table_is_refused("scenario", &good[..100], "the task table has 100 bytes, but 156 are expected");
    table_is_refused("scenario", &changed(30, 1), "the task table is damaged: its checksum is");
}

#[test]
fn a_table_that_this_kernel_cannot_take_is_refused() {
    let global = bytes(4, 1, &[TaskRecord { queue: 0, ..TASK }]).unwrap();
    table_is_refused("scenario", &global, "the task table is for 1 queues on 4 processors, this kernel has 2 on 4");
    let good = bytes(4, 2, &[TASK]).unwrap();
    table_is_refused("measure threads=5", &good, "a task table is handed over, and only 'scenario' takes one");
    table_is_refused("scenario task=1000,9000,9000,0,0", &good, "the command line has tasks too");
    let crowd = bytes(4, 2, &[TASK; 128]).unwrap();
    table_is_refused("scenario", &crowd, "a run has at most 127 threads");
}

#[test]
fn a_stack_that_grows_too_long_faults_on_its_guard_page() {
    is_refused(4, "overflow", "stack 0 is too short: page fault");
}

#[test]
fn a_mutex_is_refused_to_a_thread_of_another_queue() {
    is_refused(4, "stray", "mutex 0 is for threads of queue 0, and thread 0 is of queue 1");
}
