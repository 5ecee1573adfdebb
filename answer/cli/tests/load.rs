//! `prazo load --compare`: what the kernel counts of a load and of the foreign programs beside it.

mod support;

use prazo_testing::{Need, Skipped, or_skip, skip};
use serde_json::Value;
use support::{Desk, OWN_MOUNTS, may_mount, possible};

const WITH_TRACEFS: &str = "mount -t tracefs nodev /sys/kernel/tracing";
const WITHOUT_TRACEFS: &str = "mount -t tmpfs none /sys/kernel/tracing && mount -t tmpfs none /sys/kernel/debug";

fn may_count() -> Result<(), Skipped> {
    may_mount()?;
    let mount = format!("{WITH_TRACEFS} && test -e /sys/kernel/tracing/events/raw_syscalls/sys_enter/id");
    possible(Need::Tracing, &[OWN_MOUNTS, &["sh", "-c", &mount]].concat())
}

fn counter<'a>(pair: &'a Value, name: &str) -> &'a Value {
    let counters = pair["counters"].as_array().unwrap();
    counters.iter().find(|counter| counter["name"] == name).unwrap_or_else(|| panic!("{name} in {pair}"))
}

fn least(counter: &Value, side: &str) -> f64 {
    let turns = counter[side].as_array().unwrap();
    assert_eq!(turns.len(), 2, "{counter}");
    turns.iter().map(|turn| turn.as_f64().unwrap()).fold(f64::INFINITY, f64::min)
}

#[test]
fn loads_of_threads_are_compared_with_their_peers_by_all_system_calls_needs_root() {
    or_skip!(may_count());
    let desk = Desk::new();
    for (load, peer, program) in
        [("scheduler-pipes", "hackbench-pipes", "hackbench"), ("scheduler-futexes", "stress-ng-futex", "stress-ng")]
    {
        let text = format!("{WITH_TRACEFS} && $PRAZO load --load {load}=1 --compare -D 700ms --json");
        let document = desk.shell(OWN_MOUNTS, &text).expect_code(0).json();
        let pair = &document["pairs"][0];
        if let Some(why) = pair["missing"].as_str() {
            skip!(Need::Program(program), "{why}");
        }
        assert_eq!((&pair["load"], &pair["peer"]), (&load.into(), &peer.into()));
        let calls = counter(pair, "system calls");
        assert!(calls["missing"].is_null(), "{calls}");
        for side in ["own", "foreign"] {
            // Reads and writes of the load's supervisor are among the latter.
            assert!(least(calls, side) > 0.9 * least(counter(pair, "read and write calls"), side), "{side}: {pair}");
            assert!(least(calls, side) > 1_000.0, "{side}: {pair}");
            assert!(least(counter(pair, "context switches"), side) > 100.0, "{side}: {pair}");
        }
    }
}

#[test]
fn without_tracefs_a_comparison_says_why_system_calls_are_missing_needs_root() {
    or_skip!(may_mount());
    let desk = Desk::new();
    let run = |json: &str| {
        let text = format!("{WITHOUT_TRACEFS} && $PRAZO load --load cpu=1 --compare -D 300ms {json}");
        desk.shell(OWN_MOUNTS, &text).expect_code(0)
    };
    let document = run("--json").json();
    if let Some(why) = document["pairs"][0]["missing"].as_str() {
        skip!(Need::Program("stress-ng"), "{why}");
    }
    let calls = counter(&document["pairs"][0], "system calls");
    assert!(calls["own"].as_array().unwrap().is_empty() && calls["ratio"].is_null(), "{calls}");
    assert!(calls["missing"].as_str().unwrap().contains("mount -t tracefs"), "{calls}");
    let text = run("").stdout;
    assert!(text.contains("not counted: cannot read tracefs"), "{text}");
}
