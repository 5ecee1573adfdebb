//! Sets from the literature, and sets that well-known tools accept although they miss.

use super::{FIVE, proves};
use prazo_analysis::gedf::{self, Test};
use prazo_analysis::{Budget, DeadlineKind, Task, TaskSet, TimeModel};
use prazo_oracle::{Order, first_miss};

/// (C, T, D) of each task, processors, and the absolute deadline of the first job that global EDF makes late.
type Late = (&'static [(u64, u64, u64)], u32, i64);

/// A default combination that takes a test for D <= T as one for any deadline accepts the first two; a test with u_i or
/// C/D for lambda, or without max(0, T - D), the others. The last is one processor with demand 10 in 9 ticks.
const ACCEPTED_ELSEWHERE: [Late; 7] = [
    (&[(1, 6, 5), (1, 3, 2), (24, 25, 66)], 2, 341),
    (&[(2, 7, 13), (8, 8, 26), (5, 10, 11)], 2, 482),
    (&[(2, 6, 6), (1, 6, 6), (26, 27, 77)], 2, 401),
    (&[(1, 4, 4), (1, 4, 4), (5, 5, 27)], 2, 97),
    (&[(1, 2, 2), (7, 9, 32), (1, 2, 2)], 2, 77),
    (&[(2, 9, 7), (1, 6, 4), (28, 29, 107)], 2, 3790),
    (&[(6, 12, 9), (1, 2, 3)], 1, 9),
];

fn tasks(numbers: &[(u64, u64, u64)]) -> Vec<Task> {
    numbers.iter().map(|(cost, period, deadline)| Task::new(*cost, *period, *deadline)).collect()
}

#[test]
fn sets_that_miss_though_other_tools_accept_them_are_not_proven() {
    for (numbers, processors, late) in ACCEPTED_ELSEWHERE {
        let tasks = tasks(numbers);
        assert_eq!(first_miss(&tasks, processors, Order::EdfThenTask, 4_000), Some(late), "{numbers:?}");
        assert_eq!(DeadlineKind::of(&tasks), DeadlineKind::Arbitrary);
        assert!(FIVE.into_iter().all(|test| !proves(test, &tasks, processors)), "{numbers:?}");
    }
}

#[test]
fn dhall_effect() {
    // Dhall, Liu, Operations Research 26(1) 1978: m short tasks delay one with u near 1, at any small total
    // utilization.
    for m in 2..=16 {
        let mut tasks = vec![Task::implicit(2, 1_000); m as usize];
        tasks.push(Task::implicit(1_000, 1_001));
        assert_eq!(first_miss(&tasks, m, Order::EdfThenTask, 2_000), Some(1_001), "{m} processors");
        assert!(FIVE.into_iter().all(|test| !proves(test, &tasks, m)), "{m} processors");
    }
}

#[test]
fn baker_2003_takes_late_deadlines_that_the_others_do_not() {
    let tasks = tasks(&[(1, 4, 8), (1, 4, 8), (1, 5, 5)]);
    let proven: Vec<&str> = FIVE.into_iter().filter(|test| proves(*test, &tasks, 2)).map(Test::name).collect();
    assert_eq!(proven, ["BAK"]);
}

#[test]
fn one_processor_is_legal() {
    let full = [Task::implicit(1, 2), Task::implicit(1, 3), Task::implicit(1, 6)];
    assert!(proves(Test::Gfb, &full, 1), "U = 1 exactly, and m - (m - 1) delta = 1");
    assert!(FIVE.into_iter().all(|test| proves(test, &[Task::implicit(1, 3)], 1)));
}

#[test]
fn no_processor_proves_nothing_and_divides_nothing_by_zero() {
    assert!(FIVE.into_iter().all(|test| !proves(test, &[Task::implicit(1, 3)], 0)));
    let tasks = [Task::implicit(1, 3)];
    let set = TaskSet::new(&tasks).unwrap();
    let yes = |test| gedf::proves(test, set, 0, TimeModel::Continuous, &mut Budget::unlimited());
    assert!(!FIVE.into_iter().any(yes));
}

#[test]
fn gfb_is_met_with_equality() {
    // delta_sum = 5/3 and m - (m - 1) delta_max = 2 - 1/3.
    assert!(proves(Test::Gfb, &[Task::implicit(1, 3); 5], 2));
    assert!(!proves(Test::Gfb, &[Task::implicit(1, 3); 6], 2));
}
