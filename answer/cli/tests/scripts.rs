//! What scripts rely on: the keys and types of `--json`, clean standard output, and the exit status.

mod support;

use serde_json::{Value, json};
use support::{Desk, adds_up, caveats, is_real_time_granted};

/// A histogram as cyclictest prints it: what a stranger's file looks like.
const CYCLICTEST: &str = "\
# /dev/cpu_dma_latency set to 0us
# Histogram
000008 500000
000009 400000
000010 099000
000011 001000
# Total: 001000000
# Min Latencies: 00008
# Avg Latencies: 00008
# Max Latencies: 00011
# Histogram Overflows: 00000
# Histogram Overflow at cycle number:
# Thread 0:
";

/// Each key with a type that its value has: a value of that type stands for it.
#[track_caller]
fn has(object: &Value, keys: &[(&str, Value)]) {
    for (key, example) in keys {
        let found = object.get(*key).unwrap_or_else(|| panic!("no key {key} in {object}"));
        assert_eq!(kind(found), kind(example), "{key} is {found}");
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[test]
fn measure_prints_one_object_and_its_counts_add_up() {
    let desk = Desk::new();
    let policy = if is_real_time_granted() { "fifo" } else { "other" };
    let answer = desk.prazo(&format!("measure timer -D 3s --plain -p {policy} -o r.prazo --json")).expect_code(0);
    assert!(answer.stderr.contains("served"), "progress goes to standard error");
    let measured = answer.json();
    for key in ["due", "served", "skipped", "lost", "overflow", "outstanding"] {
        assert!(measured[key].is_u64(), "{key} is {}", measured[key]);
    }
    assert_eq!(measured["missed"], Value::Null, "without a deadline nothing is missed, and nothing is not missed");
    assert_eq!(measured["verdict"], Value::Null);
    adds_up(&measured);
    let cpus = measured["cpus"].as_array().unwrap();
    assert!(!cpus.is_empty());
    let number = json!(0);
    for cpu in cpus {
        has(cpu, &["cpu", "count", "min_ns", "mean_ns", "sd_ns", "max_ns"].map(|key| (key, number.clone())));
        has(cpu, &[("quantiles", json!([]))]);
        has(&cpu["quantiles"][0], &[("q", number.clone()), ("value_ns", number.clone())]);
    }
    let counted: u64 = cpus.iter().map(|cpu| cpu["count"].as_u64().unwrap()).sum();
    let lost = measured["lost"].as_u64().unwrap();
    assert_eq!(counted + lost, measured["served"].as_u64().unwrap(), "each served activation is in one row, or lost");
}

#[test]
fn a_relative_sleep_has_no_due_grid() {
    let desk = Desk::new();
    let words = "measure timer -D 2s -p other --method nanosleep --plain -o r.prazo --json";
    let measured = desk.prazo(words).expect_code(0).json();
    assert_eq!(measured["skipped"].as_u64().unwrap_or(0), 0, "nothing can be jumped over");
    assert!(caveats(&measured).contains(&"relative-sleep-drift"));
    assert!(measured["cpus_per_due"].as_array().unwrap().is_empty());
}

#[test]
fn a_deadline_makes_missed_a_number_and_a_nanosecond_of_it_is_missed_by_all() {
    let desk = Desk::new();
    let words = "measure timer -D 2s -p other --deadline 1ns --kind hard --plain -o r.prazo --json";
    let measured = desk.prazo(words).expect_code(1).json();
    assert_eq!(measured["missed"], measured["served"]);
    assert_eq!(measured["verdict"]["outcome"], "fail");
    let reasons = measured["verdict"]["reasons"].as_array().unwrap();
    assert!(reasons.iter().any(|reason| reason["id"] == "deadline-below-minimum"), "{reasons:?}");
}

#[test]
fn a_hard_deadline_without_load_is_inconclusive() {
    let desk = Desk::new();
    // Under SCHED_OTHER a loaded machine is late by more than 100 ms now and then; a period that is passed over is a miss.
    let words = "measure timer -D 6s -i 2s -p other --deadline 1m --kind hard --plain -o r.prazo --json";
    let measured = desk.prazo(words).expect_code(3).json();
    assert_eq!(measured["verdict"]["outcome"], "inconclusive");
}

#[test]
fn import_prints_an_array_with_the_files_own_figures() {
    let desk = Desk::new();
    desk.write("one.txt", CYCLICTEST);
    let imported = desk.prazo("import one.txt -o runs --json").expect_code(0).json();
    let row = &imported.as_array().expect("an array")[0];
    has(row, &[("file", json!("")), ("run", json!("")), ("count", json!(0)), ("overflow", json!(0))]);
    has(row, &[("min_ns", json!(0)), ("mean_ns", json!(0)), ("max_ns", json!(0)), ("caveats", json!([]))]);
    assert_eq!((row["count"].as_u64(), row["min_ns"].as_i64()), (Some(1_000_000), Some(8_000)));
    assert_eq!((row["max_ns"].as_i64(), row["overflow"].as_u64()), (Some(11_000), Some(0)));
    assert_eq!(row["mean_ns"].as_f64(), Some(8_601.0), "500 * 8 + 400 * 9 + 99 * 10 + 11 us in 1000 samples");
    assert!(desk.path(row["run"].as_str().unwrap()).is_file());
}

#[test]
fn check_prints_an_array_of_findings_with_their_sources() {
    let desk = Desk::new();
    let answer = desk.prazo("check --json");
    assert!(matches!(answer.code, Some(0 | 1 | 3)), "{:?}: {}", answer.code, answer.stderr);
    let checks = answer.json();
    for check in checks.as_array().expect("an array") {
        has(check, &["id", "outcome", "severity", "found", "wanted", "source"].map(|key| (key, json!(""))));
        assert!(["ok", "finding", "not-applicable", "unknown"].contains(&check["outcome"].as_str().unwrap()));
        assert!(["fatal", "high", "medium", "info"].contains(&check["severity"].as_str().unwrap()));
    }
    assert!(checks.as_array().unwrap().len() > 20);
}

#[test]
fn a_machine_without_files_leaves_checks_unknown_and_never_ok() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("nothing")).unwrap();
    let answer = desk.prazo("check --root nothing --json");
    assert_ne!(answer.code, Some(0), "a machine that cannot be read is not fit");
    let unknown = answer.json().as_array().unwrap().iter().filter(|check| check["outcome"] == "unknown").count();
    assert!(unknown > 10, "{unknown} unknown");
}

#[test]
fn a_study_of_tables_prints_its_claims() {
    let desk = Desk::new();
    let answer = desk.prazo("study run blaess-2014 -o study --plain --json");
    assert!(matches!(answer.code, Some(0 | 1 | 3)), "{:?}: {}", answer.code, answer.stderr);
    let result = answer.json();
    let claims = result["claims"].as_array().expect("claims");
    assert!(!claims.is_empty());
    for claim in claims {
        has(claim, &["id", "text", "outcome", "evidence"].map(|key| (key, json!(""))));
        assert!(["held", "not-held", "undecidable"].contains(&claim["outcome"].as_str().unwrap()));
    }
    let any = |outcome: &str| claims.iter().any(|claim| claim["outcome"] == outcome);
    let expected = if any("not-held") { 1 } else { i32::from(any("undecidable")) * 3 };
    assert_eq!(answer.code, Some(expected), "the status says what the claims say");
}

#[test]
fn the_lists_are_arrays_of_names() {
    let desk = Desk::new();
    for (words, known) in [("load --list --json", "udp-flood"), ("study list --json", "blaess-2014")] {
        let listed = desk.prazo(words).expect_code(0).json();
        assert!(listed.as_array().unwrap().iter().any(|row| row["name"] == known), "{words}: {listed}");
    }
}

#[test]
fn compare_prints_an_array_and_needs_two_runs() {
    let desk = Desk::new();
    for name in ["a", "b"] {
        desk.write(&format!("{name}.txt"), CYCLICTEST);
    }
    desk.prazo("import a.txt b.txt -o .").expect_code(0);
    let compared = desk.prazo("compare a.prazo b.prazo --json").expect_code(0).json();
    assert_eq!(compared[0]["reference"], "a");
    has(&compared[0], &[("quantiles", json!([])), ("warnings", json!([]))]);
    desk.prazo("compare a.prazo").expect_code(2).expect_error(&["second"]);
}

#[test]
fn report_prints_one_document_and_its_status_is_the_verdicts() {
    let desk = Desk::new();
    desk.write("a.txt", CYCLICTEST);
    desk.prazo("import a.txt -o .").expect_code(0);
    let report = desk.prazo("report a.prazo --json").expect_code(0).json();
    has(&report, &[("schema_version", json!(1)), ("runs", json!([])), ("verdict", Value::Null)]);
    let failing = desk.prazo("report a.prazo --deadline 1ns --json").expect_code(1).json();
    assert_eq!(failing["verdict"]["outcome"], "fail");
    let soft = desk.prazo("report a.prazo --deadline 1ms --kind soft --json").expect_code(0).json();
    assert_eq!(soft["verdict"]["outcome"], "pass", "{}", soft["verdict"]);
    let hard = desk.prazo("report a.prazo --deadline 1ms --kind hard --json").expect_code(3).json();
    assert_eq!(hard["verdict"]["outcome"], "inconclusive");
}

#[test]
fn a_dry_run_of_tune_changes_nothing() {
    let desk = Desk::new();
    let first = desk.prazo("tune --dry-run --json").expect_code(0).json();
    for change in first.as_array().expect("an array") {
        has(change, &["check", "knob", "from", "to"].map(|key| (key, json!(""))));
    }
    assert_eq!(first, desk.prazo("tune --dry-run --json").expect_code(0).json());
    assert!(!desk.path("state/journal.json").exists(), "nothing was changed, so nothing is written down");
}

#[test]
fn a_wrong_command_line_is_a_usage_error_that_names_the_flag() {
    let desk = Desk::new();
    for (words, named) in [
        ("measure timer --no-such-flag", "--no-such-flag"),
        ("measure timer -D 0s", "--duration"),
        ("measure timer -n 0", "--count"),
        ("measure timer --priority 0", "--priority"),
        ("measure timer -i 0ns", "--period"),
        ("measure timer --deadline 0ns", "--deadline"),
        ("measure timer --deadline 1ms --quantile 2", "--quantile"),
        ("measure timer -c 0 -i 1ms,2ms", "--period"),
        ("measure timer --application 4000000000", "--application"),
        ("measure timer --load no-such-load", "no-such-load"),
        ("measure timer --load udp-flood=fast", "udp-flood"),
        ("measure timer --method setitimer --when-late catch-up", "--when-late"),
        ("load --load no-such-load", "no-such-load"),
        ("load", "--list"),
        ("study run no-such-study", "no-such-study"),
        ("nonsense", "nonsense"),
    ] {
        desk.prazo(words).expect_code(2).expect_error(&[named]);
    }
    assert!(!desk.path("prazo-results").exists() || is_empty(desk.path("prazo-results")), "no run file is left");
}

fn is_empty(folder: impl AsRef<std::path::Path>) -> bool {
    std::fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn what_cannot_be_done_ends_with_4_and_keeps_the_old_run() {
    let desk = Desk::new();
    let kept = desk.write("kept.prazo", "somebody's own");
    desk.prazo("measure timer -D 2s -p other -o kept.prazo --json").expect_code(2).expect_error(&["exists already"]);
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "somebody's own");
    desk.write("file", "");
    desk.prazo("measure timer -D 2s -p other -o file/r.prazo --json").expect_code(4).expect_error(&["file"]);
    desk.prazo("report absent.prazo --json").expect_code(2).expect_error(&["absent.prazo"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let desk = Desk::new();
    let answer = desk.shell(&[], "\"$PRAZO\" load --list | head -c 1 >/dev/null; \"$PRAZO\" --help | head -c 1");
    assert!(!answer.stderr.contains("panicked"), "{}", answer.stderr);
}

#[test]
fn the_command_in_a_run_repeats_it() {
    let desk = Desk::new();
    desk.prazo("measure timer -D 2s -p other -c 0 -i 5ms --plain -o r.prazo").expect_code(0);
    let command = desk.prazo("report r.prazo --json").json()["runs"][0]["command"].as_str().unwrap().to_owned();
    std::fs::remove_file(desk.path("r.prazo")).unwrap();
    let words = command.strip_prefix("prazo ").expect("the command line");
    desk.prazo(words).expect_code(0);
    assert!(desk.path("r.prazo").is_file());
}
