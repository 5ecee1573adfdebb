//! What is wrong ends on the console with its reason, and the machine with a failure.

use crate::machine::{Shift, boot};

fn is_refused(processors: u32, words: &str, reason: &str) {
    let Some(ended) = boot("clustered-edf", processors, Shift(3), words) else { return };
    let text = String::from_utf8_lossy(&ended.console).into_owned();
    assert!(!ended.ending.is_pass() && ended.ending.value().is_some(), "{words}: {}\n{text}", ended.ending);
    assert!(text.contains(reason), "{words}: {text}");
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
}

#[test]
fn a_stack_that_grows_too_long_faults_on_its_guard_page() {
    is_refused(4, "overflow", "stack 0 is too short: page fault");
}
