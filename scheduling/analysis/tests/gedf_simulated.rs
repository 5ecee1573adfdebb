//! What a test for global EDF proves is never seen to miss, and sets that other tools accepted wrongly are not proven.

use prazo_analysis::gedf::{Test, apply};
use prazo_analysis::{Budget, Finding, Task, TaskSet, TimeModel};
use prazo_oracle::{Order, first_miss};

const BUDGET: u64 = 5_000_000;

fn find(test: Test, tasks: &[Task], processors: u32, units: u64) -> Finding {
    apply(test, TaskSet::new(tasks).unwrap(), processors, TimeModel::Continuous, &mut Budget::new(units))
}

fn first_proof(tasks: &[Task], processors: u32) -> Option<Finding> {
    Test::VALUES.iter().map(|test| find(*test, tasks, processors, BUDGET)).find(Finding::is_proven)
}

/// Up to seven tasks with T <= 12; every second set may have D > T.
fn small_set(random: &mut fastrand::Rng) -> Vec<Task> {
    let times = if random.bool() { 1 } else { 4 };
    let task = |random: &mut fastrand::Rng| {
        let period = random.u64(2..13);
        let cost = random.u64(1..=period.div_ceil(2));
        Task::new(cost, period, random.u64(cost..=times * period))
    };
    (0..random.usize(2..8)).map(|_| task(random)).collect()
}

#[test]
fn no_proven_set_misses_in_the_synchronous_schedule() {
    let seed = 89;
    let mut random = fastrand::Rng::with_seed(seed);
    let mut proven = 0;
    for _ in 0..10_000 {
        let (tasks, processors) = (small_set(&mut random), random.u32(2..5));
        if let Some(finding) = first_proof(&tasks, processors) {
            let miss = first_miss(&tasks, processors, Order::EdfThenTask, 2_000);
            assert_eq!(miss, None, "{tasks:?} on {processors}: {finding:?}, seed {seed}");
            proven += 1;
        }
    }
    assert!(proven > 1_000, "only {proven} proven, seed {seed}");
}

/// C, T, D.
type Times = (u64, u64, u64);

/// Sets with D > T that a well-known tool accepts and that miss on two processors, with the deadline missed.
const WRONGLY_ACCEPTED: [(&[Times], i64); 6] = [
    (&[(1, 6, 5), (1, 3, 2), (24, 25, 66)], 341),
    (&[(2, 7, 13), (8, 8, 26), (5, 10, 11)], 482),
    (&[(2, 6, 6), (1, 6, 6), (26, 27, 77)], 401),
    (&[(1, 4, 4), (1, 4, 4), (5, 5, 27)], 97),
    (&[(1, 2, 2), (7, 9, 32), (1, 2, 2)], 77),
    (&[(2, 9, 7), (1, 6, 4), (28, 29, 107)], 3790),
];

#[test]
fn sets_that_other_tools_accepted_and_that_miss_are_not_proven() {
    for (tasks, missed) in WRONGLY_ACCEPTED {
        let tasks: Vec<Task> = tasks.iter().map(|(c, t, d)| Task::new(*c, *t, *d)).collect();
        assert_eq!(first_miss(&tasks, 2, Order::EdfThenTask, 4_000), Some(missed), "{tasks:?}");
        assert_eq!(first_proof(&tasks, 2), None, "{tasks:?}");
    }
}

#[test]
fn dhalls_effect_is_not_proven() {
    // m light tasks with the earlier deadline keep every processor from the heavy one until it is too late.
    let tasks = [Task::implicit(2, 10), Task::implicit(2, 10), Task::implicit(10, 11)];
    assert_eq!(first_miss(&tasks, 2, Order::EdfThenTask, 100), Some(11));
    assert_eq!(first_proof(&tasks, 2), None);
}

#[test]
fn a_spent_budget_is_unknown_and_the_same_each_time() {
    let tasks: Vec<Task> = (0..40).map(|i| Task::new(400 + i, 10_007 + 13 * i, 9_001 + 7 * i)).collect();
    for test in [Test::Load, Test::FfDbf, Test::Bar] {
        let finding = |units| find(test, &tasks, 2, units);
        assert!(finding(1_000_000).is_proven());
        assert_eq!(finding(79).reason, prazo_analysis::Reason::BudgetSpent);
        assert_eq!((finding(79), finding(79).work), (finding(79), 79));
    }
}

#[test]
fn the_largest_times_a_set_may_have_are_computed_with() {
    let most = prazo_analysis::TICKS_MAX;
    let sets = [
        vec![Task::new(most, most, most); 3],
        vec![Task::new(most / 3, most, most - 1); 8],
        vec![Task::new(most / 2 - 1, most, most / 2); 9],
        vec![Task::new(1, most, most), Task::new(most, most, most), Task::new(most - 1, most, most - 1)],
    ];
    for tasks in sets {
        for processors in [1, 2, 3, 1 << 16, u32::MAX] {
            for &test in Test::VALUES {
                let finding = find(test, &tasks, processors, 1_000_000);
                assert!(finding.work <= 1_000_000, "{finding:?}");
            }
        }
    }
}
