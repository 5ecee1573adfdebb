//! Verdicts of a public tool on 500 sets, test by test (shared data, schedcat/README.md says how to compare).
//!
//! The tool takes arrivals at whole ticks, so it is compared in discrete time.

use prazo_analysis::gedf::{Test, apply};
use prazo_analysis::{Budget, DeadlineKind, Task, TaskSet, TimeModel};
use prazo_testing::data;
use serde_json::Value;

/// How our verdict must relate to the reference's where D <= T.
#[derive(Clone, Copy, PartialEq)]
enum Agreement {
    /// The same verdict.
    Exact,
    /// At least as many sets proven; ours has no grid where the reference's has.
    AtLeast,
}

/// The tests by their place in the reference's answer.
const COLUMNS: [(usize, Test, Agreement); 8] = [
    (0, Test::Bak, Agreement::Exact),
    (1, Test::Gfb, Agreement::Exact),
    (2, Test::Bcl, Agreement::Exact),
    (3, Test::Bcli, Agreement::Exact),
    (4, Test::Rta, Agreement::Exact),
    (5, Test::Bar, Agreement::Exact),
    (6, Test::FfDbf, Agreement::AtLeast),
    (7, Test::Load, Agreement::AtLeast),
];

struct Record {
    id: String,
    processors: u32,
    tasks: Vec<Task>,
    verdicts: Vec<u8>,
    /// A job was seen to miss.
    misses: bool,
}

impl Record {
    fn read(line: &str) -> Self {
        let value: Value = serde_json::from_str(line).unwrap();
        Self {
            id: value["id"].as_str().unwrap().to_owned(),
            processors: value["m"].as_u64().unwrap() as u32,
            tasks: value["t"].as_array().unwrap().iter().map(task).collect(),
            verdicts: value["v"].as_str().unwrap().into(),
            misses: value["sim"].as_u64().is_some_and(|instant| instant > 0),
        }
    }

    fn proves(&self, test: Test, time: TimeModel) -> bool {
        let set = TaskSet::new(&self.tasks).unwrap();
        apply(test, set, self.processors, time, &mut Budget::new(50_000_000)).is_proven()
    }
}

fn task(value: &Value) -> Task {
    let number = |index: usize| value[index].as_u64();
    let (cost, period) = (number(0).unwrap(), number(1).unwrap());
    Task::new(cost, period, number(2).unwrap_or(period))
}

fn records() -> Vec<Record> {
    data::text("schedcat/schedcat-gedf.jsonl").lines().map(Record::read).collect()
}

#[test]
fn verdicts_for_constrained_deadlines_agree_with_the_reference() {
    let mut disagreements = Vec::new();
    let (mut proven, mut lost) = ([0; COLUMNS.len()], [0; COLUMNS.len()]);
    for record in records().iter().filter(|record| DeadlineKind::of(&record.tasks) != DeadlineKind::Arbitrary) {
        for ((count, lost), (column, test, agreement)) in proven.iter_mut().zip(&mut lost).zip(COLUMNS) {
            let (ours, theirs) = (record.proves(test, TimeModel::Discrete), record.verdicts[column] == b'1');
            *count += u32::from(ours);
            let holds_between_ticks = record.proves(test, TimeModel::Continuous);
            assert!(ours || !holds_between_ticks, "{} {}: proven in continuous time only", record.id, test.name());
            *lost += u32::from(ours && !holds_between_ticks);
            if ours != theirs && !(agreement == Agreement::AtLeast && ours) {
                disagreements.push(format!("{} {}: ours {ours}, reference {theirs}", record.id, test.name()));
            }
        }
    }
    let named = |counts: [u32; COLUMNS.len()]| {
        COLUMNS.map(|(_, test, _)| test.name()).into_iter().zip(counts).collect::<Vec<_>>()
    };
    println!("proven: {:?}", named(proven));
    println!("of these not in continuous time: {:?}", named(lost));
    assert!(disagreements.is_empty(), "{} disagree:\n{}", disagreements.len(), disagreements.join("\n"));
}

#[test]
fn no_set_that_misses_in_simulation_is_proven() {
    for record in records().iter().filter(|record| record.misses) {
        for (_, test, _) in COLUMNS {
            for &time in TimeModel::VALUES {
                assert!(!record.proves(test, time), "{} proves {}, which misses", test.name(), record.id);
            }
        }
    }
}
