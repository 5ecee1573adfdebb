//! `--stop-above` and the kernel's trace: what led to the latency is saved beside the run, and the system is as before.

mod support;

use prazo_testing::{Need, Skipped, or_skip, skip};
use support::{Answer, Desk, OWN_MOUNTS, caveats, may_mount, possible};

/// In a mount namespace of its own; the trace itself is the machine's.
const WITH_TRACEFS: &str = "mount -t tracefs nodev /sys/kernel/tracing";
const WITHOUT_TRACEFS: &str = "mount -t tmpfs none /sys/kernel/tracing && mount -t tmpfs none /sys/kernel/debug";
/// The process in the background left no instance; other tests may have theirs.
const GONE: &str = "test ! -d /sys/kernel/tracing/instances/prazo-$!";
const TRACE: &str = "/sys/kernel/tracing";
/// Any wake-up is later than this.
const STOPS: &str = "$PRAZO measure timer -p other --warm-up 0ns -D 20s --stop-above 1ns --plain --json -o r.prazo";

fn may_trace() -> Result<(), Skipped> {
    may_mount()?;
    let mount = format!("{WITH_TRACEFS} && test -d {TRACE}/instances && test -d {TRACE}/events/sched/sched_switch");
    possible(Need::Tracing, &[OWN_MOUNTS, &["sh", "-c", &mount]].concat())
}

fn script(desk: &Desk, text: &str) -> Answer {
    desk.shell(OWN_MOUNTS, text)
}

fn saved(desk: &Desk) -> String {
    std::fs::read_to_string(desk.path("r.trace.txt")).expect("the trace was saved")
}

#[test]
fn events_up_to_the_latency_are_saved_and_nothing_stays_in_the_kernel_needs_root() {
    or_skip!(may_trace());
    let desk = Desk::new();
    let text = format!(
        "{WITH_TRACEFS}; {STOPS} --trace=sched:sched_switch,irq > r.json & wait $! && {GONE} && cat {TRACE}/tracing_on"
    );
    let answer = script(&desk, &text).expect_code(0);
    assert_eq!(answer.stdout, "1\n", "no instance is left, and the machine's own trace was left alone");
    assert!(answer.stderr.contains("trace: r.trace.txt"), "{}", answer.stderr);
    let trace = saved(&desk);
    // Events may follow the mark: the thread can be preempted before it stops the trace.
    let mark = trace.lines().position(|line| line.contains("prazo: processor") && line.contains("above the threshold"));
    let before = trace.lines().take(mark.expect("the trace has the mark"));
    assert!(before.into_iter().any(|line| line.contains("sched_switch: ")), "what led to it: {trace}");
    let run: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(desk.path("r.json")).unwrap()).unwrap();
    assert_eq!(run["ending"]["kind"], "threshold");
    assert!(caveats(&run).contains(&"kernel-trace-cost") && !caveats(&run).contains(&"no-trace-mark"), "{run}");
}

#[test]
fn a_trace_that_runs_already_is_stopped_saved_and_goes_on_needs_root() {
    or_skip!(may_trace());
    let desk = Desk::new();
    let event = format!("{TRACE}/events/sched/sched_process_exit/enable");
    let text = format!(
        "{WITH_TRACEFS}; trap 'echo 0 > {event}' EXIT; echo 1 > {event}; true & wait; {STOPS} > r.json && cat {TRACE}/tracing_on"
    );
    assert_eq!(script(&desk, &text).expect_code(0).stdout, "1\n", "it goes on");
    let trace = saved(&desk);
    assert!(trace.contains("sched_process_exit: ") && trace.contains("prazo: processor"), "{trace}");
}

#[test]
fn a_killed_run_leaves_its_instance_in_the_journal_needs_root() {
    or_skip!(may_trace());
    let desk = Desk::new();
    let text = format!(
        "{WITH_TRACEFS}; $PRAZO measure timer -p other -D 60s --stop-above 50s --trace --plain -o k.prazo 2> k.err & \
         for try in $(seq 100); do grep -q served k.err && break; sleep 0.1; done; kill -9 $!; wait; \
         test -d {TRACE}/instances/prazo-$! && $PRAZO tune undo --json > /dev/null && {GONE} && echo gone"
    );
    assert_eq!(script(&desk, &text).expect_code(0).stdout, "gone\n");
}

#[test]
fn without_tracefs_the_events_that_bpf_keeps_are_saved_or_the_remedy_is_named_needs_root() {
    or_skip!(may_mount());
    let desk = Desk::new();
    script(&desk, &format!("{WITHOUT_TRACEFS}; {STOPS} --trace"))
        .expect_code(4)
        .expect_error(&["mount -t tracefs", "--split"]);
    assert!(!desk.path("r.prazo").exists());
    let answer = script(&desk, &format!("{WITHOUT_TRACEFS}; {STOPS} --split=causes")).expect_code(0);
    if caveats(&answer.json()).iter().any(|id| ["not-split", "no-causes"].contains(id)) {
        skip!(Need::Tracing, "no BPF here: {}", answer.stdout);
    }
    let trace = saved(&desk);
    assert!(trace.starts_with("# prazo: processor ") && trace.contains("sched_switch: next_comm="), "{trace}");
}

#[test]
fn an_event_that_does_not_exist_is_refused_by_its_name_needs_root() {
    or_skip!(may_trace());
    let desk = Desk::new();
    let text = format!("{WITH_TRACEFS}; {STOPS} --trace=sched:nothing & wait $!; code=$?; {GONE} && exit $code");
    let answer = script(&desk, &text).expect_code(2);
    answer.expect_error(&["sched:nothing", "available_events"]);
    assert!(!desk.path("r.prazo").exists());
}
