//! `prazo sched`, from outside: what it says of sets whose answers are known, and how it ends when it cannot say.

mod advise;
mod arrivals;
mod certificates;
mod criticality;
mod documents;
mod endings;
mod input;
mod inversion;
mod reference;
mod region;
mod run;
mod scenarios;
mod served;
mod split;
mod terminal;
mod time_model;
mod work;

#[path = "../support/mod.rs"]
mod support;

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use support::{Answer, Desk};

/// A file or folder of the checkout.
fn checkout(part: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(part)
}

/// `prazo sched` with these words; none of them may hold a space.
fn sched(words: &str) -> Answer {
    Desk::new().prazo(&format!("sched {words}"))
}

/// One JSON document a line.
fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"))).collect()
}

/// The items of a list.
#[track_caller]
fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

/// A list of records, one a line.
fn batch(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// A batch record of these tasks on `processors`.
fn record(id: &str, processors: u32, tasks: &[[u64; 3]]) -> Value {
    json!({"id": id, "m": processors, "t": tasks})
}
