//! Runs of `setitimer`, whose workers are child processes: this program is started anew as one, so it has its own `main`.

mod common;

use common::{Kept, plan, probe};
use prazo_core::time::Duration;
use prazo_probe::timer::{ProbeError, StopFlag, Unobserved, measure};
use prazo_run::Plan;
use prazo_run::plan::{Length, TimerMethod};
use prazo_run::run::Ending;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration as Wait, Instant};

const TESTS: [(&str, fn()); 5] = [
    ("every_activation_of_every_process_is_accounted_for", every_activation_of_every_process_is_accounted_for),
    ("a_child_can_be_stopped_while_it_waits", a_child_can_be_stopped_while_it_waits),
    ("a_threshold_in_a_child_stops_the_run", a_threshold_in_a_child_stops_the_run),
    ("a_child_that_is_killed_is_an_error", a_child_that_is_killed_is_an_error),
    ("a_child_dies_with_its_parent", a_child_dies_with_its_parent),
];

/// As a test harness does: run what the first free argument names, or list, or run all.
fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    if let Some(code) = prazo_probe::child_main(&args) {
        return code;
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|arg| arg == "measure-for-an-hour") {
        let _ = probe(&for_an_hour());
        return ExitCode::SUCCESS;
    }
    if args.iter().any(|arg| arg == "--list") {
        TESTS.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let filter = args.iter().find(|arg| !arg.starts_with('-'));
    for (name, test) in TESTS.iter().filter(|(name, _)| filter.is_none_or(|filter| name.contains(filter.as_str()))) {
        println!("test {name} ...");
        test();
    }
    ExitCode::SUCCESS
}

fn of_setitimer(cpus: &[u32]) -> Plan {
    Plan { method: TimerMethod::Setitimer, ..plan(cpus) }
}

fn for_an_hour() -> Plan {
    let mut plan = of_setitimer(&[0]);
    plan.length = Length::Duration { length: Duration::from_s(360_000) };
    plan.threads[0].period = Duration::from_s(3_600);
    plan.threads[0].phase = Duration::from_s(3_600);
    plan
}

fn every_activation_of_every_process_is_accounted_for() {
    let cpus: &[u32] = if common::has_two_processors() { &[0, 1] } else { &[0] };
    let (measured, kept) = probe(&of_setitimer(cpus)).unwrap();
    for (series, samples) in measured.series.iter().zip(&kept.samples) {
        let activations = series.activations;
        let first_due_ns = series.first_due.as_ns();
        assert!(first_due_ns >= 0, "rounded up to a whole microsecond, never down");
        let due = (1_000_000_000 - first_due_ns as u64).div_ceil(1_000_000);
        assert_eq!(activations.served + activations.skipped.unwrap(), due, "{activations:?}");
        assert_eq!(samples.len() as u64, activations.served);
    }
    assert!(measured.caveats.iter().any(|caveat| caveat.id == "setitimer-first-due"));
}

fn a_child_can_be_stopped_while_it_waits() {
    let (mut kept, stop) = (Kept::default(), StopFlag::new().unwrap());
    let measured = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Wait::from_millis(400));
            stop.stop();
        });
        measure(&for_an_hour(), &mut kept, &mut Unobserved, &stop).unwrap()
    });
    assert_eq!(measured.ending, Ending::Interrupted);
}

fn a_threshold_in_a_child_stops_the_run() {
    let plan = Plan { stop_above: Some(Duration::from_ns(1)), ..of_setitimer(&[0]) };
    let (measured, kept) = probe(&plan).unwrap();
    let Ending::Threshold { cpu: 0, latency_ns } = measured.ending else { panic!("{:?}", measured.ending) };
    assert_eq!(kept.samples[0].last().unwrap().1, latency_ns);
}

fn a_child_that_is_killed_is_an_error() {
    let error = std::thread::scope(|scope| {
        scope.spawn(|| kill(wait_for_child(std::process::id())));
        probe(&for_an_hour()).unwrap_err()
    });
    assert!(matches!(error, ProbeError::WorkerLost { cpu: 0, .. }), "{error}");
    assert!(error.to_string().contains("signal: 9"), "{error}");
}

fn a_child_dies_with_its_parent() {
    let program = std::env::current_exe().unwrap();
    let mut parent = Command::new(program).arg("measure-for-an-hour").stderr(Stdio::null()).spawn().unwrap();
    let child = wait_for_child(parent.id());
    parent.kill().unwrap();
    parent.wait().unwrap();
    let begun = Instant::now();
    while is_alive(child) {
        assert!(begun.elapsed() < Wait::from_secs(20), "process {child} outlived its parent");
        std::thread::sleep(Wait::from_millis(5));
    }
}

/// The measuring child of a process that we started, once it is there.
fn wait_for_child(parent: u32) -> u32 {
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < Wait::from_secs(20), "process {parent} started no child");
        if let Some(child) = children(parent).into_iter().find(|child| is_measuring(*child)) {
            return child;
        }
        std::thread::sleep(Wait::from_millis(5));
    }
}

fn children(parent: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}

fn is_measuring(process: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/cmdline")).is_ok_and(|line| line.starts_with("prazo-timer"))
}

/// A zombie is no longer alive: whoever inherited it has not asked for its status yet.
fn is_alive(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')))
}

/// Ends a process that this test started, with the system's own tool.
fn kill(process: u32) {
    assert!(Command::new("kill").args(["-9", &process.to_string()]).status().unwrap().success());
}
