//! What scripts read: every key is always there, and what decides is no rounded number.

use crate::scenarios::{SCHEDULERS, files, flags};
use crate::support::Desk;
use crate::support::schema::violation;
use crate::{checkout, lines, list, sched};
use serde_json::Value;

fn schema(name: &str) -> Value {
    let text = std::fs::read_to_string(checkout("docs/schema").join(name).with_extension("json")).expect("a schema");
    serde_json::from_str(&text).expect("JSON")
}

#[track_caller]
fn holds(schema: &Value, document: &Value, question: &str) {
    assert_eq!(violation(document, schema), None, "{question}");
}

/// Each file with each scheduler, as words.
fn questions() -> Vec<String> {
    let mut questions = Vec::new();
    for file in files() {
        let tied = flags(&file);
        let schedulers = SCHEDULERS.map(|(_, flags)| if tied.is_empty() { flags } else { tied });
        questions.extend(schedulers.map(|flags| format!("{} {flags}", file.display())));
    }
    questions
}

#[test]
fn every_answer_about_a_file_holds_to_its_schema() {
    let schema = schema("sched-test");
    for question in questions() {
        // Costs in high mode would have to change, too.
        let has_edge = question.contains("--policy edf") && !question.contains("mixed-criticality");
        let edge = if has_edge { "--all-tests --sensitivity" } else { "--all-tests" };
        for more in ["", edge] {
            let answer = sched(&format!("test {question} {more} --json"));
            holds(&schema, &answer.json(), &question);
            for one in list(&answer.json()) {
                consistent(one, &question);
            }
        }
    }
}

/// A verdict is said once and shown where it comes from.
#[track_caller]
fn consistent(answer: &Value, question: &str) {
    let tests = list(&answer["tests"]);
    let is_decided = answer["verdict"] != "unknown";
    assert!(is_decided || answer["decided_by"].is_null(), "{question}: {answer}");
    if let (Some(name), true) = (answer["decided_by"].as_str(), answer["shape"] == "global") {
        let decisive = tests.iter().find(|test| test["name"] == name).expect("the deciding test is listed");
        assert_eq!(decisive["verdict"], answer["verdict"], "{question}");
    }
    let contradicts = |test: &Value| is_decided && test["verdict"] != "unknown" && test["verdict"] != answer["verdict"];
    assert!(!tests.iter().any(contradicts), "{question}: tests contradict each other: {answer}");
    assert!(answer["verdict"].is_string(), "a verdict is a word");
}

#[test]
fn every_packing_holds_to_its_schema() {
    let schema = schema("sched-batch");
    for question in questions() {
        for more in ["", "--all-tests"] {
            holds(&schema, &sched(&format!("partition {question} {more} --json")).json(), &question);
        }
    }
}

/// A record of each kind, and lines that are none.
const RECORDS: &str = r#"{"id":"edf","m":2,"t":[[1,4],[2,6,5],[3,7,9]]}
{"id":"late","m":1,"t":[[3,4],[2,6,5]]}
{"id":"clusters","clusters":[1,2],"t":[[1,4],[2,6,5]]}
{"id":"fp","m":1,"kind":"fp","t":[[1,4],[2,6,5]],"oh":{"release":0.5,"tick":0.1,"quantum":100}}
{"id":"charged","m":2,"t":[[1000,4000],[2000,6000,5000,64]],"oh":{"release":1.5,"cxs":2,"cpmd_base":3,"cpmd_per_kib":0.1}}
{"id":"overloaded","m":1,"t":[[1,4],[2,6]],"oh":{"release":10}}
{"id":"over","m":1,"t":[[3,4],[2,4]]}
{"id":"zero","m":1,"t":[[0,4]]}
no record
"#;

#[test]
fn every_line_of_a_batch_holds_to_its_schema() {
    let (desk, schema) = (Desk::new(), schema("sched-batch"));
    desk.write("sets.jsonl", RECORDS);
    for flags in ["", "--all-tests", "--simulate 0", "--budget 0"] {
        let answers = lines(&desk.prazo(&format!("sched test --batch sets.jsonl {flags}")).expect_code(2).stdout);
        assert_eq!(answers.len(), RECORDS.lines().count());
        for answer in &answers {
            holds(&schema, answer, &answer["id"].to_string());
            consistent(answer, &answer["id"].to_string());
        }
    }
}

#[test]
fn every_check_of_a_certificate_holds_to_its_schema() {
    let (desk, schema) = (Desk::new(), schema("sched-verify"));
    let file = checkout("scenarios/dhall-effect.toml");
    desk.prazo(&format!("sched test {} --certificate right.cert", file.display())).expect_code(1);
    desk.write("wrong.cert", "rubbish\n");
    for name in ["right", "wrong"] {
        for more in [String::new(), format!(" --against {}", file.display())] {
            holds(&schema, &desk.prazo(&format!("sched verify {name}.cert --json{more}")).json(), name);
        }
    }
}

/// Numbers that are measured against each other may be rounded for display; what is counted is whole.
#[test]
fn only_shown_quantities_are_fractions() {
    let desk = Desk::new();
    desk.write("sets.jsonl", RECORDS);
    for answer in lines(&desk.prazo("sched test --batch sets.jsonl --all-tests").expect_code(2).stdout) {
        let mut found = Vec::new();
        fractions(&answer, "", &mut found);
        found.sort_unstable();
        found.dedup();
        assert!(found.iter().all(|key| ["demand", "capacity"].contains(&key.as_str())), "{found:?}");
    }
}

/// The keys under which there are numbers that are not whole.
fn fractions(value: &Value, key: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| fractions(value, key, found)),
        Value::Array(items) => items.iter().for_each(|item| fractions(item, key, found)),
        Value::Number(number) if number.is_f64() => found.push(key.to_owned()),
        _ => {}
    }
}
