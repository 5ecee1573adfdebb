//! BAR, LOAD and FF-DBF beside the reference's verdicts on its 900 task sets.

#[path = "../../../testing/shared.rs"]
mod shared;

use prazo_analysis::{Budget, Finding, Task, TaskSet, gedf};
use serde_json::Value;

struct Record {
    id: String,
    processors: u32,
    tasks: Vec<Task>,
    /// No task has D > T.
    constrained: bool,
    /// One character for each test.
    verdicts: String,
    missed: bool,
}

fn record(line: &str) -> Record {
    let value: Value = serde_json::from_str(line).unwrap();
    let tasks = value["t"].as_array().unwrap().iter().map(|task| {
        let field = |at: usize| task.get(at).and_then(Value::as_u64);
        let period = field(1).unwrap();
        Task::new(field(0).unwrap_or(0), period, field(2).unwrap_or(period))
    });
    Record {
        id: value["id"].as_str().unwrap().to_owned(),
        processors: value["m"].as_u64().unwrap() as u32,
        tasks: tasks.collect(),
        constrained: value["dl"] != "a",
        verdicts: value["v"].as_str().unwrap().to_owned(),
        missed: value["sim"].as_u64().is_some_and(|deadline| deadline > 0),
    }
}

/// The records that can be computed with: the reference refuses a cost of zero with a verdict, a task set does so by name.
fn records() -> Option<Vec<Record>> {
    let text = std::fs::read_to_string(shared::shared("data/schedcat/schedcat-gedf.jsonl")?).unwrap();
    Some(text.lines().map(record).filter(|record| TaskSet::new(&record.tasks).is_ok()).collect())
}

type Tested = fn(TaskSet<'_>, u32, &mut Budget) -> Finding;

fn find(test: Tested, record: &Record) -> Finding {
    test(TaskSet::new(&record.tasks).unwrap(), record.processors, &mut Budget::new(5_000_000))
}

/// Whether the reference accepted; `None` where it gave up.
fn reference(record: &Record, column: usize) -> Option<bool> {
    match record.verdicts.as_bytes()[column] {
        b'-' => None,
        verdict => Some(verdict == b'1'),
    }
}

#[test]
fn bar_says_exactly_what_the_reference_says() {
    let Some(records) = records() else { return };
    for record in records.iter().filter(|record| record.constrained) {
        let (found, expected) = (find(gedf::bar::test, record), reference(record, 5));
        assert!(expected.is_none_or(|expected| expected == found.is_proven()), "{}: {found:?}", record.id);
    }
}

/// The sets that `test` proves beyond the reference; panics where it proves less.
fn more_than_the_reference(test: Tested, column: usize) -> Vec<String> {
    let mut gained = Vec::new();
    for record in records().unwrap_or_default().iter().filter(|record| record.constrained) {
        let (found, expected) = (find(test, record), reference(record, column) == Some(true));
        assert!(found.is_proven() || !expected, "{}: {found:?}", record.id);
        gained.extend((found.is_proven() && !expected).then(|| record.id.clone()));
    }
    gained
}

#[test]
fn an_exact_load_proves_at_least_what_the_reference_proves() {
    eprintln!("LOAD proves more: {:?}", more_than_the_reference(gedf::load::test, 7));
}

#[test]
fn ff_dbf_without_a_grid_proves_at_least_what_the_reference_proves() {
    eprintln!("FF-DBF proves more: {:?}", more_than_the_reference(gedf::ffdbf::test, 6));
}

#[test]
fn no_accepted_set_misses_in_the_references_simulation() {
    let Some(records) = records() else { return };
    for record in records.iter().filter(|record| record.missed) {
        for test in [gedf::bar::test as Tested, gedf::load::test, gedf::ffdbf::test] {
            let found = find(test, record);
            assert!(!found.is_proven(), "{}: {found:?}", record.id);
        }
    }
}
