//! 900 sets whose answers another tool gave: its records go in as they are, and what comes out is compared field by field.
//!
//! The folder's own description says what must agree to the last digit, and what a finer parameter may improve.

use crate::{lines, list, sched};
use prazo_testing::data;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One record with its answer.
struct Pair {
    record: Value,
    answer: Value,
}

/// In the order of the characters of `v`; the ninth is a test that is not ours.
const TESTS: [&str; 8] = ["BAK", "GFB", "BCL", "BCLI", "RTA", "BAR", "FF-DBF", "LOAD"];

/// Tests whose parameters are finer here than there, so that they may accept more.
const FINER: [&str; 2] = ["FF-DBF", "LOAD"];

/// Deadlines that only the reference's way to break ties misses: here, a tie goes to the task with the lower index.
const TIES: [&str; 1] = ["g103-600"];

/// Every record of `file` with its answer.
fn answered(file: &str, flags: &str) -> Vec<Pair> {
    let path = data::path(&format!("schedcat/{file}"));
    let records = lines(&std::fs::read_to_string(&path).expect("the records"));
    let answers = lines(&sched(&format!("test --batch {} {flags}", path.display())).expect_code(0).stdout);
    assert_eq!(answers.len(), records.len(), "one line out for each line in");
    records.into_iter().zip(answers).map(|(record, answer)| Pair { record, answer }).collect()
}

impl Pair {
    fn id(&self) -> &str {
        self.record["id"].as_str().expect("an id")
    }

    fn is(&self, field: &str, value: &str) -> bool {
        self.record[field] == value
    }

    /// The verdict of each test by its name.
    fn verdicts(&self) -> BTreeMap<&str, &str> {
        let rows = list(&self.answer["tests"]).iter();
        rows.filter_map(|row| row["name"].as_str().zip(row["verdict"].as_str())).collect()
    }

    /// The row of one packing heuristic.
    #[track_caller]
    fn packing(&self, name: &str) -> &Value {
        let found = list(&self.answer["partition"]).iter().find(|row| row["name"] == name);
        found.unwrap_or_else(|| panic!("{}: no packing is called {name}", self.id()))
    }

    /// True if the reference saw a job of this set end late.
    fn misses(&self) -> bool {
        self.record["sim"].as_u64().is_some_and(|deadline| deadline > 0)
    }
}

#[test]
fn every_record_is_answered_in_order_under_its_own_name() {
    for file in ["gedf", "partition", "overheads", "tardiness"] {
        let pairs = answered(&format!("schedcat-{file}.jsonl"), "");
        for pair in &pairs {
            assert_eq!(pair.answer["id"], pair.record["id"]);
            assert_eq!(pair.answer["error"], Value::Null, "{}", pair.id());
        }
    }
}

#[test]
fn six_tests_agree_with_the_reference_and_two_only_accept_more() {
    // The tool takes arrivals at whole ticks.
    let pairs = answered("schedcat-gedf.jsonl", "--all-tests --time discrete");
    let mut gained = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| !pair.is("dl", "a")) {
        let verdicts = pair.verdicts();
        let reference = pair.record["v"].as_str().expect("the reference's verdicts");
        for (name, theirs) in TESTS.into_iter().zip(reference.chars()) {
            let ours = verdicts[name] == "proven";
            let is_gain = ours && theirs == '0' && FINER.contains(&name);
            assert!(is_gain || ours == (theirs == '1'), "{}: {name} says {}, not {theirs}", pair.id(), verdicts[name]);
            *gained.entry(name).or_insert(0) += u32::from(is_gain);
        }
    }
    eprintln!("accepted here and not there: {gained:?}");
}

#[test]
fn no_set_that_was_seen_to_miss_is_proven() {
    let pairs = answered("schedcat-gedf.jsonl", "--all-tests");
    for pair in pairs.iter().filter(|pair| pair.misses()) {
        let proven: Vec<_> = pair.verdicts().into_iter().filter(|(_, verdict)| *verdict == "proven").collect();
        assert!(proven.is_empty(), "{}: {proven:?}", pair.id());
        let wanted = if TIES.contains(&pair.id()) { "unknown" } else { "disproven" };
        assert_eq!(pair.answer["verdict"], wanted, "{}", pair.id());
    }
}

#[test]
fn packings_and_their_bins_are_those_of_the_reference() {
    let pairs = answered("schedcat-partition.jsonl", "--all-tests");
    for pair in &pairs {
        for (short, name) in [("ffd", "first-fit"), ("wfd", "worst-fit"), ("bfd", "best-fit")] {
            let (row, wanted) = (pair.packing(name), &pair.record[short]);
            assert_eq!(row["assignment"], wanted[1], "{}: {name}", pair.id());
            assert_eq!(row["ok"], json!(wanted[0] == 1), "{}: {name}", pair.id());
        }
        for (short, name) in [("ffd_bins", "first-fit"), ("bfd_bins", "best-fit")] {
            assert_eq!(pair.packing(name)["bins"], pair.record[short], "{}: bins of {name}", pair.id());
        }
    }
}

#[test]
fn overheads_inflate_to_the_tick_as_in_the_reference() {
    let pairs = answered("schedcat-overheads.jsonl", "");
    for pair in pairs.iter().filter(|pair| pair.is("kind", "jlfp")) {
        let wanted = pair.record.get("exact_q").unwrap_or(&pair.record["q"]);
        assert_eq!(&pair.answer["inflated"], wanted, "{}", pair.id());
        let is_ok = pair.is("status", "ok");
        assert_eq!(pair.answer["inflated"].is_null(), !is_ok, "{}: {}", pair.id(), pair.record["status"]);
    }
}

#[test]
fn responses_under_fixed_priorities_are_those_of_the_reference() {
    let pairs = answered("schedcat-overheads.jsonl", "");
    for pair in pairs.iter().filter(|pair| pair.is("kind", "fp")) {
        for field in ["inflated", "response"] {
            assert_eq!(pair.answer[field], pair.record[field], "{}: {field}", pair.id());
        }
        let is_proven = pair.answer["verdict"] == "proven";
        assert_eq!(is_proven, pair.record["schedulable"] == 1, "{}: {}", pair.id(), pair.answer["verdict"]);
        assert_eq!(pair.answer["policy"], "fp", "kind says the policy");
    }
}

/// Our field, and the reference's.
const TARDINESS: [(&str, &str); 4] = [
    ("devi_anderson", "da_x"),
    ("devi_anderson_nonpreemptive", "da_np_x"),
    ("gedf_response", "gedf_pl"),
    ("gfl_response", "gfl_pl"),
];

#[test]
fn tardiness_bounds_on_several_processors_are_those_of_the_reference() {
    let pairs = answered("schedcat-tardiness.jsonl", "");
    for pair in pairs.iter().filter(|pair| pair.record["m"] != 1) {
        for (ours, theirs) in TARDINESS {
            let wanted = pair.record.get(theirs).unwrap_or(&Value::Null);
            assert_eq!(&pair.answer["tardiness"][ours], wanted, "{}: {ours}", pair.id());
        }
    }
}

/// On one processor EDF is exact where U <= 1, so that a response is at most the period; the reference says no more.
#[test]
fn responses_on_one_processor_are_at_most_the_periods() {
    let pairs = answered("schedcat-tardiness.jsonl", "");
    let served = |pair: &&Pair| pair.record["m"] == 1 && pair.record["over"] == 0;
    let mut compared = 0;
    for pair in pairs.iter().filter(served) {
        for field in ["gedf_response", "gfl_response"] {
            for (bound, task) in list(&pair.answer["tardiness"][field]).iter().zip(list(&pair.record["t"])) {
                assert!(bound.as_u64() <= task[1].as_u64(), "{}: {field} {bound} of {task}", pair.id());
            }
        }
        compared += 1;
    }
    assert!(compared > 0, "no record is of one processor");
}

#[test]
fn no_job_was_seen_later_than_its_bound_on_tardiness() {
    let pairs = answered("schedcat-tardiness.jsonl", "");
    for pair in &pairs {
        let tardiness = &pair.answer["tardiness"];
        assert_eq!(tardiness["bounded"], json!(!tardiness["bounds"].is_null()), "{}", pair.id());
        assert_eq!(tardiness["reason"].is_null(), !tardiness["bounds"].is_null(), "{}: no bound, no reason", pair.id());
        let Some(bounds) = tardiness["bounds"].as_array() else { continue };
        let largest = bounds.iter().filter_map(Value::as_u64).max();
        assert!(largest >= pair.record["sim_max_tardiness"].as_u64(), "{}: {largest:?}", pair.id());
    }
}
