//! `prazo sched run`: every job of a set has its record, here and in a guest, and what cannot be run is refused by its reason.

use crate::support::schema::violation;
use crate::support::{Answer, Desk, OWN_MOUNTS, caveats, may_be_real_time, may_mount, possible, wait_for};
use crate::{batch, checkout, lines, list};
use prazo_run::jobs::{SetRun, events};
use prazo_run::store;
use prazo_testing::{Need, OrSkipped, Skipped, or_skip, skip};
use serde_json::{Value, json};
use std::time::Duration;

const TWO: &str = "[task.fast]\ncost = \"1ms\"\nperiod = \"20ms\"\n[task.slow]\ncost = \"2ms\"\nperiod = \"50ms\"\n";
const WITHOUT_PRIVILEGES: &[&str] = &["setpriv", "--inh-caps=-all", "--bounding-set=-all"];

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// True where deadline threads are granted.
fn may_have_deadlines() -> Result<(), Skipped> {
    let times = ["--sched-runtime", "1000000", "--sched-deadline", "10000000", "--sched-period", "10000000"];
    possible(Need::DeadlineAdmission, &[&["chrt", "--deadline"], &times[..], &["0", "true"]].concat())
}

fn schema(name: &str) -> Value {
    let file = checkout("docs/schema").join(name);
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn sets(desk: &Desk, file: &str) -> Vec<SetRun> {
    store::open(&desk.path(file)).unwrap().sets
}

/// What stands whatever the machine was busy with: 50 + 20 jobs in a second, each with its record.
#[track_caller]
fn is_whole(desk: &Desk, answer: &Answer, priorities: [Option<u64>; 2]) {
    let document = answer.json();
    assert_eq!(violation(&document, &schema("sched-run.json")), None);
    assert_eq!((&document["jobs"], &document["verdict"]), (&70.into(), &"proven".into()));
    let tasks = list(&document["tasks"]);
    assert_eq!([0, 1].map(|task| tasks[task]["jobs"].as_u64().unwrap()), [50, 20]);
    assert_eq!([0, 1].map(|task| tasks[task]["priority"].as_u64()), priorities);
    assert!(tasks.iter().all(|task| task["bound_ns"].as_u64() <= Some(50_000_000)), "{document}");
    let [set] = &sets(desk, "run.prazo")[..] else { panic!("one set") };
    assert_eq!(set.jobs.len(), 70);
    let counted = |name: &str| events::of(set).iter().filter(|event| event.kind.name() == name).count();
    assert_eq!(counted("release"), 70);
    assert_eq!(counted("dispatch"), counted("preemption") + counted("completion"), "each stretch begins and ends");
}

#[test]
fn deadline_threads_leave_every_job_in_the_run_file() {
    or_skip!(may_have_deadlines());
    let desk = Desk::new();
    desk.write("two.toml", TWO);
    let words = format!("sched run two.toml -m {} --shape global-edf -D 1s -o run.prazo --json", processors());
    let answer = desk.prazo(&words);
    assert!(matches!(answer.code, Some(0 | 1)), "{}", answer.stderr);
    is_whole(&desk, &answer, [None, None]);
    assert_eq!(answer.json()["policy"], "SCHED_DEADLINE");
    assert_eq!(answer.json()["tasks"][0]["budget_ns"], 1_000_000);
    desk.prazo(&words).expect_code(2).expect_error(&["run.prazo", "exists already"]);
}

#[test]
fn threads_of_fixed_priority_are_ranked_by_period_and_their_schedule_is_drawn() {
    or_skip!(may_be_real_time());
    let desk = Desk::new();
    desk.write("two.toml", TWO);
    let words = "sched run two.toml -m 1 --shape rm -D 1s -o run.prazo --gantt seen.svg --trace seen.json --csv seen.csv --json";
    let answer = desk.prazo(words);
    assert!(matches!(answer.code, Some(0 | 1)), "{}", answer.stderr);
    is_whole(&desk, &answer, [Some(98), Some(97)]);
    assert_eq!(answer.json()["overruns"], Value::Null, "nothing grants them a budget");
    let read = |name: &str| std::fs::read_to_string(desk.path(name)).unwrap();
    assert!(read("seen.svg").contains("SCHED_FIFO") && read("seen.csv").contains(",dispatch,slow,"));
    let trace: Value = serde_json::from_str(&read("seen.json")).unwrap();
    assert!(list(&trace["traceEvents"]).len() > 140);
}

/// The threads of a process by their names.
fn threads(process: u32) -> Vec<(String, String)> {
    let folder = std::fs::read_dir(format!("/proc/{process}/task"));
    let of = |entry: std::fs::DirEntry| {
        let id = entry.file_name().into_string().ok()?;
        let name = std::fs::read_to_string(entry.path().join("comm")).ok()?;
        Some((name.trim().to_owned(), id))
    };
    folder.into_iter().flatten().flatten().filter_map(of).collect()
}

#[test]
fn a_policy_and_an_affinity_that_are_taken_from_a_task_are_caveats_with_their_time() {
    or_skip!(may_be_real_time());
    let desk = Desk::new();
    desk.write("two.toml", TWO);
    let child = desk.start("sched run two.toml -m 1 --shape rm -D 3s -o run.prazo --json");
    let mut slow = None;
    let found = wait_for(Duration::from_secs(20), || {
        slow = threads(child.id()).into_iter().find(|(name, _)| name == "slow");
        slow.is_some()
    });
    assert!(found, "the task has a thread");
    std::thread::sleep(Duration::from_secs(1));
    let (_, id) = slow.unwrap();
    let all = format!("0-{}", processors() - 1);
    for words in [&["taskset", "-pc", &all, &id][..], &["chrt", "-o", "-p", "0", &id]] {
        assert!(desk.command(words[0]).args(&words[1..]).output().unwrap().status.success(), "{words:?}");
    }
    let answer = Answer::of(child.wait_with_output().unwrap());
    let document = answer.json();
    let wanted: &[&str] = if processors() > 1 { &["policy-changed", "affinity-changed"] } else { &["policy-changed"] };
    for id in wanted {
        let caveat = list(&document["caveats"]).iter().find(|caveat| caveat["id"] == *id);
        let what = caveat.unwrap_or_else(|| panic!("no {id}: {document}"))["what"].to_string();
        assert!(what.contains("task 'slow' was changed from") && what.contains("after the start"), "{what}");
    }
}

#[test]
fn a_task_set_of_rt_app_is_run_as_it_is() {
    or_skip!(may_be_real_time());
    let desk = Desk::new();
    let timer = json!({"ref": "t", "period": 20_000, "mode": "absolute"});
    let thread = json!({"policy": "SCHED_FIFO", "priority": 10, "run": 1_000, "timer": timer});
    desk.write("workload.json", json!({"tasks": {"loop": thread}}).to_string());
    let answer = desk.prazo("sched run workload.json -m 1 -D 200ms -o run.prazo --json");
    assert!(matches!(answer.code, Some(0 | 1)), "{}", answer.stderr);
    assert_eq!((&answer.json()["jobs"], &answer.json()["policy"]), (&10.into(), &"SCHED_FIFO".into()));
}

/// The starts of jobs that rt-app's log tells, in microseconds.
fn starts(log: &str) -> Vec<u64> {
    let rows = log.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| line.split_whitespace().nth(4)?.parse().ok()).collect()
}

/// Counts alone: two tools on a busy machine are late at other times. rt-app is ended by a thread of no urgency, which may come to that
/// late, so its jobs of the first second are counted.
#[test]
fn rt_app_itself_releases_as_many_jobs() {
    or_skip!(may_be_real_time());
    or_skip!(possible(Need::Program("rt-app"), &["rt-app", "--version"]));
    let desk = Desk::new();
    let timer = json!({"ref": "t", "period": 20_000, "mode": "absolute"});
    let thread = json!({"policy": "SCHED_FIFO", "priority": 10, "loop": -1, "run": 1_000, "timer": timer});
    let global = json!({"duration": 1, "calibration": 100, "logdir": ".", "log_basename": "rt"});
    desk.write("workload.json", json!({"global": global, "tasks": {"one": thread}}).to_string());
    let ours = desk.prazo("sched run workload.json -m 1 -D 1s -o run.prazo --json").json();
    assert!(desk.command("rt-app").arg("workload.json").status().unwrap().success());
    let log = std::fs::read_to_string(desk.path("rt-one-0.log")).unwrap();
    let starts = starts(&log);
    let theirs = starts.iter().filter(|start| **start < starts[0] + 1_000_000).count() as u64;
    assert!(ours["jobs"].as_u64().unwrap().abs_diff(theirs) <= 2, "{} jobs, rt-app logged {theirs}", ours["jobs"]);
}

#[test]
fn a_set_for_more_processors_than_there_are_is_refused_with_both_numbers() {
    let (desk, here) = (Desk::new(), processors());
    desk.write("two.toml", TWO);
    let words = format!("sched run two.toml -m {} --shape global-edf -o run.prazo", here + 3);
    desk.prazo(&words).expect_code(2).expect_error(&[
        &format!("the set needs {} processors, but only {here} can be used", here + 3),
        "--platform lab:",
    ]);
    assert!(!desk.path("run.prazo").exists());
}

#[test]
fn what_linux_cannot_rank_or_reserve_is_refused_by_the_task() {
    let desk = Desk::new();
    desk.write("late.toml", "[task.late]\ncost = \"1ms\"\nperiod = \"10ms\"\ndeadline = \"15ms\"\n");
    let words = format!("sched run late.toml -m {} --shape global-edf -o run.prazo", processors());
    desk.prazo(&words).expect_code(2).expect_error(&["'late'", "longer than its period"]);
    desk.write("two.toml", TWO);
    desk.prazo("sched run two.toml --shape clustered-edf -o run.prazo")
        .expect_code(2)
        .expect_error(&["clustered-edf:2,2"]);
}

#[test]
fn without_privileges_the_refused_policy_is_named_with_its_remedy() {
    or_skip!(possible(Need::Root, &[WITHOUT_PRIVILEGES, &["true"]].concat()));
    let desk = Desk::new();
    desk.write("two.toml", TWO);
    for (shape, policy) in [("global-edf", "SCHED_DEADLINE"), ("global-rm", "SCHED_FIFO")] {
        let script = format!("$PRAZO sched run two.toml -m {} --shape {shape} -o run.prazo", processors());
        let answer = desk.shell(WITHOUT_PRIVILEGES, &script);
        if answer.code != Some(4) {
            skip!(Need::Refusal, "this user may have {policy} without privileges: {}", answer.stderr);
        }
        answer.expect_error(&[policy, "CAP_SYS_NICE", "'fast'"]);
    }
}

#[test]
fn more_than_the_kernel_admits_is_refused_with_the_sum() {
    or_skip!(may_have_deadlines());
    let (desk, here) = (Desk::new(), processors());
    let task = |number: usize| format!("[task.t{number}]\ncost = \"96ms\"\nperiod = \"100ms\"\n");
    desk.write("full.toml", (0..=here).map(task).collect::<String>());
    let answer = desk.prazo(&format!("sched run full.toml -m {here} --shape global-edf -D 200ms -o run.prazo"));
    if answer.code != Some(4) {
        skip!(Need::DeadlineAdmission, "{}", answer.stderr);
    }
    let sum = format!("request {:.3} processors", 0.96 * (here + 1) as f64);
    answer.expect_error(&["Device or resource busy", &sum, "admits"]);
}

/// Who may use one processor of several gets a root domain of that one; where none can be made, deadlines are refused.
#[test]
fn an_affinity_that_forbids_deadlines_is_told_needs_root() {
    or_skip!(may_have_deadlines());
    or_skip!(may_mount());
    if processors() < 2 {
        skip!(Need::TwoProcessors, "one processor");
    }
    let desk = Desk::new();
    desk.write("two.toml", TWO);
    let words = "sched run two.toml -m 1 --shape global-edf -D 100ms -o run.prazo";
    let script = format!("mount -t tmpfs none /sys/fs/cgroup && taskset -c 0 $PRAZO {words}");
    desk.shell(OWN_MOUNTS, &script)
        .expect_code(4)
        .expect_error(&["cannot separate the clusters of the task set on this machine"]);
    assert!(!desk.path("run.prazo").exists());
}

/// `kernel.sched_rt_runtime_us` as the program sees it, in a mount namespace of its own; the kernel's stays as it is.
#[test]
fn admission_that_is_off_is_a_caveat_needs_root() {
    or_skip!(may_have_deadlines());
    or_skip!(may_mount());
    let desk = Desk::new();
    desk.write("two.toml", TWO);
    desk.write("off", "-1\n");
    let script = format!(
        "mount --bind off /proc/sys/kernel/sched_rt_runtime_us && $PRAZO sched run two.toml -m {} --shape global-edf -D 100ms -o run.prazo --json",
        processors()
    );
    let answer = desk.shell(OWN_MOUNTS, &script);
    assert!(matches!(answer.code, Some(0 | 1)), "{}", answer.stderr);
    assert!(caveats(&answer.json()).contains(&"admission-off"), "{}", answer.stdout);
}

/// Under counted time the emulator lets a guest's processors take turns, and where a turn ends depends on the host: two processors
/// meet at other instants in another boot, so response times differ between equal boots. What the theory says must hold in
/// every boot: which sets miss a deadline, and that each job runs.
#[test]
fn dhalls_set_misses_under_global_edf_and_not_under_partitioned_edf_in_a_guest_as_in_the_simulator() {
    let _lab = or_skip!(prazo_lab::Lab::find().or_skipped(Need::Lab));
    let desk = Desk::new();
    let dhall = [[40_000, 200_000, 200_000], [40_000, 200_000, 200_000], [195_000, 210_000, 210_000]];
    let half = [[60_000, 200_000, 200_000], [60_000, 200_000, 200_000], [100_000, 250_000, 250_000]];
    let record = |id: &str, shape: &str, tasks: &[[u64; 3]]| json!({"id": id, "m": 2, "shape": shape, "t": tasks, "horizon_us": 1_200_000});
    let records =
        [record("dhall", "global", &dhall), record("parted", "partitioned", &dhall), record("proven", "global", &half)];
    desk.write("sets.jsonl", batch(&records));
    let simulated = lines(&desk.prazo("sched simulate --batch sets.jsonl").expect_code(0).stdout);
    let misses = |line: &Value| line["first_miss_us"].is_f64();
    assert_eq!(simulated.iter().map(misses).collect::<Vec<_>>(), [true, false, false]);
    let tested = lines(&desk.prazo("sched test --batch sets.jsonl").expect_code(0).stdout);
    assert_eq!(tested[2]["verdict"], "proven");
    let run = |file: &str| {
        let words = format!("sched run --batch sets.jsonl -D 1200ms --platform lab:standard-full -o {file}");
        lines(&desk.prazo(&words).expect_code(0).stdout)
    };
    for file in ["one.prazo", "again.prazo"] {
        let observed = run(file);
        assert!(observed.iter().all(|line| line["error"].is_null() && line["outside"] == 0), "{observed:?}");
        let missed: Vec<bool> = observed.iter().map(|line| line["misses"] != 0).collect();
        assert_eq!(missed, [true, false, false], "{observed:?}");
    }
    let released = |file: &str| -> Vec<_> { sets(&desk, file).iter().map(releases).collect() };
    assert_eq!(released("one.prazo"), released("again.prazo"), "the same seed gave other jobs");
}

/// On one processor counted time is repeatable: the same seed gives the same schedule to the nanosecond.
#[test]
fn a_set_on_one_processor_runs_twice_alike_in_a_guest() {
    let _lab = or_skip!(prazo_lab::Lab::find().or_skipped(Need::Lab));
    let desk = Desk::new();
    desk.write("two.toml", TWO);
    for file in ["one.prazo", "again.prazo"] {
        let words =
            format!("sched run two.toml -m 1 --shape global-edf -D 300ms --platform lab:standard-full -o {file}");
        desk.prazo(&words).expect_code(0);
    }
    assert!(sets(&desk, "one.prazo") == sets(&desk, "again.prazo"), "the same seed gave another schedule");
}

/// Each job of a set: its task, its number and its release.
fn releases(set: &SetRun) -> Vec<(u32, u64, u64)> {
    let mut jobs: Vec<_> = set.jobs.iter().map(|job| (job.task, job.number, job.release_ns)).collect();
    jobs.sort_unstable();
    jobs
}
