//! `prazo cost` from outside: its statuses, its document, its agreement with other tools, and that nothing is left of it.

mod support;

use prazo_testing::{Need, OrSkipped, or_skip, skip};
use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;
use support::processes::{below, is_alive};
use support::{Answer, Desk, PRAZO, possible, wait_for};

/// Seconds of processor time without sleep: a loop of the shell itself.
const BUSY: &str = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";

fn cost(desk: &Desk, words: &[&str]) -> Answer {
    Answer::of(desk.command(PRAZO).arg("cost").args(words).output().expect("prazo starts"))
}

fn value(document: &Value, figure: &str) -> Option<u64> {
    document[figure]["value"].as_u64()
}

#[test]
fn every_figure_has_a_source_or_a_reason_and_never_both() {
    let desk = Desk::new();
    let document = cost(&desk, &["--json", "--counters", "--", "sh", "-c", "exit 3"]).expect_code(3).json();
    let figures = ["wall", "user", "system", "run_queue_wait", "blocked", "io_wait"].map(|name| format!("{name}_ns"));
    let counts =
        ["voluntary_switches", "involuntary_switches", "minor_faults", "major_faults", "migrations", "processes"];
    for name in figures.iter().map(String::as_str).chain(counts).chain(["tasks", "instructions", "cycles"]) {
        let figure = &document[name];
        let has_value = figure["value"].is_u64();
        assert_eq!(figure["source"].is_string(), has_value, "{name}: {figure}");
        assert_eq!(figure["reason"].is_null(), has_value, "{name}: {figure}");
        assert_eq!(figure["runs"].as_array().map(Vec::len), Some(1), "{name}: {figure}");
    }
    assert_eq!(document["exit"][0]["status"], 3);
    assert_eq!(document["exit"][0]["source"], "wait4");
}

#[test]
fn statuses_are_those_of_env() {
    let desk = Desk::new();
    for (script, code) in [
        ("$PRAZO cost -- sh -c 'exit 7'", 7),
        ("$PRAZO cost -- sh -c 'kill -TERM $$'", 143),
        ("$PRAZO cost -- /nowhere/at/all", 127),
        ("$PRAZO cost -- /", 126),
        ("$PRAZO cost", 125),
        ("$PRAZO cost --no-such-flag -- true", 125),
        ("$PRAZO cost --workload no-such", 125),
        ("$PRAZO cost --runs 2 --vs \"'\" -- true", 125),
        ("$PRAZO cost --runs 3 -- sh -c 'exit 5'", 5),
        ("$PRAZO cost --help", 0),
    ] {
        desk.shell(&[], script).expect_code(code);
    }
    desk.shell(&[], "$PRAZO cost -- /nowhere/at/all").expect_error(&["/nowhere/at/all", "No such file"]);
}

#[test]
fn a_single_run_keeps_its_input_and_output_and_the_document_stays_apart() {
    let desk = Desk::new();
    let plain = desk.shell(&[], "echo hello | $PRAZO cost -- cat").expect_code(0);
    assert_eq!(plain.stdout, "hello\n");
    assert!(plain.stderr.contains("run-queue wait"), "{}", plain.stderr);
    let json = desk.shell(&[], "echo hello | $PRAZO cost --json -- cat").expect_code(0);
    assert!(json.json()["wall_ns"]["value"].is_u64() && json.stderr.contains("hello"));
    let both = desk.shell(&[], "echo hello | $PRAZO cost -o cost.json -- cat").expect_code(0);
    assert_eq!(both.stdout, "hello\n");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(desk.path("cost.json")).unwrap()).unwrap();
    assert_eq!(written["command"][0], "cat");
}

/// A process that is ended even where the test panics.
struct Ended(std::process::Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The paths that the journal of a desk names.
fn journalled(desk: &Desk) -> Vec<std::path::PathBuf> {
    let text = std::fs::read_to_string(desk.path("state/journal.json")).unwrap_or_default();
    let journal: Value = serde_json::from_str(&text).unwrap_or_default();
    let paths = journal["entries"].as_array().into_iter().flatten().filter_map(|entry| entry["step"]["path"].as_str());
    paths.map(Into::into).collect()
}

/// Kills `prazo cost` while it costs a workload; what it had made by then, and what it was about to make.
fn killed_while_costing(desk: &Desk) -> Vec<std::path::PathBuf> {
    let words = ["cost", "--workload", "archive", "--size", "1000"];
    let mut running = Ended(desk.command(PRAZO).args(words).env("TMPDIR", desk.folder()).spawn().unwrap());
    let mut made = Vec::new();
    // The journal names what is about to be made, so that both are looked for.
    let begun = wait_for(Duration::from_secs(60), || {
        made = journalled(desk);
        made.len() == 2 && made.iter().all(|path| path.exists())
    });
    running.0.kill().unwrap();
    running.0.wait().unwrap();
    assert!(begun, "{made:?}");
    made.extend(journalled(desk));
    made
}

#[test]
fn what_a_killed_run_has_made_is_removed_by_the_next_command_and_by_undo() {
    let desk = Desk::new();
    let has_group =
        cost(&desk, &["--json", "--", "true"]).expect_code(0).json()["user_ns"]["source"] == "cgroup cpu.stat";
    if !has_group {
        skip!(Need::ControlGroups, "no group can be made");
    }
    or_skip!(possible(Need::Program("tar"), &["tar", "--version"]));
    for next in ["load --list", "tune undo"] {
        let made = killed_while_costing(&desk);
        desk.prazo(next).expect_code(0);
        assert!(!made.iter().any(|path| path.exists()), "after {next}: {made:?}");
        assert_eq!(journalled(&desk), [] as [std::path::PathBuf; 0], "after {next}");
    }
}

#[test]
fn two_settings_are_run_in_the_same_rounds_and_compared() {
    let desk = Desk::new();
    let twice = format!("sh -c '{BUSY}; {BUSY}'");
    let words = ["--json", "--runs", "6", "--seed", "5", "--vs", &twice, "--", "sh", "-c", BUSY];
    let document = cost(&desk, &words).expect_code(0).json();
    let versus = &document["versus"][0];
    assert_eq!((document["wall_ns"]["runs"].as_array().unwrap().len(), document["warm_up"].as_u64()), (6, Some(1)));
    for side in [&document, versus] {
        let wall = &side["wall_ns"];
        let mut runs: Vec<u64> = wall["runs"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
        runs.sort_unstable();
        assert_eq!(wall["value"].as_u64(), Some(u64::midpoint(runs[2], runs[3])), "the median of {runs:?}");
        assert!(wall["interval"]["low"].as_f64() <= wall["value"].as_f64(), "{wall}");
        assert!(wall["value"].as_f64() <= wall["interval"]["high"].as_f64(), "{wall}");
    }
    let ratio = versus["executed_ratio"]["value"].as_f64().unwrap();
    assert!((1.5..2.7).contains(&ratio), "twice the work executes about twice as long: {ratio}");
    let interval = &versus["executed_ratio"]["interval"];
    assert!(interval["low"].as_f64().unwrap() <= ratio && ratio <= interval["high"].as_f64().unwrap());
    assert_eq!(document["penalty"].as_f64(), Some(1.0), "the quicker one is the best");
    assert!((versus["penalty"].as_f64().unwrap() - ratio).abs() < 1e-9);
}

/// One run that both see, since what others do to the machine changes from run to run; ours has GNU time itself in it.
#[test]
fn figures_agree_with_gnu_time() {
    or_skip!(possible(Need::Program("time"), &["/usr/bin/time", "-v", "true"]));
    let desk = Desk::new();
    let script = format!("{BUSY}; sleep 0.2; /bin/true; head -c 20000000 /dev/zero | tail -c 1");
    let words = ["-o", "cost.json", "--", "/usr/bin/time", "-o", "time", "-v", "sh", "-c", &script];
    let answer = cost(&desk, &words).expect_code(0);
    let ours: Value =
        serde_json::from_str(&std::fs::read_to_string(desk.path("cost.json")).expect(&answer.stderr)).unwrap();
    let time = std::fs::read_to_string(desk.path("time")).unwrap();
    let theirs = |key: &str| -> f64 {
        let line = time.lines().find_map(|line| line.trim().strip_prefix(key));
        line.unwrap_or_else(|| panic!("no {key} in {time}")).trim_start_matches(':').trim().parse().unwrap()
    };
    let executed = (value(&ours, "user_ns").unwrap() + value(&ours, "system_ns").unwrap()) as f64 / 1e9;
    let their_executed = theirs("User time (seconds)") + theirs("System time (seconds)");
    // GNU time prints hundredths, of two figures.
    let (low, high) = (their_executed * 0.95 - 0.02, their_executed * 1.1 + 0.1);
    assert!((low..high).contains(&executed), "{executed} s and {their_executed} s");
    for (figure, key, own) in [
        ("minor_faults", "Minor (reclaiming a frame) page faults", 1_000.0),
        ("voluntary_switches", "Voluntary context switches", 50.0),
    ] {
        let (our_count, their_count) = (value(&ours, figure).unwrap() as f64, theirs(key));
        // A record is made before the last switch of its task, and before its memory is freed.
        let (low, high) = (their_count * 0.9 - 10.0, their_count * 1.1 + own);
        assert!((low..high).contains(&our_count), "{figure}: {our_count}, and GNU time has {their_count}");
    }
}

/// perf counts what it starts from its exec on; ours has perf itself in it, which an account of its own tells.
#[test]
fn figures_agree_with_perf_stat() {
    let desk = Desk::new();
    let events = "task-clock,page-faults,context-switches,cpu-migrations";
    let perf = |script: &str| {
        let words = ["perf", "stat", "-x", ",", "-o", "perf", "-e", events, "--", "sh", "-c", script];
        let answer = cost(&desk, &[&["--force", "-o", "cost.json", "--"], &words[..]].concat()).expect_code(0);
        let text = std::fs::read_to_string(desk.path("cost.json")).expect(&answer.stderr);
        (serde_json::from_str::<Value>(&text).unwrap(), std::fs::read_to_string(desk.path("perf")).unwrap())
    };
    or_skip!(possible(Need::Counters, &["perf", "stat", "-x", ",", "-o", "/dev/null", "-e", events, "true"]));
    let (own, _) = perf("exit");
    let (ours, stat) = perf(&format!("{BUSY}; sleep 0.1; /bin/true; head -c 20000000 /dev/zero | tail -c 1"));
    let theirs = |event: &str| -> f64 {
        let line = stat.lines().find(|line| line.contains(event)).unwrap_or_else(|| panic!("no {event} in {stat}"));
        line.split(',').next().unwrap().parse().unwrap_or_else(|_| panic!("no figure in {line}"))
    };
    let sum = |document: &Value, names: [&str; 2]| {
        names.iter().map(|name| value(document, name).unwrap() as f64).sum::<f64>()
    };
    for (names, event, unit, slack) in [
        (["user_ns", "system_ns"], "task-clock", 1e6, 30.0),
        (["minor_faults", "major_faults"], "page-faults", 1.0, 300.0),
        (["voluntary_switches", "involuntary_switches"], "context-switches", 1.0, 30.0),
    ] {
        let (whole, own) = (sum(&ours, names) / unit, sum(&own, names) / unit);
        let (low, high) = (theirs(event) * 0.9 - slack, theirs(event) * 1.1 + own + slack);
        assert!((low..high).contains(&whole), "{event}: {whole}, perf has {}, and is {own} itself", theirs(event));
    }
}

#[test]
fn a_run_that_fails_is_in_no_median_and_its_ending_is_told() {
    let desk = Desk::new();
    let once = "echo x >> n; test $(wc -l < n) -ne 3";
    let document =
        cost(&desk, &["--json", "--runs", "4", "--warm-up", "0", "--", "sh", "-c", once]).expect_code(1).json();
    assert_eq!((document["runs"].as_u64(), document["counted"].as_u64()), (Some(4), Some(3)));
    assert_eq!(document["wall_ns"]["runs"].as_array().map(Vec::len), Some(3));
    assert_eq!(document["exit"].as_array().map(Vec::len), Some(4));
    let document = cost(&desk, &["--json", "--runs", "4", "--", "sh", "-c", "kill -KILL $$"]).expect_code(137).json();
    assert_eq!((document["counted"].as_u64(), document["wall_ns"]["value"].as_u64()), (Some(0), None));
    assert!(document["wall_ns"]["reason"].as_str().unwrap().contains("no valid run"));
    assert!(document["slowdown"].is_null() && document["unjudged"].is_string());
}

/// The kernel's own file of a process that we can still read: its waits while it lives, ours after it has ended.
#[test]
fn waits_switches_and_processor_time_agree_with_proc() {
    let desk = Desk::new();
    let script = format!("{BUSY}; cat /proc/$$/schedstat; grep ^voluntary /proc/$$/status");
    let answer = cost(&desk, &["-o", "cost.json", "--", "sh", "-c", &script]).expect_code(0);
    let ours: Value = serde_json::from_str(&std::fs::read_to_string(desk.path("cost.json")).unwrap()).unwrap();
    let fields: Vec<u64> = answer.stdout.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let Some(wait) = value(&ours, "run_queue_wait_ns") else {
        skip!(Need::SchedulerStatistics, "{}", ours["run_queue_wait_ns"]["reason"]);
    };
    assert!(wait >= fields[1], "the shell alone waited {} ns, with its child {wait} ns", fields[1]);
    let executed = value(&ours, "user_ns").unwrap() + value(&ours, "system_ns").unwrap();
    // The shell's last slice is not in its own file yet; cgroup times are in microseconds.
    assert!(executed + 2_000 >= fields[0], "the shell alone executed {} ns, all of it {executed} ns", fields[0]);
    assert!(executed < fields[0] * 2, "the shell did nearly all of the work");
    // The shell sleeps for each of its two children, the second time after it was read, and they sleep little.
    let (switches, its) = (value(&ours, "voluntary_switches").unwrap(), fields[3]);
    assert!(
        (its..its + 20).contains(&switches),
        "the shell alone slept {its} times, with its children {switches} times"
    );
}

#[test]
fn a_signal_is_passed_on_and_ends_the_repetition() {
    let desk = Desk::new();
    let words = ["cost", "--json", "--runs", "50", "--", "sh", "-c", "trap 'exit 9' TERM; sleep 61 & wait"];
    let child = desk.command(PRAZO).args(words).spawn().unwrap();
    assert!(wait_for(Duration::from_secs(20), || below(child.id()).len() >= 2), "the command has begun");
    let tree = below(child.id());
    assert!(std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let answer = Answer::of(child.wait_with_output().unwrap()).expect_code(9);
    let document = answer.json();
    assert_eq!(document["exit"].as_array().map(Vec::len), Some(1));
    assert_eq!(document["exit"][0]["interrupted"], true);
    assert!(!tree.iter().any(is_alive), "nothing is left: {tree:?}");
}

#[test]
fn a_command_dies_with_prazo_and_the_next_run_clears_its_group() {
    let desk = Desk::new();
    let mut child = desk.command(PRAZO).args(["cost", "--", "sleep", "61"]).stderr(Stdio::null()).spawn().unwrap();
    assert!(wait_for(Duration::from_secs(20), || !below(child.id()).is_empty()), "the command has begun");
    let tree = below(child.id());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(wait_for(Duration::from_secs(20), || !tree.iter().any(is_alive)));
    cost(&desk, &["--", "true"]).expect_code(0);
    assert!(groups_of(child.id()).is_empty(), "{:?}", groups_of(child.id()));
}

#[test]
fn a_workloads_folder_that_a_killed_prazo_left_is_cleared_by_the_next() {
    or_skip!(possible(Need::Program("tar"), &["tar", "--version"]));
    or_skip!(possible(Need::Program("gzip"), &["gzip", "--version"]));
    let desk = Desk::new();
    let temporary = desk.path("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let workload = |words: &str| {
        let mut command = desk.command(PRAZO);
        command.args(["cost", "--workload", "archive"]).args(words.split_whitespace()).env("TMPDIR", &temporary);
        command
    };
    let folders = || std::fs::read_dir(&temporary).unwrap().count();
    let mut child = workload("--size 30 --runs 10000").stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    assert!(
        wait_for(Duration::from_secs(20), || folders() == 1 && !below(child.id()).is_empty()),
        "the workload has begun"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(folders(), 1, "nobody could clear it");
    Answer::of(workload("--size 1").output().unwrap()).expect_code(0);
    assert_eq!(folders(), 0);
}

/// The control groups that this owner has left in our own group.
fn groups_of(pid: u32) -> Vec<String> {
    let root = prazo_platform::Root::system();
    let own = prazo_platform::cgroup::Cgroups::read(&root).ok().and_then(|groups| groups.own_v2());
    let names = own.and_then(|own| root.list(&own).ok()).unwrap_or_default();
    names.into_iter().filter(|name| name.starts_with(&format!("prazo-cost-{pid}-"))).collect()
}

/// Without privileges what needs them is missing with a reason, and the rest says what it leaves out.
#[test]
fn without_root_the_gaps_are_named() {
    let nobody =
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"];
    or_skip!(possible(Need::Root, &[&nobody[..], &[PRAZO, "--version"]].concat()));
    let desk = Desk::new();
    let answer = desk.shell(&nobody, "$PRAZO cost --json -- sh -c '/bin/true; exit 4'").expect_code(4);
    let document = answer.json();
    for name in ["run_queue_wait_ns", "blocked_ns", "processes"] {
        assert!(document[name]["value"].is_null(), "{name}");
        assert!(document[name]["reason"].as_str().unwrap().contains("root"), "{}", document[name]);
    }
    assert_eq!(document["minor_faults"]["source"], "wait4 rusage");
    assert!(document["minor_faults"]["leaves_out"].is_string());
}

#[test]
fn in_a_container_the_gaps_are_named() {
    let contained = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--net", "--cgroup"];
    or_skip!(possible(Need::Namespaces, &[&contained[..], &["true"]].concat()));
    let desk = Desk::new();
    let document = desk.shell(&contained, "$PRAZO cost --json -- sh -c '/bin/true; exit 4'").expect_code(4).json();
    let reason = document["run_queue_wait_ns"]["reason"].as_str().expect("a reason");
    assert!(reason.contains("root") || reason.contains("container"), "{reason}");
    assert!(value(&document, "wall_ns").is_some() && value(&document, "user_ns").is_some());
}

#[test]
fn delay_accounting_that_is_off_is_said_and_not_switched_on() {
    let knob = "/proc/sys/kernel/task_delayacct";
    let before = or_skip!(std::fs::read_to_string(knob).or_skipped(Need::SchedulerStatistics));
    let desk = Desk::new();
    let document = cost(&desk, &["--json", "--", "true"]).expect_code(0).json();
    assert_eq!(std::fs::read_to_string(knob).unwrap(), before, "no setting is changed");
    let is_off = before.trim() == "0";
    let knows_records = value(&document, "processes").is_some();
    assert_eq!(value(&document, "io_wait_ns").is_some(), !is_off && knows_records, "{}", document["io_wait_ns"]);
    if is_off && knows_records {
        assert!(document["io_wait_ns"]["reason"].as_str().unwrap().contains("task_delayacct"));
    }
}

/// An account of an account: the outer one has the command's processor time and that of the inner one's own work.
///
/// Both are of one run: the same loop takes up to twice as much in the next one where others use the machine.
#[test]
fn costing_executes_little_beside_the_command() {
    let desk = Desk::new();
    // Long enough that 50 ms of the account's own work, in a debug build, are little.
    let script = [BUSY; 4].join("; ");
    let inner = [PRAZO, "cost", "--json", "-o", "inner.json", "--", "sh", "-c", &script];
    cost(&desk, &[&["--json", "-o", "outer.json", "--"], &inner[..]].concat()).expect_code(0);
    let executed = |file: &str| {
        let document: Value = serde_json::from_str(&std::fs::read_to_string(desk.path(file)).unwrap()).unwrap();
        value(&document, "user_ns").unwrap() + value(&document, "system_ns").unwrap()
    };
    let (command, both) = (executed("inner.json"), executed("outer.json"));
    let ratio = both as f64 / command as f64;
    assert!((1.0..1.1).contains(&ratio), "{ratio} times the command's {command} ns with its account");
}

/// What `prazo evaluate --cost` runs beside programs, asked as it asks for it.
#[test]
fn the_task_beside_takes_the_share_that_it_is_given_or_says_what_was_refused() {
    let desk = Desk::new();
    let script = "sleep 1 | $PRAZO cost-companion 0 50 1000000 200000";
    let told = desk.shell(&[], script).expect_code(0).stdout;
    let Some(done) = told.strip_prefix("ready\n") else { skip!(Need::RealTime, "{told}") };
    let numbers: Vec<f64> = done.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let [served, skipped, computed_ns, lived_ns] = numbers[..] else { panic!("{done}") };
    let releases = lived_ns / 1e6;
    assert!((served + skipped - releases).abs() <= 2.0, "a release each millisecond: {done}");
    let each_ns = computed_ns / served;
    assert!((200_000.0..300_000.0).contains(&each_ns), "{each_ns} ns of processor time for each release");
    let refused = desk.shell(&[], "sleep 0 | $PRAZO cost-companion 0 150 1000000 200000").expect_code(0).stdout;
    assert!(refused.contains("Invalid argument"), "{refused}");
}

#[test]
fn a_workload_does_the_size_it_is_given_and_leaves_nothing() {
    or_skip!(possible(Need::Program("tar"), &["tar", "--version"]));
    or_skip!(possible(Need::Program("gzip"), &["gzip", "--version"]));
    let desk = Desk::new();
    let words = "cost --json --workload archive --size 30 --runs 2";
    std::fs::create_dir(desk.path("temporary")).unwrap();
    let mut command = desk.command(PRAZO);
    command.args(words.split_whitespace()).env("TMPDIR", desk.path("temporary"));
    let document = Answer::of(command.output().unwrap()).expect_code(0).json();
    assert_eq!(
        (document["workload"]["size"].as_u64(), document["workload"]["piloted"].as_bool()),
        (Some(30), Some(false))
    );
    assert!(document["workload"]["programs"][0]["version"].as_str().unwrap().contains("tar"));
    assert_eq!(std::fs::read_dir(desk.path("temporary")).unwrap().count(), 0, "the folder is gone");
}

#[test]
fn a_workload_with_a_server_costs_the_client_and_ends_the_server() {
    or_skip!(possible(Need::Program("iperf3"), &["iperf3", "--version"]));
    let desk = Desk::new();
    let words = ["--json", "--workload", "net-stream", "--size", "32", "--warm-up", "0"];
    let document = cost(&desk, &words).expect_code(0).json();
    assert_eq!(document["exit"][0]["left_behind"], 0, "the server is apart");
    assert!(value(&document, "server_ns").unwrap() > 0, "and its processor time is told");
    if let Some(processes) = value(&document, "processes") {
        assert_eq!(processes, 1, "the client alone");
    }
    let listing = cost(&desk, &["--list", "--json"]).expect_code(0).json();
    let one = listing.as_array().unwrap().iter().find(|one| one["name"] == "net-stream").unwrap();
    assert_eq!(one["missing_packages"].as_array().map(Vec::len), Some(0));
}
