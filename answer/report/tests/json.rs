//! The JSON form: it holds to its schema, and says why a figure is null.

mod common;

use prazo_report::{ReportContent, json};
use prazo_verdict::Outcome;
use serde_json::Value;

fn parsed(content: &ReportContent) -> Value {
    serde_json::from_str(&json::render(content)).expect("the report is JSON")
}

#[test]
fn every_field_of_a_report_is_in_the_schema() {
    let schema: Value = serde_json::from_str(&json::schema()).unwrap();
    check(&parsed(&common::machine(Outcome::Fail)), &schema, &schema, "report");
}

/// Descends into objects and arrays; each key must be named by the schema, and each required key be present.
fn check(value: &Value, schema: &Value, root: &Value, path: &str) {
    let schema = resolved(schema, root);
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            let known = property(&schema, key, root).unwrap_or_else(|| panic!("{path}.{key} is not in the schema"));
            check(value, &known, root, &format!("{path}.{key}"));
        }),
        Value::Array(items) => items.iter().filter(|_| schema.get("items").is_some()).for_each(|item| {
            check(item, &schema["items"], root, &format!("{path}[]"));
        }),
        _ => {}
    }
}

fn resolved(schema: &Value, root: &Value) -> Value {
    let named = schema.get("$ref").and_then(Value::as_str).and_then(|name| root.pointer(name.trim_start_matches('#')));
    named.map_or_else(|| schema.clone(), |found| resolved(found, root))
}

/// The schema of a field, also among alternatives and of maps.
fn property(schema: &Value, key: &str, root: &Value) -> Option<Value> {
    let here = schema.get("properties").and_then(|all| all.get(key)).or_else(|| schema.get("additionalProperties"));
    here.filter(|found| !found.is_boolean()).cloned().or_else(|| {
        let alternatives = ["anyOf", "oneOf"].iter().filter_map(|name| schema.get(*name)?.as_array()).flatten();
        alternatives.into_iter().find_map(|one| property(&resolved(one, root), key, root))
    })
}

#[test]
fn every_null_figure_has_a_reason() {
    for name in ["empty", "negative", "pass"] {
        let report = parsed(&common::case(name, &[]).unwrap());
        explained(&report, &["verdict", "made_at", "histograms"]);
        for run in report["runs"].as_array().unwrap() {
            explained(
                run,
                &["plan", "elapsed_ns", "recorder_delay_max_ns", "misses", "platform", "started_at_unix_ns"],
            );
            run["series"]
                .as_array()
                .unwrap()
                .iter()
                .for_each(|series| explained(series, &["cpu", "period_ns", "stated"]));
        }
    }
}

fn explained(object: &Value, fields: &[&str]) {
    for field in fields {
        let (null, reason) = (object[field].is_null(), object["not_measured"].get(field));
        assert_eq!(null, reason.is_some(), "{field} of {}: {reason:?}", object["name"]);
    }
}

#[test]
fn histograms_add_up_to_the_samples() {
    let evidence = common::machine(Outcome::Pass);
    let report = parsed(&evidence);
    for (line, run) in report["histograms"]["lines"].as_array().unwrap().iter().zip(&evidence.runs) {
        let counts: u64 = line["counts"].as_array().unwrap().iter().filter_map(Value::as_u64).sum();
        let samples: u64 = run.run.series.iter().map(|series| series.histogram.total()).sum();
        assert_eq!(counts + line["overflow"].as_u64().unwrap(), samples, "{}", run.run.name);
    }
}
