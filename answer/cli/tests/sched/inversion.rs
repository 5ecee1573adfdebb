//! `prazo sched inversion`: unbounded without inheritance, bounded with it, and four switches more, on Linux, on prazo's kernel and in
//! the simulator.

use crate::support::schema::violation;
use crate::support::{Answer, Desk, PRAZO};
use crate::{checkout, list};
use prazo_lab::own_kernel;
use prazo_testing::{Need, OrSkipped, or_skip, skip};
use serde_json::Value;

const MS: u64 = 1_000_000;
/// What the kernel's own work may add to a response.
const OWN_NS: u64 = MS / 2;

/// What a system did under a protocol, in the order of what the middle task executes.
fn figures(document: &Value, protocol: &str, system: &str) -> Vec<u64> {
    let settings = list(&document["settings"]).iter();
    let three = settings.filter(|row| row["protocol"] == protocol && !row["middle_ns"].is_null());
    three.map(|row| row[system]["response_ns"].as_u64().unwrap_or_else(|| panic!("{system}: {row}"))).collect()
}

fn nested(document: &Value, name: &str, system: &str) -> Option<u64> {
    let row = list(&document["settings"]).iter().find(|row| row["name"] == name).unwrap();
    row[system]["switches"].as_u64()
}

fn holds_to_its_schema(document: &Value) {
    let schema = std::fs::read_to_string(checkout("docs/schema/sched-inversion.json")).unwrap();
    assert_eq!(violation(document, &serde_json::from_str(&schema).unwrap()), None);
}

/// In counted time, on one processor.
#[test]
fn the_most_urgent_task_waits_for_the_middle_one_unless_urgency_is_lent() {
    let _lab = or_skip!(prazo_lab::Lab::find().or_skipped(Need::Lab));
    let desk = Desk::new();
    let words = "sched inversion --middle 40ms,80ms --platform lab:standard-full -o run.prazo --gantt charts --json";
    let document = desk.prazo(words).expect_code(0).json();
    holds_to_its_schema(&document);
    assert_eq!(figures(&document, "plain", "simulator"), [54 * MS, 94 * MS]);
    for protocol in ["inherit", "protect"] {
        assert_eq!(figures(&document, protocol, "simulator"), [14 * MS, 14 * MS]);
    }
    let observed = figures(&document, "plain", "linux");
    assert!(observed[1] > observed[0] + 36 * MS, "{document}");
    assert!(figures(&document, "inherit", "linux").iter().all(|ns| *ns < 20 * MS), "{document}");
    for system in ["linux", "simulator"] {
        let switches = ["nested-unlocked", "nested-inherit"].map(|name| nested(&document, name, system));
        assert_eq!(switches, [Some(2), Some(6)], "{system}: {document}");
    }
    let chart = std::fs::read_to_string(desk.path("charts/observed-nested-inherit.svg")).unwrap();
    assert!(chart.starts_with("<svg") && chart.contains("nested-inherit, observed"));
    assert!(desk.path("charts/simulated-plain-40ms.svg").exists());
    on_prazos_kernel(&desk, &document);
}

/// The kernel does as the simulator does, wherever it can do it at all.
fn on_prazos_kernel(desk: &Desk, document: &Value) {
    if let Err(why) = own_kernel::find("single-edf") {
        skip!(Need::KernelImage, "{why}");
    }
    for row in list(&document["settings"]).iter().filter(|row| row["protocol"] != "protect") {
        let response = |system: &str| row[system]["response_ns"].as_u64().unwrap_or_else(|| panic!("{system}: {row}"));
        assert!(response("kernel").abs_diff(response("simulator")) <= OWN_NS, "{row}");
        assert_eq!(row["kernel"]["switches"], row["simulator"]["switches"], "{row}");
    }
    let ceilings = list(&document["settings"]).iter().filter(|row| row["protocol"] == "protect");
    ceilings.for_each(|row| {
        assert!(row["kernel_why_not"].as_str().unwrap().contains("does not support a priority ceiling"), "{row}");
    });
    let claims = list(&document["claims"]).iter().filter(|claim| claim["system"] == "kernel");
    assert!(claims.clone().count() == 3 && claims.clone().all(|claim| claim["holds"] == true), "{document}");
    assert!(desk.path("charts/kernel-nested-inherit.svg").exists());
}

#[test]
fn without_an_image_of_prazos_kernel_each_row_says_so_and_the_others_are_there() {
    let desk = Desk::new();
    let run = |words: &str| {
        let mut command = desk.command(PRAZO);
        Answer::of(command.args(words.split(' ')).env(own_kernel::GIVEN, "/no/kernel").output().expect("prazo starts"))
    };
    let answer = run("sched inversion --middle 10ms -o a.prazo --json");
    if answer.code == Some(4) {
        skip!(Need::RealTime, "{}", answer.stderr.trim());
    }
    let document = answer.json();
    holds_to_its_schema(&document);
    for row in list(&document["settings"]) {
        let why = row["kernel_why_not"].as_str().unwrap_or_else(|| panic!("{row}"));
        assert!(row["kernel"].is_null() && why.contains("/no/kernel") && why.contains("kernel build"), "{row}");
        assert!(row["linux"]["response_ns"].is_u64() && row["simulator"]["response_ns"].is_u64(), "{row}");
    }
    let of_kernel = list(&document["claims"]).iter().filter(|claim| claim["system"] == "kernel");
    assert!(of_kernel.clone().count() == 3 && of_kernel.clone().all(|claim| claim["holds"].is_null()), "{document}");
    let told = run("sched inversion --middle 10ms -o b.prazo").stdout;
    assert!(
        told.contains("not run on prazo's kernel: there is no image") && told.contains("undecided (prazo's kernel)"),
        "{told}"
    );
}

#[test]
fn a_middle_task_without_a_time_is_a_usage_error() {
    Desk::new().prazo("sched inversion --middle soon").expect_code(2).expect_error(&["--middle", "soon"]);
}
