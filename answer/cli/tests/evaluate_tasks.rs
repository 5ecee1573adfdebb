//! `prazo evaluate --tasks` from outside: what was measured, and what would have to change where nothing serves the set.

mod support;

use prazo_testing::{Need, skip};
use serde_json::Value;
use std::path::Path;
use support::Desk;
use support::schema::violation;

/// A task that leaves nothing of its processor for what the kernel costs.
const TOO_MUCH: &str = "[task.all]\ncost = '100ms'\nperiod = '100ms'\n";

fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().unwrap_or_else(|| panic!("{key} is no list: {of}"))
}

#[test]
fn what_cannot_be_run_is_refused_before_anything_is_measured() {
    let desk = Desk::new();
    desk.write("camera.toml", "[task.camera]\ncost = '1ms'\nperiod = '20ms'\nsuspends = '5ms'\n");
    let answer = desk.prazo("evaluate --tasks camera.toml -o o");
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.starts_with("prazo: camera: task 'camera' suspends itself"), "{}", answer.stderr);
}

#[test]
fn a_set_that_is_too_much_is_told_what_to_change_under_deadlines_and_priorities() {
    let desk = Desk::new();
    desk.write("much.toml", TOO_MUCH);
    let answer = desk.prazo("evaluate --tasks much.toml -D 200ms -o o --json");
    if answer.code == Some(4) {
        skip!(Need::RealTime, "{}", answer.stderr.trim());
    }
    let document = answer.json();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/evaluate-tasks.json");
    let schema = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    assert_eq!(violation(&document, &schema), None);
    assert!(document["chosen"].is_null() && document["observed"].is_null(), "{document}");
    let had: Vec<&Value> = list(&document, "ways").iter().filter(|way| way["barred"].is_null()).collect();
    assert!(had.iter().any(|way| way["name"].as_str().unwrap().ends_with("-rm")), "priorities need no permission");
    for way in had {
        let edge = &way["sensitivity"];
        assert!(edge["cost_factor"].as_f64().is_some_and(|factor| factor < 1.0), "{way}");
        assert_eq!((&edge["critical_task"], &document["tasks"][0]), (&0.into(), &"all".into()), "{way}");
    }
    assert!(!list(&document, "overheads_loads").is_empty(), "{document}");
    latency(&desk, &document);
}

/// Measured, in a run file with a report, or missing with the reason, which is a doubt.
fn latency(desk: &Desk, document: &Value) {
    let latency = &document["latency"];
    if let Some(why) = document["latency_not_measured"].as_str() {
        let doubts = list(document, "doubts");
        assert!(latency.is_null() && doubts.iter().any(|doubt| doubt.as_str().unwrap().contains(why)), "{document}");
        skip!(Need::RealTime, "{why}");
    }
    assert_eq!((latency["deadline_ns"].as_u64(), latency["late"].is_u64()), (Some(100_000_000), true), "{latency}");
    assert!(latency["due"].as_u64() >= Some(150) && latency["max_ns"].is_i64(), "{latency}");
    for name in ["o/latency.prazo", "o/latency.html"] {
        assert!(desk.path(name).is_file(), "no {name}");
    }
}
