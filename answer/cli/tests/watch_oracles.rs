//! `prazo watch` next to programs that keep their own records: what they counted is what it counts, record by record.

mod support;

use prazo_testing::{Need, or_skip, program, skip};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;
use support::watching::{Running, compiled_by, count, may_watch, served_and_skipped, source_of, thread, watched};
use support::{Answer, Desk, wait_for};

/// Of each activation by its due instant: the latency that was seen.
fn latencies(seen: &Value) -> BTreeMap<i64, i64> {
    let worst = seen["worst"].as_array().unwrap_or_else(|| panic!("{seen:#}"));
    worst.iter().filter_map(|one| Some((one["due_ns"].as_i64()?, one["latency_ns"].as_i64()?))).collect()
}

/// A clock that a program reads itself is read behind the system call's end. The machine may run something else in between, so that
/// most are within `usual_ns`, and none comes before.
#[track_caller]
fn are_read_behind(mut behind_ns: Vec<i64>, resolution_ns: i64, usual_ns: i64) {
    behind_ns.sort_unstable();
    let (first, middle) = (behind_ns[0], behind_ns[behind_ns.len() / 2]);
    assert!(first >= -resolution_ns && middle <= usual_ns, "{first} to {middle} of {behind_ns:?}");
}

/// One of jitterdebugger's records: 28 bytes without gaps.
struct JitterSample {
    cpu: u32,
    woke_ns: i64,
    latency_us: i64,
}

fn jitter_samples(bytes: &[u8]) -> Vec<JitterSample> {
    let word = |record: &[u8], at: usize| i64::from_ne_bytes(record[at..at + 8].try_into().unwrap());
    let sample = |record: &[u8]| JitterSample {
        cpu: u32::from_ne_bytes(record[..4].try_into().unwrap()),
        woke_ns: word(record, 4) * 1_000_000_000 + word(record, 12),
        latency_us: word(record, 20),
    };
    bytes.chunks_exact(28).map(sample).collect()
}

#[test]
fn jitterdebuggers_samples_are_found_one_by_one_needs_root() {
    or_skip!(may_watch());
    or_skip!(program("jitterdebugger"));
    let desk = Desk::new();
    let answer = watched(&desk, "--worst 1000 -- jitterdebugger -l 500 -i 1000 -s -o own");
    let document = answer.json();
    let own: Value = serde_json::from_str(&std::fs::read_to_string(desk.path("own/results.json")).unwrap()).unwrap();
    let samples = jitter_samples(&std::fs::read(desk.path("own/samples.raw")).unwrap());
    let measuring = document["threads"].as_array().unwrap().iter();
    let mut measuring: Vec<(&Value, BTreeMap<i64, i64>)> =
        measuring.filter(|seen| seen["rule"] == "absolute").map(|seen| (seen, latencies(seen))).collect();
    let cpus = own["cpu"].as_object().unwrap();
    assert_eq!(measuring.len(), cpus.len(), "a thread for each processor: {document:#}");
    for (cpu, counts) in cpus {
        let of_cpu: Vec<&JitterSample> = samples.iter().filter(|one| one.cpu.to_string() == *cpu).collect();
        // It stores whole microseconds, so that the instant is known to one.
        let ours = |one: &JitterSample, seen: &BTreeMap<i64, i64>| {
            let due_ns = one.woke_ns - one.latency_us * 1_000;
            let (due_ns, latency_ns) = seen.range(due_ns - 1_000..=due_ns).next_back()?;
            Some(one.woke_ns - due_ns - latency_ns)
        };
        let is_of_cpu = |(_, seen): &(&Value, BTreeMap<i64, i64>)| of_cpu.iter().any(|one| ours(one, seen).is_some());
        let place = measuring.iter().position(is_of_cpu).unwrap_or_else(|| panic!("cpu {cpu} in {document:#}"));
        let (seen, latencies) = measuring.swap_remove(place);
        assert_eq!((count(seen, "served"), count(seen, "unseen")), (count(counts, "count"), 0), "{seen:#}");
        // The last activation has no wait behind it, so that it has no response and is not in the list.
        let found: Vec<i64> = of_cpu.iter().filter_map(|one| ours(one, &latencies)).collect();
        assert!(of_cpu.len() - found.len() <= 1, "{} of {} samples", found.len(), of_cpu.len());
        are_read_behind(found, 1_000, 20_000);
    }
}

/// A row of rt-app's log that slept: its own wake-up latency.
fn rt_app_slept(log: &str) -> Vec<i64> {
    let rows = log.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Vec<i64>> =
        rows.map(|row| row.split_whitespace().map(|cell| cell.parse().unwrap()).collect()).collect();
    // The columns `slack` and `wu_lat`: without slack the instant was past, and rt-app does not wait for it.
    rows.iter().filter(|row| row[7] > 0).map(|row| row[10]).collect()
}

#[test]
fn rt_apps_log_has_the_same_activations_needs_root() {
    or_skip!(may_watch());
    or_skip!(program("rt-app"));
    let desk = Desk::new();
    desk.write(
        "tasks.json",
        r#"{
            "tasks": { "ctl": { "policy": "SCHED_FIFO", "priority": 70, "loop": 1, "phases": { "all": {
                "loop": 300, "run": 200, "timer": { "ref": "tick", "period": 2000, "mode": "absolute" } } } } },
            "global": { "duration": -1, "calibration": 100, "logdir": ".", "log_basename": "own", "log_size": 10 }
        }"#,
    );
    let answer = watched(&desk, "--worst 400 -- rt-app tasks.json");
    let document = answer.json();
    let seen = thread(&document, "ctl");
    let own = rt_app_slept(&std::fs::read_to_string(desk.path("own-ctl-0.log")).unwrap());
    assert_eq!((seen["wait"].as_str(), seen["rule"].as_str()), (Some("clock_nanosleep"), Some("absolute")));
    assert_eq!(count(seen, "period_ns"), 2_000_000);
    assert_eq!((count(seen, "served"), count(seen, "unseen")), (own.len() as u64, 0), "{seen:#}");
    // Both in the order of time; the last one has no wait behind it and is not in the list.
    let ours = latencies(seen);
    let behind = ours.values().zip(&own).map(|(latency_ns, own_us)| own_us * 1_000 - latency_ns);
    are_read_behind(behind.collect(), 1_000, 20_000);
}

#[test]
fn a_python_loops_own_counts_are_found_needs_root() {
    or_skip!(may_watch());
    or_skip!(program("python3"));
    let desk = Desk::new();
    let source = source_of("loop.py");
    for method in ["absolute", "sleep"] {
        let answer = watched(&desk, &format!("-- python3 {} {method} 2000 300", source.display()));
        let document = answer.json();
        let [served, skipped] = served_and_skipped(&answer);
        let seen = thread(&document, "python3");
        assert_eq!((count(seen, "served"), count(seen, "unseen")), (served, 0), "{method}: {seen:#}");
        if method == "absolute" {
            assert_eq!((seen["rule"].as_str(), count(seen, "period_ns")), (Some("absolute"), 2_000_000), "{seen:#}");
            // What it passed after its last wait has no wait behind it.
            assert!(count(seen, "skipped").abs_diff(skipped) <= 1, "{skipped}: {seen:#}");
            assert!(count(seen, "skipped") >= 3, "{seen:#}");
        }
    }
}

/// The C++ library's `sleep_until` names a duration to the kernel, so that nothing is due; what ended is counted all the same.
#[test]
fn a_controllers_loop_in_cpp_has_its_own_cycles_needs_root() {
    or_skip!(may_watch());
    let desk = Desk::new();
    or_skip!(compiled_by("c++", &["-O1", "-std=c++17"], &desk, "loop.cpp", &[]));
    let answer = watched(&desk, "-- ./loop 2000 300");
    let document = answer.json();
    let [served, skipped] = served_and_skipped(&answer);
    let seen = thread(&document, "loop");
    assert_eq!((count(seen, "served"), count(seen, "unseen")), (served, 0), "{seen:#}");
    match seen["rule"].as_str() {
        Some("relative") => assert!(seen["due"].is_null() && count(seen, "skipped") == 0, "{seen:#}"),
        Some("absolute") => assert_eq!(count(seen, "skipped"), skipped, "{seen:#}"),
        _ => panic!("{seen:#}"),
    }
}

/// Go's own threads wait for the timers, and one of them wakes the one that takes the ticks.
#[test]
fn a_go_tickers_own_ticks_are_found_needs_root() {
    or_skip!(may_watch());
    let desk = Desk::new();
    or_skip!(go_program(&desk));
    let answer = watched(&desk, "-- ./ticker 10000 100");
    let document = answer.json();
    let [served, _] = served_and_skipped(&answer);
    let threads = document["threads"].as_array().unwrap();
    let main = threads.iter().find(|seen| seen["thread_id"] == seen["process_id"]);
    let seen = main.unwrap_or_else(|| panic!("{document:#}"));
    assert_eq!((seen["wait"].as_str(), seen["rule"].as_str()), (Some("futex"), Some("event")), "{seen:#}");
    // A tick that is there already needs no wait.
    assert!((served * 9 / 10..=served + 2).contains(&count(seen, "served")), "{served}: {document:#}");
}

fn go_program(desk: &Desk) -> Result<(), prazo_testing::Skipped> {
    let go = program("go")?;
    let mut command = desk.command(go.to_str().expect("UTF-8"));
    command.args(["build", "-o", "ticker"]).arg(source_of("ticker.go"));
    let answer = Answer::of(command.output().expect("the compiler runs"));
    assert!(answer.code == Some(0), "the program compiles: {}", answer.stderr);
    Ok(())
}

/// The cycles of a JACK server that drives no card, as a client of it counts them.
#[test]
fn jacks_cycles_are_found_needs_root() {
    or_skip!(may_watch());
    let jackd = or_skip!(program("jackd"));
    let desk = Desk::new();
    or_skip!(compiled_by("cc", &["-O1"], &desk, "client.c", &["-l:libjack.so.0"]));
    let name = format!("prazo-{}", std::process::id());
    let words = ["-n", &name, "-m", "-r", "-d", "dummy", "-r", "48000", "-p", "480"];
    let server = Running::start(&desk, &jackd, &words);
    let script = format!("JACK_NO_START_SERVER=1 JACK_DEFAULT_SERVER={name} exec ./client");
    desk.write("client.sh", script + " \"$@\"\n");
    // It takes clients once its driver runs.
    let is_ready = || desk.shell(&[], "sh client.sh 1").code == Some(0);
    if !wait_for(Duration::from_secs(20), is_ready) {
        skip!(Need::Program("jackd"), "the server takes no client here");
    }
    let answer = watched(&desk, "-- sh client.sh 100");
    drop(server);
    let document = answer.json();
    let [served, _] = served_and_skipped(&answer);
    let threads = document["threads"].as_array().unwrap();
    let counts: Vec<u64> = threads.iter().map(|seen| count(seen, "served")).collect();
    // The thread that the server wakes waits once for each cycle, and once more until it is cancelled. On a busy machine it
    // also waits for the C library's own lock on a thread, once as it starts and once as it ends.
    assert!(counts.iter().any(|count| (served..=served + 3).contains(count)), "{served}: {document:#}");
}
