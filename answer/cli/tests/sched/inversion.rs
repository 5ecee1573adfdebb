//! `prazo sched inversion`: unbounded without inheritance, bounded with it, and four switches more, on Linux as in the simulator.

use crate::support::Desk;
use crate::support::schema::violation;
use crate::{checkout, list};
use serde_json::Value;

const MS: u64 = 1_000_000;

/// The settings of a protocol, in the order of what the middle task executes.
fn figures(document: &Value, protocol: &str, key: &str) -> Vec<u64> {
    let settings = list(&document["settings"]).iter();
    let three = settings.filter(|row| row["protocol"] == protocol && !row["middle_ns"].is_null());
    three.map(|row| row[key].as_u64().unwrap_or_else(|| panic!("no {key}: {row}"))).collect()
}

/// In counted time, on one processor.
#[test]
fn the_most_urgent_task_waits_for_the_middle_one_unless_urgency_is_lent() {
    if prazo_lab::Lab::find().is_err() {
        return eprintln!("SKIPPED: no emulator or no agent, so this test showed nothing");
    }
    let desk = Desk::new();
    let words = "sched inversion --middle 40ms,80ms --platform lab:standard-full -o run.prazo --gantt charts --json";
    let answer = desk.prazo(words).expect_code(0);
    let document = answer.json();
    let schema = std::fs::read_to_string(checkout("docs/schema/sched-inversion.json")).unwrap();
    assert_eq!(violation(&document, &serde_json::from_str(&schema).unwrap()), None);
    assert_eq!(figures(&document, "plain", "simulated_response_ns"), [54 * MS, 94 * MS]);
    for protocol in ["inherit", "protect"] {
        assert_eq!(figures(&document, protocol, "simulated_response_ns"), [14 * MS, 14 * MS]);
    }
    let observed = figures(&document, "plain", "response_ns");
    assert!(observed[1] > observed[0] + 36 * MS, "{document}");
    assert!(figures(&document, "inherit", "response_ns").iter().all(|ns| *ns < 20 * MS), "{document}");
    let nested = list(&document["settings"]).iter().find(|row| row["name"] == "nested-inherit").unwrap();
    assert_eq!((&nested["switches"], &nested["simulated_switches"]), (&6.into(), &6.into()));
    let chart = std::fs::read_to_string(desk.path("charts/observed-nested-inherit.svg")).unwrap();
    assert!(chart.starts_with("<svg") && chart.contains("nested-inherit, observed"));
    assert!(desk.path("charts/simulated-plain-40ms.svg").exists());
}

#[test]
fn a_middle_task_without_a_time_is_a_usage_error() {
    Desk::new().prazo("sched inversion --middle soon").expect_code(2).expect_error(&["--middle", "soon"]);
}
