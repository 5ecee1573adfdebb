//! The reference verdicts: what a published test accepts has a certificate, and what it does not accept has none.

use crate::{TESTS, claim, is_shown, question};
use prazo_analysis::question::{JobRanking, Question};
use prazo_analysis::{DeadlineKind, Task, TaskSet, TimeModel};
use prazo_testing::data;
use serde_json::Value;

/// The tests in the order of the characters of `v`; the ninth is a test that is not ours.
const COLUMNS: [&str; 8] = ["BAK", "GFB", "BCL", "BCLI", "RTA", "BAR", "FF-DBF", "LOAD"];

/// The records of one file of the reference data.
pub(crate) fn records(name: &str) -> Vec<Value> {
    data::text(&format!("schedcat/{name}")).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// `[C,T]`, `[C,T,D]` or `[C,T,D,working set]`.
pub(crate) fn tasks(record: &Value) -> Vec<Task> {
    let task = |times: &Value| {
        let at = |place: usize| times.get(place).and_then(Value::as_u64);
        let period = at(1).unwrap();
        Task { working_set_kib: at(3).unwrap_or(0), ..Task::new(at(0).unwrap(), period, at(2).unwrap_or(period)) }
    };
    record["t"].as_array().unwrap().iter().map(task).collect()
}

#[test]
fn certificates_agree_with_the_reference_verdicts_of_global_edf() {
    let (mut shown, mut more) = ([0; COLUMNS.len()], [0; COLUMNS.len()]);
    for record in records("schedcat-gedf.jsonl") {
        let tasks = tasks(&record);
        if TaskSet::new(&tasks).is_err() {
            continue;
        }
        let processors = record["m"].as_u64().unwrap() as u32;
        let question = Question { time: TimeModel::Discrete, ..question(&tasks, JobRanking::Edf, processors) };
        for (place, test) in COLUMNS.into_iter().enumerate() {
            let accepted = is_shown(&question, test);
            let id = record["id"].as_str().unwrap();
            assert!(!accepted || record["sim"].as_u64().unwrap_or(0) == 0, "{id} {test}: a job misses");
            if DeadlineKind::of(&tasks) == DeadlineKind::Arbitrary {
                continue;
            }
            let expected = record["v"].as_str().unwrap().as_bytes()[place] == b'1';
            let may_be_finer = ["FF-DBF", "LOAD"].contains(&test);
            assert!(accepted == expected || accepted && may_be_finer, "{id} {test}: {accepted} {tasks:?}");
            shown[place] += usize::from(accepted);
            more[place] += usize::from(accepted && !expected);
        }
    }
    println!("shown, and more than the reference: {COLUMNS:?} {shown:?} {more:?}");
}

/// The condition holds wherever some dbf steps, which the paper says is enough, and fails between: task 3, A = 2, 19 > 18.
#[test]
fn bar_is_not_shown_where_its_condition_fails_between_steps() {
    let tasks = [Task::implicit(1, 9), Task::implicit(7, 17), Task::implicit(11, 17), Task::implicit(13, 17)];
    assert_eq!(claim(&question(&tasks, JobRanking::Edf, 3), "BAR"), None);
}

/// The sets with D > T that other tools accept although a job misses; no test for global EDF shows one.
#[test]
fn sets_that_other_tools_accept_wrongly_are_not_shown() {
    let sets: [&[(u64, u64, u64)]; 7] = [
        &[(1, 6, 5), (1, 3, 2), (24, 25, 66)],
        &[(2, 7, 13), (8, 8, 26), (5, 10, 11)],
        &[(2, 6, 6), (1, 6, 6), (26, 27, 77)],
        &[(1, 4, 4), (1, 4, 4), (5, 5, 27)],
        &[(1, 2, 2), (7, 9, 32), (1, 2, 2)],
        &[(2, 9, 7), (1, 6, 4), (28, 29, 107)],
        &[(1, 10, 10), (1, 10, 10), (11, 11, 11)],
    ];
    for set in sets {
        let tasks: Vec<Task> = set.iter().map(|&(cost, period, deadline)| Task::new(cost, period, deadline)).collect();
        for &test in TESTS {
            assert!(!is_shown(&question(&tasks, JobRanking::Edf, 2), test), "{test} {set:?}");
        }
    }
    let alone = [Task::new(6, 12, 9), Task::new(1, 2, 3)];
    assert!(TESTS.iter().chain(&["QPA"]).all(|test| !is_shown(&question(&alone, JobRanking::Edf, 1), test)));
}

#[test]
fn bins_of_the_reference_partitions_have_certificates() {
    let mut bins = 0;
    for record in records("schedcat-partition.jsonl") {
        let tasks = tasks(&record);
        for heuristic in ["ffd", "wfd", "bfd"] {
            let assignment: Vec<i64> = serde_json::from_value(record[heuristic][1].clone()).unwrap();
            for bin in 0..record["m"].as_i64().unwrap() {
                let members = tasks.iter().zip(&assignment).filter(|(_, to)| **to == bin);
                let members: Vec<Task> = members.map(|(task, _)| *task).collect();
                if members.is_empty() {
                    continue;
                }
                let question = question(&members, JobRanking::Edf, 1);
                let text = claim(&question, "QPA").unwrap_or_else(|| panic!("{} {members:?}", record["id"]));
                prazo_checker::check(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
                bins += 1;
            }
        }
    }
    println!("{bins} bins shown");
}
