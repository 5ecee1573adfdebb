//! Whole traces of small task sets: what each policy and each shape does, event by event.

#[path = "support/stage.rs"]
mod stage;

use prazo_core::criterion::{EarliestDeadlineFirst, FirstComeFirstServed, RateMonotonic};
use stage::{Spec, implicit, trace};

#[test]
fn edf_preempts_at_an_earlier_deadline() {
    let tasks = [implicit(2, 10), Spec { offset: 1, ..implicit(1, 4) }];
    let expected = [
        "0 dispatch 0.0 on 0",
        "1 preemption 0.0 on 0",
        "1 dispatch 1.0 on 0",
        "2 completion 1.0 on 0",
        "2 dispatch 0.0 on 0",
        "3 completion 0.0 on 0",
        "5 dispatch 1.1 on 0",
        "6 completion 1.1 on 0",
    ];
    assert_eq!(trace(EarliestDeadlineFirst, &[1], &tasks, 8), expected);
}

#[test]
fn equal_deadlines_do_not_preempt_and_the_lower_index_goes_first() {
    let tasks = [Spec { offset: 2, ..implicit(1, 6) }, implicit(4, 8), implicit(1, 8)];
    let expected = [
        "0 dispatch 1.0 on 0",
        "4 completion 1.0 on 0",
        "4 dispatch 0.0 on 0",
        "5 completion 0.0 on 0",
        "5 dispatch 2.0 on 0",
        "6 completion 2.0 on 0",
    ];
    assert_eq!(trace(EarliestDeadlineFirst, &[1], &tasks, 8), expected);
}

#[test]
fn equal_periods_preempt_by_task_index_under_rate_monotonic() {
    let tasks = [Spec { offset: 2, ..implicit(1, 8) }, implicit(4, 8)];
    let expected = [
        "0 dispatch 1.0 on 0",
        "2 preemption 1.0 on 0",
        "2 dispatch 0.0 on 0",
        "3 completion 0.0 on 0",
        "3 dispatch 1.0 on 0",
        "5 completion 1.0 on 0",
    ];
    assert_eq!(trace(RateMonotonic, &[1], &tasks, 8), expected);
}

#[test]
fn first_come_first_served_preempts_nobody() {
    let tasks = [Spec { offset: 1, ..implicit(1, 9) }, implicit(3, 9)];
    let expected = ["0 dispatch 1.0 on 0", "3 completion 1.0 on 0", "3 dispatch 0.0 on 0", "4 completion 0.0 on 0"];
    assert_eq!(trace(FirstComeFirstServed, &[1], &tasks, 6), expected);
}

/// Dhall and Liu 1978: light tasks on every processor make the heavy one late, though little is to be done in all.
#[test]
fn dhall_effect_under_global_edf() {
    let tasks = [implicit(1, 5), implicit(1, 5), implicit(6, 6)];
    let expected = [
        "0 dispatch 0.0 on 0",
        "0 dispatch 1.0 on 1",
        "1 completion 0.0 on 0",
        "1 completion 1.0 on 1",
        "1 dispatch 2.0 on 0",
        "5 migration 0.1 on 1",
        "5 dispatch 0.1 on 1",
        "6 completion 0.1 on 1",
        "6 dispatch 1.1 on 1",
        "7 completion 2.0 on 0",
        "7 completion 1.1 on 1",
        "7 dispatch 2.1 on 0",
    ];
    assert_eq!(trace(EarliestDeadlineFirst, &[2], &tasks, 8), expected);
}

#[test]
fn partitions_keep_the_heavy_task_in_time() {
    let light = Spec { queue: 1, ..implicit(1, 5) };
    let expected = [
        "0 dispatch 2.0 on 0",
        "0 dispatch 0.0 on 1",
        "1 completion 0.0 on 1",
        "1 dispatch 1.0 on 1",
        "2 completion 1.0 on 1",
        "5 dispatch 0.1 on 1",
        "6 completion 2.0 on 0",
        "6 completion 0.1 on 1",
        "6 dispatch 2.1 on 0",
        "6 dispatch 1.1 on 1",
    ];
    assert_eq!(trace(EarliestDeadlineFirst, &[1, 1], &[light, light, implicit(6, 6)], 7), expected);
}

#[test]
fn unequal_clusters_keep_to_their_own_processors() {
    let second = |cost, period| Spec { queue: 1, ..implicit(cost, period) };
    let tasks = [implicit(3, 9), implicit(3, 8), implicit(3, 7), second(2, 6), second(2, 5)];
    let expected = [
        "0 dispatch 2.0 on 0",
        "0 dispatch 1.0 on 1",
        "0 dispatch 4.0 on 2",
        "2 completion 4.0 on 2",
        "2 dispatch 3.0 on 2",
        "3 completion 2.0 on 0",
        "3 completion 1.0 on 1",
        "3 dispatch 0.0 on 0",
        "4 completion 3.0 on 2",
        "5 dispatch 4.1 on 2",
        "6 completion 0.0 on 0",
    ];
    assert_eq!(trace(EarliestDeadlineFirst, &[2, 1], &tasks, 7), expected);
}

/// The least urgent makes room first; who was preempted comes back where it ran if that is idle, and else migrates.
#[test]
fn preempted_jobs_return_to_their_last_processor_or_migrate() {
    let late = |cost, period| Spec { offset: 1, ..implicit(cost, period) };
    let tasks = [implicit(2, 20), implicit(6, 21), late(4, 10), late(2, 11)];
    let expected = [
        "0 dispatch 0.0 on 0",
        "0 dispatch 1.0 on 1",
        "1 preemption 1.0 on 1",
        "1 dispatch 2.0 on 1",
        "1 preemption 0.0 on 0",
        "1 dispatch 3.0 on 0",
        "3 completion 3.0 on 0",
        "3 dispatch 0.0 on 0",
        "4 completion 0.0 on 0",
        "4 migration 1.0 on 0",
        "4 dispatch 1.0 on 0",
        "5 completion 2.0 on 1",
        "9 completion 1.0 on 0",
    ];
    assert_eq!(trace(EarliestDeadlineFirst, &[2], &tasks, 10), expected);
}
