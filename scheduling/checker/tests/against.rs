//! A certificate beside a scenario: the same, or each difference by name.

use prazo_checker::{Accepted, JobRanking, Priorities, Scenario};
use prazo_core::overheads::{Overhead, Overheads};
use prazo_core::ratio::Ratio;
use prazo_core::task::Task;

const PAGE: &str = include_str!("../../../docs/certificates.md");

/// The first certificate of the format's page: three tasks on two processors under global EDF.
fn accepted() -> Accepted {
    let text = PAGE.split("```\n").find(|block| block.starts_with("prazo-certificate")).unwrap();
    prazo_checker::check(text).unwrap()
}

const TASKS: [Task; 3] = [Task::new(2, 6, 5), Task::new(3, 8, 8), Task::new(4, 12, 10)];

/// A scenario with these tasks that leaves everything else open.
fn scenario(tasks: &[Task]) -> Scenario<'_> {
    Scenario { tasks, processors: None, queues: None, policy: None, places: None, behaviours: None, overheads: None }
}

fn rejections(scenario: &Scenario<'_>) -> Vec<String> {
    accepted().differences(scenario).iter().map(ToString::to_string).collect()
}

#[test]
fn the_scenario_that_was_certified_does_not_differ() {
    assert!(rejections(&scenario(&TASKS)).is_empty());
    let stated = Scenario {
        processors: Some(2),
        queues: Some(&[2]),
        policy: Some(&JobRanking::Edf),
        places: Some(&[None, Some(0), None]),
        ..scenario(&TASKS)
    };
    assert!(rejections(&stated).is_empty());
}

#[test]
fn each_changed_number_of_a_task_is_named() {
    let mut tasks = TASKS;
    tasks[1] = Task { jitter: 1, working_set_kib: 64, ..Task::new(4, 9, 7) };
    let in_both =
        |field, ours, theirs| format!("{field} of task 1: {ours} in the certificate, {theirs} in the scenario");
    let expected = [("cost", 3, 4), ("period", 8, 9), ("deadline", 8, 7), ("jitter", 0, 1), ("working set", 0, 64)];
    assert_eq!(rejections(&scenario(&tasks)), expected.map(|(field, ours, theirs)| in_both(field, ours, theirs)));
    assert_eq!(rejections(&scenario(&TASKS[..2])), ["number of tasks: 3 in the certificate, 2 in the scenario"]);
    let other_order = [TASKS[0], TASKS[2], TASKS[1]];
    assert_eq!(rejections(&scenario(&other_order)).len(), 6);
}

#[test]
fn other_processors_policies_places_and_overheads_are_named() {
    let policy = JobRanking::FixedPriority(Priorities::RateMonotonic);
    let overheads = Overheads { release: Overhead::constant(Ratio::ONE), tick_period: Some(4), ..Overheads::NONE };
    let other = Scenario {
        processors: Some(3),
        queues: Some(&[1, 1, 1]),
        policy: Some(&policy),
        places: Some(&[None, None, Some(1)]),
        overheads: Some(overheads),
        ..scenario(&TASKS)
    };
    assert_eq!(
        rejections(&other),
        [
            "processors: 2 in the certificate, 3 in the scenario",
            "processors of each ready queue: 2 in the certificate; 1, 1, 1 in the scenario",
            "policy: EDF in the certificate, rate-monotonic priorities in the scenario",
            "ready queue of task 2: 0 in the certificate, 1 in the scenario",
            "overhead `release`: the scenario has this overhead, and the certificate charges no overheads",
            "overhead `tick-period`: the scenario has this overhead, and the certificate charges no overheads",
        ]
    );
    let policy = JobRanking::FixedPriority(Priorities::AnyOrder);
    assert_eq!(
        rejections(&Scenario { policy: Some(&policy), ..scenario(&TASKS) }),
        ["policy: EDF in the certificate, fixed priorities in any order in the scenario"]
    );
}
