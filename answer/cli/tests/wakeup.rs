//! Threads that wake each other: every wake accounted for, a run that every reader opens, and refusals that name the flag.

mod support;

use prazo_testing::{Need, Skipped, or_skip, skipped};
use std::time::Duration;
use support::{Desk, adds_up, caveats, may_be_real_time, wait_for};

const METHODS: [&str; 9] =
    ["futex", "mutex", "condvar", "semaphore", "sysv-semaphore", "mqueue", "pipe", "eventfd", "signal"];

#[test]
fn every_method_leaves_a_run_that_reports_open() {
    let desk = Desk::new();
    for method in METHODS {
        let words = format!(
            "measure wakeup --method {method} -p other -c 0 -n 200 --warm-up 0s --plain --json -o {method}.prazo"
        );
        let measured = desk.prazo(&words).expect_code(0).json();
        adds_up(&measured);
        assert_eq!((measured["served"].as_u64(), measured["lost"].as_u64()), (Some(200), Some(0)), "{method}");
        assert!(measured["cpus"][0]["min_ns"].as_i64().unwrap() > 0, "{method}: {measured}");
        assert!(caveats(&measured).contains(&"not-real-time"), "{method}");
        let report = desk.prazo(&format!("report {method}.prazo --format text")).expect_code(0).stdout;
        assert!(report.contains("wake to task"), "{report}");
        let page = desk.prazo(&format!("report {method}.prazo -o {method}.html")).expect_code(0);
        assert_eq!(page.stderr.matches("panicked").count(), 0);
        let html = std::fs::read_to_string(desk.path(&format!("{method}.html"))).unwrap();
        assert!(html.contains(&format!("{method}, woken from the same processor")), "{method}");
    }
    // The plan is in the file, so the run can be repeated on another processor.
    let again = desk.prazo("measure plan mutex.prazo -c 0 --plain --json -o again.prazo").expect_code(0).json();
    assert_eq!(again["served"], 200);
}

#[test]
fn all_measures_each_method_into_a_file_of_its_own() {
    let desk = Desk::new();
    // --inherit is for those that have a mutex, and no error for the others.
    let words = "measure wakeup --method all --inherit -p other -c 0 -n 20 --warm-up 0s --plain --json -o all.prazo";
    let measured = desk.prazo(words).expect_code(0).json();
    let runs: Vec<&str> = measured.as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap()).collect();
    assert_eq!(runs, METHODS.map(|method| format!("all-{method}")));
    for run in measured.as_array().unwrap() {
        adds_up(run);
        assert_eq!(run["served"], 20);
        assert!(desk.path(run["file"].as_str().unwrap()).is_file());
    }
    assert!(!desk.path("all.prazo").exists());
}

fn two_processors() -> Result<(), Skipped> {
    let number = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if number >= 2 { Ok(()) } else { Err(skipped(Need::TwoProcessors, "available_parallelism(3) is 1")) }
}

#[test]
fn a_move_to_another_processor_is_a_run_that_reports_open() {
    or_skip!(two_processors());
    let desk = Desk::new();
    let words = "measure wakeup --method migrate -p other -c 0 -n 200 --warm-up 0s --deadline 10s --plain --json -o moves.prazo";
    let measured = desk.prazo(words).json();
    adds_up(&measured);
    assert_eq!((measured["served"].as_u64(), measured["lost"].as_u64()), (Some(200), Some(0)));
    assert!(measured["cpus"][0]["min_ns"].as_i64().unwrap() > 0, "{measured}");
    assert!(!caveats(&measured).contains(&"affinity-changed"));
    let report = desk.prazo("report moves.prazo --format text").stdout;
    assert!(report.contains("migration latency"), "{report}");
    // A thread that is not a real-time one is not pushed.
    desk.prazo("measure wakeup --method push -p other --plain")
        .expect_code(2)
        .expect_error(&["--method push", "--policy"]);
}

#[test]
fn what_cannot_be_asked_for_is_a_usage_error_that_names_the_flag() {
    let desk = Desk::new();
    for (words, named) in [
        ("--method futex --inherit", "--inherit"),
        ("--method semaphor", "--method"),
        ("--waker-cpu 1023", "--waker-cpu"),
        ("--waker-cpu nowhere", "--waker-cpu"),
        ("--waker-priority 100", "--waker-priority"),
        ("-p deadline", "--policy deadline"),
        ("-i 0ns", "--period"),
        ("-n 0", "--count"),
        ("--deadline 0ns", "--deadline"),
    ] {
        desk.prazo(&format!("measure wakeup {words} --plain")).expect_code(2).expect_error(&[named]);
    }
}

#[test]
fn an_interrupt_ends_a_run_with_what_was_measured() {
    let desk = Desk::new();
    for method in ["futex", "mutex"] {
        let words = format!(
            "measure wakeup --method {method} -p other -c 0 -i 300s -D 1h --warm-up 0s --plain -o {method}.prazo"
        );
        let mut child = desk.start(&words);
        let threads = format!("/proc/{}/task", child.id());
        let is_waking = || {
            let names = std::fs::read_dir(&threads).into_iter().flatten().flatten();
            names
                .filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok())
                .any(|name| name.starts_with("prazo-wake"))
        };
        assert!(wait_for(Duration::from_secs(30), is_waking), "{method}: the waking thread starts");
        let pid = child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        assert!(
            wait_for(Duration::from_secs(60), || child.try_wait().unwrap().is_some()),
            "{method}: it ends before the next wake"
        );
        let shown = desk.prazo(&format!("report {method}.prazo --format json")).stdout;
        assert!(shown.contains("interrupted"), "{method}: {shown}");
    }
}

#[test]
fn a_deadline_is_judged_needs_root() {
    or_skip!(may_be_real_time());
    let desk = Desk::new();
    let words = "measure wakeup -c 0 -n 500 --warm-up 0s --deadline 1ns --plain --json -o late.prazo";
    let measured = desk.prazo(words).expect_code(1).json();
    assert_eq!((measured["missed"].as_u64(), measured["verdict"]["outcome"].as_str()), (Some(500), Some("fail")));
}
