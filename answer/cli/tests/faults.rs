//! What goes wrong while measuring: killed, interrupted, the disk full, the file locked or removed. Nothing is lost uncounted,
//! and nothing stays behind.

mod support;

use prazo_testing::{Need, or_skip, skip};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use support::processes::{Process, below, is_alive};
use support::{
    Answer, Desk, OWN_MOUNTS, adds_up, caveats, is_real_time_granted, may_be_real_time, may_mount, possible, wait_for,
};

/// `prazo measure timer --plain` of which the first second has been seen.
struct Measuring {
    child: Child,
    since: Instant,
    stderr: BufReader<std::process::ChildStderr>,
}

impl Measuring {
    fn start(desk: &Desk, words: &str) -> Self {
        let mut child = desk.start(&format!("measure timer --plain {words}"));
        let mut stderr = BufReader::new(child.stderr.take().expect("standard error is caught"));
        let mut line = String::new();
        while !line.contains("served") {
            line.clear();
            assert_ne!(stderr.read_line(&mut line).expect("progress"), 0, "prazo ended before it measured");
        }
        Self { child, since: Instant::now(), stderr }
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.pid().to_string()]).status();
        assert!(sent.expect("kill(1)").success());
    }

    fn answer(mut self) -> Answer {
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.stderr, &mut rest).expect("UTF-8");
        let mut answer = Answer::of(self.child.wait_with_output().expect("prazo ends"));
        answer.stderr = rest;
        answer
    }
}

/// Numbers that differ each time, from a seed that is printed.
struct Random(u64);

impl Random {
    fn new() -> Self {
        let seed = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_nanos() as u64 | 1;
        println!("seed {seed}");
        Self(seed)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Rounds of killing: what is measured, under which load.
const ROUNDS: &[&str] = &[
    "-p POLICY -i 1ms --load cpu=1",
    "-p POLICY -i 1ms --method setitimer --load proc-read=1",
    "-p POLICY -i 2ms --load udp-flood=1000",
    "-p other -i 1ms --method posix-timer --load disk-write=1",
    "-p other -i 1ms --method setitimer",
    "-p POLICY -i 500us --method timerfd --load cpu=1 --cycle 1s",
];

#[test]
fn killed_at_any_time_the_run_opens_and_nobody_is_left_behind() {
    let policy = if is_real_time_granted() { "fifo" } else { "other" };
    let desk = Desk::new();
    let mut random = Random::new();
    for (number, words) in ROUNDS.iter().enumerate() {
        let words = words.replace("POLICY", policy);
        let file = format!("{number}.prazo");
        let mut measuring = Measuring::start(&desk, &format!("{words} -D 60s --lead-in 0ns -o {file}"));
        std::thread::sleep(Duration::from_millis(random.below(2_500)));
        let family = below(measuring.pid());
        let since_first_second = measuring.since.elapsed();
        measuring.child.kill().expect("it is ours");
        measuring.child.wait().expect("it ends");
        let expects_children = words.contains("--load") || words.contains("setitimer");
        assert!(!family.is_empty() || !expects_children, "round {number}: there is nobody to be left behind");
        nobody_left(&family, &words);
        let kept_s = opens_as_died(&desk, &file);
        let lost_s = 1.0 + since_first_second.as_secs_f64() - kept_s;
        println!("round {number}, {words}: {} processes gone, {kept_s:.2} s kept, {lost_s:.2} s lost", family.len());
        // At most one second waits for the next transaction; one more for a recorder that a busy machine kept waiting.
        assert!(lost_s < 2.0, "round {number}: {lost_s} s are lost");
        nothing_left_to_undo(&desk);
    }
}

#[track_caller]
fn nobody_left(family: &std::collections::BTreeSet<Process>, words: &str) {
    let alive = || family.iter().filter(|process| is_alive(process)).collect::<Vec<_>>();
    let gone = wait_for(Duration::from_secs(10), || alive().is_empty());
    assert!(gone, "{words}: still alive: {:?}", alive());
}

/// Checks that all adds up; returns how many seconds of activations the shortest series holds.
fn opens_as_died(desk: &Desk, file: &str) -> f64 {
    let run = desk.prazo(&format!("export {file} --json")).expect_code(0).json();
    assert_eq!(run["ending"]["kind"], "died");
    assert!(caveats(&run).contains(&"interrupted"));
    let series = run["series"].as_array().expect("series");
    assert!(!series.is_empty());
    let kept = series.iter().map(|series| {
        let timeline = series["timeline"].as_array().expect("a timeline");
        let sum = |name: &str, warm_up: bool| -> u64 {
            let seconds = timeline.iter().filter(|second| second["warm_up"] == warm_up);
            seconds.map(|second| second[name].as_u64().expect("a count")).sum()
        };
        assert_eq!(samples(&series["histogram"]) + sum("lost", false), sum("count", false), "{file}");
        let activations: u64 =
            [true, false].map(|warm_up| sum("count", warm_up) + sum("skipped", warm_up)).iter().sum();
        activations as f64 * period_s(&run)
    });
    kept.fold(f64::INFINITY, f64::min)
}

fn samples(histogram: &Value) -> u64 {
    let cells = histogram["cells"].as_array().expect("cells").iter().map(|cell| cell[1].as_u64().expect("a count"));
    cells.sum::<u64>() + histogram["overflow"].as_u64().expect("overflow")
}

fn period_s(run: &Value) -> f64 {
    run["plan"]["threads"][0]["period_ns"].as_u64().expect("a period") as f64 / 1e9
}

/// The next start puts back what the killed one changed.
fn nothing_left_to_undo(desk: &Desk) {
    desk.prazo("tune undo --json").expect_code(0);
    let entries = journal(desk);
    assert!(entries.is_empty(), "still journalled: {entries:?}");
}

fn journal(desk: &Desk) -> Vec<Value> {
    let Ok(text) = std::fs::read_to_string(desk.path("state/journal.json")) else { return Vec::new() };
    let journal: Value = serde_json::from_str(&text).expect("the journal is JSON");
    journal["entries"].as_array().expect("entries").clone()
}

#[test]
fn what_a_killed_run_changed_is_put_back_by_the_next_start_needs_root() {
    or_skip!(may_be_real_time());
    let cpu = std::thread::available_parallelism().expect("processors").get() - 1;
    let desk = Desk::new();
    let mut measuring = Measuring::start(&desk, &format!("-p deadline -c {cpu} -i 10ms -D 60s -o killed.prazo"));
    measuring.child.kill().expect("it is ours");
    measuring.child.wait().expect("it ends");
    let changed = journal(&desk);
    if changed.is_empty() {
        skip!(Need::RootDomains, "nothing was changed");
    }
    assert!(
        changed.iter().all(|entry| !is_as_before(&entry["step"])),
        "the journal names what is changed: {changed:?}"
    );
    let words = format!("measure timer -D 2s -p other -c {cpu} --plain -o next.prazo --json");
    let next = desk.prazo(&words).expect_code(0).json();
    assert!(!caveats(&next).contains(&"leftover-not-restored"), "{}", next["caveats"]);
    let astray: Vec<_> = changed.iter().filter(|entry| !is_as_before(&entry["step"])).collect();
    assert!(astray.is_empty(), "not put back: {astray:?}");
    assert!(journal(&desk).is_empty());
}

/// A knob holds its earlier value, a folder that was made is gone.
fn is_as_before(step: &Value) -> bool {
    let path = step["path"].as_str().expect("a path");
    match step["before"].as_str() {
        Some(before) => std::fs::read_to_string(path).expect("a knob").trim() == before,
        None => !std::path::Path::new(path).exists(),
    }
}

#[test]
fn an_interrupted_run_keeps_what_was_measured() {
    for signal in ["INT", "TERM"] {
        let desk = Desk::new();
        let measuring = Measuring::start(&desk, "-D 60s -p other --load cpu=1 --lead-in 0ns -o r.prazo --json");
        std::thread::sleep(Duration::from_millis(1_200));
        let family = below(measuring.pid());
        measuring.signal(signal);
        let measured = measuring.answer().expect_code(0).json();
        assert_eq!(measured["ending"]["kind"], "interrupted", "SIG{signal}");
        assert!(measured["served"].as_u64().unwrap() > 0);
        adds_up(&measured);
        nobody_left(&family, signal);
        let again = desk.prazo("export r.prazo --json").expect_code(0).json();
        assert_eq!(again["ending"]["kind"], "interrupted");
        assert_eq!(std::fs::read_dir(desk.folder()).unwrap().filter(is_run).count(), 1, "one run is one file");
    }
}

#[test]
fn a_run_that_is_asked_for_its_figures_prints_them_and_goes_on() {
    for method in ["clock-nanosleep", "setitimer"] {
        let desk = Desk::new();
        let words = format!("-D 3s -p other --warm-up 0ns --method {method} -o r.prazo --json");
        let mut measuring = Measuring::start(&desk, &words);
        for _ in 0..2 {
            measuring.signal("USR1");
            let mut line = String::new();
            while !line.contains(": processor 0: served ") {
                line.clear();
                assert_ne!(
                    measuring.stderr.read_line(&mut line).expect("figures"),
                    0,
                    "prazo ended without its figures"
                );
            }
            assert!(line.contains("max ") && line.contains("lost 0"), "{line}");
        }
        let measured = measuring.answer().expect_code(0).json();
        assert_eq!(measured["ending"]["kind"], "complete", "{method}");
        adds_up(&measured);
    }
}

fn is_run(entry: &std::io::Result<std::fs::DirEntry>) -> bool {
    entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().contains(".prazo"))
}

#[test]
fn a_run_interrupted_while_loads_lead_in_ends_at_once_and_leaves_nobody() {
    let desk = Desk::new();
    let mut child = desk.start("measure timer -D 60s -p other --load cpu=1 --lead-in 50s --plain -o r.prazo");
    assert!(wait_for(Duration::from_secs(10), || !below(child.id()).is_empty()), "the load starts");
    let family = below(child.id());
    let signalled = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    let ended = wait_for(Duration::from_secs(20), || child.try_wait().unwrap().is_some());
    if !ended {
        child.kill().unwrap();
    }
    assert!(ended, "it goes on");
    nobody_left(&family, "lead-in");
}

/// Two cells: the second lasts long enough to be interrupted.
const TWO_LENGTHS: &str = r#"
[study]
name = "two"
title = "Two lengths"
question = "Is the short one kept?"
[[platform]]
id = "here"
[[load]]
id = "idle"
[[probe]]
id = "short"
policy = "other"
length = "1s"
[[probe]]
id = "long"
policy = "other"
length = "8s"
"#;

/// The states of a study's cells.
fn states(result: &Value) -> Vec<&str> {
    result["cells"].as_array().expect("cells").iter().map(|cell| cell["state"].as_str().expect("a state")).collect()
}

#[test]
fn an_interrupted_study_keeps_complete_runs_and_says_what_continues_and_what_writes_its_report() {
    let desk = Desk::new();
    desk.write("two.toml", TWO_LENGTHS);
    let words = "study run two.toml -o kept --report whole.html --plain --json";
    let child = desk.start(words);
    let begun = wait_for(Duration::from_secs(60), || desk.path("kept/here.idle.long.prazo").exists());
    std::thread::sleep(Duration::from_millis(1_200));
    let family = below(child.id());
    let signalled = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    let answer = Answer::of(child.wait_with_output().unwrap());
    assert!(begun, "the second cell does not begin: {}", answer.stderr);
    let answer = answer.expect_code(3);
    nobody_left(&family, words);
    let result = answer.json();
    assert_eq!((states(&result), &result["complete"]), (vec!["measured", "missing"], &Value::Bool(false)));
    let continues = format!("interrupted: kept keeps the complete runs; `prazo {words}` measures the rest");
    for said in [continues.as_str(), "whole.html is not written, because runs are missing", "prazo study show"] {
        assert!(answer.stderr.contains(said), "'{said}' is not in: {}", answer.stderr);
    }
    assert!(!desk.path("whole.html").exists());
    let kept = desk.prazo("export kept/here.idle.short.prazo --json").expect_code(0).json();
    assert_eq!(kept["ending"]["kind"], "complete");

    desk.prazo("study show two.toml -o kept --report part.html").expect_code(3);
    assert!(
        std::fs::read_to_string(desk.path("part.html")).unwrap().contains("Two lengths"),
        "what is there is reported"
    );
    let result = desk.prazo(words).expect_code(0).json();
    assert_eq!((states(&result), &result["complete"]), (vec!["reused", "measured"], &Value::Bool(true)));
    assert!(desk.path("whole.html").exists());
}

#[test]
fn a_removed_file_is_made_anew_with_everything_in_it() {
    let desk = Desk::new();
    let measuring = Measuring::start(&desk, "-D 5s -p other -o r.prazo --json");
    std::fs::remove_file(desk.path("r.prazo")).unwrap();
    let measured = measuring.answer().expect_code(0).json();
    nothing_lost(&measured, "run-file-moved");
    let again = desk.prazo("export r.prazo --json").expect_code(0).json();
    let seconds = again["series"][0]["timeline"].as_array().unwrap();
    assert_eq!(seconds[0]["at_s"], 0, "the seconds before the file was removed are there");
    // Five seconds are measured; the warm-up comes before them.
    assert_eq!(seconds.len(), 6);
}

#[test]
fn a_locked_file_keeps_samples_waiting_and_loses_none() {
    or_skip!(possible(Need::Program("sqlite3"), &["sqlite3", "--version"]));
    let desk = Desk::new();
    let measuring = Measuring::start(&desk, "-D 6s -p other -o r.prazo --json");
    let script = "sqlite3 -cmd '.timeout 2000' r.prazo 'BEGIN IMMEDIATE;' '.shell sleep 2.5' 'COMMIT;'";
    desk.shell(&[], script).expect_code(0);
    nothing_lost(&measuring.answer().expect_code(0).json(), "store-waited");
}

/// Measures on a small disk that is filled for a while.
const ON_A_FULL_DISK: &str = "
    mkdir disk refuge && mount -t tmpfs -o size=2m none disk || exit 77
    TMPDIR=$PWD/refuge \"$PRAZO\" measure timer -D 6s -p other --plain -o disk/r.prazo --json &
    sleep 2; dd if=/dev/zero of=disk/fill bs=1k 2>/dev/null
    sleep 2.5; MEANWHILE
    wait $!; code=$?; \"$PRAZO\" report disk/r.prazo --json > part.json 2> part.err; echo $? > part.code
    cp disk/r.prazo from-disk.prazo; exit $code";

#[test]
fn a_disk_that_is_full_for_a_while_loses_nothing() {
    or_skip!(may_mount());
    let desk = Desk::new();
    let answer = desk.shell(OWN_MOUNTS, &ON_A_FULL_DISK.replace("MEANWHILE", "rm disk/fill")).expect_code(0);
    nothing_lost(&answer.json(), "store-waited");
    desk.prazo("report from-disk.prazo").expect_code(0);
}

#[test]
fn a_disk_that_stays_full_sends_the_run_elsewhere_and_says_so() {
    or_skip!(may_mount());
    let desk = Desk::new();
    let answer = desk.shell(OWN_MOUNTS, &ON_A_FULL_DISK.replace("MEANWHILE", "true")).expect_code(0);
    let measured = answer.json();
    nothing_lost(&measured, "run-file-moved");
    let refuge: Vec<_> = std::fs::read_dir(desk.path("refuge")).unwrap().filter(is_run).collect();
    assert_eq!(refuge.len(), 1, "the whole run is in the folder for temporary files");
    let whole = refuge[0].as_ref().unwrap().path();
    assert_eq!(std::path::Path::new(measured["file"].as_str().unwrap()), whole.canonicalize().unwrap());
    assert!(answer.stderr.contains(whole.to_str().unwrap()), "standard error names it, too: {}", answer.stderr);
    let read = |name: &str| std::fs::read_to_string(desk.path(name)).unwrap();
    assert_eq!(read("part.code").trim(), "0", "what is on the full disk opens: {}", read("part.err"));
    assert!(read("part.json").contains("interrupted"), "as a part of a run");
}

#[track_caller]
fn nothing_lost(measured: &Value, caveat: &str) {
    adds_up(measured);
    assert_eq!(measured["lost"], 0);
    assert!(caveats(measured).contains(&caveat), "{:?}", caveats(measured));
    let counted: u64 = measured["cpus"].as_array().unwrap().iter().map(|cpu| cpu["count"].as_u64().unwrap()).sum();
    assert_eq!(measured["served"], counted);
}
