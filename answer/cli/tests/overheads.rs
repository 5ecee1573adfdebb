//! `prazo measure overheads` from outside: its document, the tables that it hands on, and what it says where it cannot.

mod support;

use prazo_testing::{Need, Skipped, or_skip, skipped};
use serde_json::Value;
use std::path::Path;
use support::schema::violation;
use support::{Desk, PRAZO, may_be_real_time, possible};

/// What the shortest useful run is asked.
const SHORT: &str =
    "measure overheads --policy fifo --tasks 3 -c 0 -D 300ms --kinds release,scheduling,switch -o o --json";

/// Two tasks on one processor, with so much time that also the largest overheads of a busy machine can be charged.
const TASKS: &str =
    "processors = 1\n[task.fast]\ncost = \"1ms\"\nperiod = \"500ms\"\n[task.slow]\ncost = \"2ms\"\nperiod = \"2s\"\n";

/// What was measured; a skip where this user, kernel or build cannot trace.
fn measured(desk: &Desk, words: &str) -> Result<Value, Skipped> {
    let answer = desk.prazo(words);
    if answer.code == Some(4) {
        return Err(skipped(Need::Tracing, &answer.stderr));
    }
    Ok(answer.expect_code(0).json())
}

#[test]
fn the_document_holds_to_its_schema_and_every_kind_has_figures_or_a_reason() {
    let desk = Desk::new();
    let document = or_skip!(measured(&desk, SHORT));
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/measure-overheads.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    assert_eq!(violation(&document, &schema), None);
    for kind in document["kinds"].as_array().unwrap() {
        let is_told = kind["count"].as_u64() > Some(0) && kind["max_ns"].as_u64() > Some(0);
        assert!(is_told || kind["why_not"].is_string() || kind["marked"].as_u64() > Some(0), "{kind}");
        assert_eq!((&kind["n_tasks"], kind["max_ns"].is_null()), (&3.into(), kind["count"] == 0), "{kind}");
    }
}

#[test]
fn a_measured_table_is_charged_by_a_test_of_schedulability() {
    let desk = Desk::new();
    let document = or_skip!(measured(&desk, SHORT));
    desk.write("tasks.toml", TASKS);
    let tables = [&document["overheads_max"], &document["overheads_mean"]].map(|file| file.as_str().unwrap());
    let [dearest, mean] = tables.map(|table| {
        let answer = desk.prazo(&format!("sched test tasks.toml --policy edf --overheads {table} --json"));
        let costs = answer.json()[0]["inflated"].clone();
        costs[0].as_array().unwrap_or_else(|| panic!("{table}: {costs}"))[0].as_u64().unwrap()
    });
    assert!(dearest >= mean && mean > 1_000, "{dearest} us with the largest, {mean} us with the means, 1,000 us alone");
}

#[test]
fn without_the_right_to_trace_the_reason_and_the_remedy_are_named() {
    let wrapper = ["setpriv", "--bounding-set=-sys_admin,-bpf,-perfmon", "--inh-caps=-all"];
    or_skip!(may_be_real_time());
    or_skip!(possible(Need::Root, &[&wrapper[..], &["chrt", "--fifo", "1", "true"]].concat()));
    let answer = Desk::new().shell(&wrapper, &format!("$PRAZO {SHORT}")).expect_code(4);
    answer.expect_error(&["nothing could be traced", "as root"]);
}

#[test]
fn without_the_right_to_be_real_time_nothing_is_measured() {
    let wrapper = ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"];
    or_skip!(possible(Need::Root, &[&wrapper[..], &[PRAZO, "--version"]].concat()));
    let desk = Desk::new();
    let answer = desk.shell(&wrapper, &format!("ulimit -r 0 && exec $PRAZO {SHORT}")).expect_code(4);
    answer.expect_error(&["CAP_SYS_NICE", "fifo"]);
    assert!(!desk.path("o/fifo-3.prazo").exists(), "a run without a sample leaves no file");
}

#[test]
fn what_cannot_be_is_refused_with_what_can() {
    for (words, wanted) in [
        ("--platform lab:nothing", "one of standard-none"),
        ("--platform nowhere", "lab:NAME"),
        ("--platform lab:standard-full --working-sets 16", "no cache"),
        ("--tasks 25,5", "in ascending order"),
        ("--tasks 0", "from 1 to"),
        ("--policy deadline --shape partitioned", "--policy fifo"),
        ("--policy fifo -c 999", "processor 999"),
        ("--untraced --kinds tick", "cannot be used with"),
        ("--kinds tock", "tick"),
    ] {
        let desk = Desk::new();
        desk.prazo(&format!("measure overheads {words} -D 100ms -o o")).expect_code(2).expect_error(&[wanted]);
        assert!(!desk.path("o/fifo-5.prazo").exists(), "{words}");
    }
}
