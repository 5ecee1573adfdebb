//! What the measuring loop costs, counted from outside: one system call and one voluntary switch an activation, no page fault.
//!
//! Counts, not times, so that a busy machine changes nothing.

mod support;

use prazo_testing::{Need, or_skip};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use support::processes::{Stat, below};
use support::{Desk, adds_up, may_be_real_time, possible, wait_for};

/// Each timer method with the one system call of its loop, and what its clock shows as where the call names it.
const METHODS: &[(&str, &str, &str)] = &[
    ("clock-nanosleep", "clock_nanosleep", "clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME"),
    // Of the monotonic clock by definition: nanosleep(2) names none.
    ("nanosleep", "nanosleep", "nanosleep({tv_sec=0, tv_nsec="),
    ("posix-timer", "rt_sigtimedwait", "timer_create(CLOCK_MONOTONIC"),
    ("timerfd", "read", "timerfd_create(CLOCK_MONOTONIC"),
    ("setitimer", "rt_sigtimedwait", "setitimer(ITIMER_REAL"),
];

/// The activations of each traced run.
const ACTIVATIONS: usize = 100;

#[test]
fn every_method_makes_one_system_call_an_activation_and_waits_on_the_monotonic_clock_needs_strace() {
    or_skip!(possible(Need::Program("strace"), &["strace", "-o", "/dev/null", "true"]));
    for (method, call, clock) in METHODS {
        let desk = Desk::new();
        let script = format!(
            "strace -ff -o trace \"$PRAZO\" measure timer -n {ACTIVATIONS} --warm-up 0ns -i 10ms -c 0 -p other \
             --method {method} --plain -o r.prazo --json"
        );
        let measured = desk.shell(&[], &script).expect_code(0).json();
        let traces = traces(desk.folder());
        assert!(traces.values().flatten().any(|line| line.contains(clock)), "{method}: nothing calls {clock}");
        let served = measured["served"].as_u64().unwrap() as usize;
        assert!(served >= ACTIVATIONS / 2, "{method}: {served} served");
        let longest = traces.values().map(|lines| longest_row(lines, call)).max().unwrap_or(0);
        // Waiting for the common start and the last, interrupted wait may stand before and behind.
        assert!((served..=served + 3).contains(&longest), "{method}: {longest} {call} in a row for {served} served");
    }
}

/// Each thread's system calls, in order; signals and exits left out.
fn traces(folder: &Path) -> BTreeMap<PathBuf, Vec<String>> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let traces = files.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("trace."));
    traces
        .map(|path| {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            (path, text.lines().filter(|line| !line.starts_with(['-', '+'])).map(str::to_owned).collect())
        })
        .collect()
}

/// How often a thread made this call without any other in between.
fn longest_row(lines: &[String], call: &str) -> usize {
    let wait = format!("{call}(");
    lines.split(|line| !line.starts_with(&wait)).map(<[String]>::len).max().unwrap_or(0)
}

#[test]
fn every_activation_takes_one_voluntary_switch_and_no_page_fault_needs_root() {
    or_skip!(may_be_real_time());
    let desk = Desk::new();
    let mut child = desk.start("measure timer -D 6s -i 1ms -p fifo --plain -o r.prazo");
    let pid = child.id();
    assert!(wait_for(Duration::from_secs(10), || !real_time_threads(pid).is_empty()), "a thread becomes real-time");
    std::thread::sleep(Duration::from_millis(1_500));
    let (before, begun) = (real_time_threads(pid), Instant::now());
    std::thread::sleep(Duration::from_secs(2));
    let (after, waited) = (real_time_threads(pid), begun.elapsed());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!before.is_empty());
    for (thread, earlier) in &before {
        let later = &after[thread];
        assert_eq!(later.faults, earlier.faults, "page faults while measuring");
        let switches = later.voluntary - earlier.voluntary;
        println!("{}: {switches} voluntary switches in {waited:?}", thread.display());
        // The grid allows one for each millisecond of the window, which the reads stretch a little.
        let activations = waited.as_millis() as u64 + 100;
        assert!(switches <= activations, "{switches} switches for at most {activations} activations");
        assert!(switches > activations / 10, "the thread does not sleep: {switches} switches");
    }
}

/// What the kernel counted for one thread.
struct Counts {
    faults: u64,
    voluntary: u64,
}

/// The threads under SCHED_FIFO of a process and those below it.
fn real_time_threads(pid: u32) -> BTreeMap<PathBuf, Counts> {
    let pids = below(pid).into_iter().map(|process| process.pid).chain([pid]);
    let folders = pids.filter_map(|pid| std::fs::read_dir(format!("/proc/{pid}/task")).ok()).flatten();
    folders
        .filter_map(|entry| {
            let folder = entry.ok()?.path();
            let stat = Stat::read(&folder)?;
            let status = std::fs::read_to_string(folder.join("status")).ok()?;
            let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
            let counts = Counts { faults: stat.number(10) + stat.number(12), voluntary: line.trim().parse().ok()? };
            (stat.number(41) == 1).then_some((folder, counts))
        })
        .collect()
}

#[test]
fn ten_kilohertz_on_each_processor_loses_no_sample_needs_root() {
    or_skip!(may_be_real_time());
    let desk = Desk::new();
    let words = "measure timer -D 5s --warm-up 0ns -i 100us -p fifo --plain -o r.prazo --json";
    let measured = desk.prazo(words).expect_code(0).json();
    adds_up(&measured);
    assert_eq!(measured["lost"], 0);
    let cpus = measured["cpus"].as_array().unwrap().len() as u64;
    assert_eq!(measured["due"], 50_000 * cpus, "every point of the grid is accounted for");
}
