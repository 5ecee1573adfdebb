//! Xenomai's cores on a recorded tree: their tools are scripts that print what the real ones printed.

mod support;

use prazo_probe::xenomai::accounts;
use prazo_testing::data;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use support::{Desk, caveats};

/// A tool that notes its arguments and does `script`.
fn tool(desk: &Desk, name: &str, script: &str) {
    let folder = if name == "cyclictest" { "usr/xenomai/demo" } else { "usr/xenomai/bin" };
    let path = desk.path("tree").join(folder).join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, format!("#!/bin/sh\necho \"$@\" > {}\n{script}\n", desk.path("asked").display())).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn file(desk: &Desk, name: &str, text: &str) {
    let path = desk.path("tree").join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn cobalt(desk: &Desk) {
    file(desk, "proc/xenomai/version", "3.3.1\n");
    file(desk, "proc/xenomai/latency", "3350\n");
}

const MEASURE: &str = "measure xenomai --root tree -D 5s --plain --json -o a.prazo";

fn printing(recorded: &Path) -> String {
    format!("cat {}", recorded.display())
}

#[test]
fn without_a_core_nothing_is_measured_and_the_error_says_what_was_looked_for() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("tree")).unwrap();
    desk.prazo(MEASURE).expect_code(4).expect_error(&["/proc/xenomai", "/dev/evl", "Mercury"]);
    cobalt(&desk);
    desk.prazo(MEASURE)
        .expect_code(4)
        .expect_error(&["'latency' was not found in /usr/xenomai/bin, /usr/xenomai/demo", "/usr/local/bin"]);
}

/// docs/xenomai.md names it. Its claims are about cells of the core.
#[test]
fn the_example_s_study_judges_the_core_s_side() {
    let desk = Desk::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/xenomai");
    std::fs::copy(examples.join("cobalt.toml"), desk.path("cobalt.toml")).unwrap();
    let study = examples.join("regnier.toml").display().to_string();
    let shown = desk.prazo(&format!("study show {study} --json")).json();
    let claims = shown["claims"].as_array().expect("claims");
    assert_eq!(claims.len(), 3, "{shown:#}");
    assert!(claims.iter().all(|claim| claim.to_string().contains("cobalt.loaded.core")), "{claims:#?}");
}

#[test]
fn cobalt_s_latency_is_run_with_the_plan_s_parameters_and_read() {
    let recorded = data::path("xenomai/cobalt/latency-h-s-g.txt");
    let desk = Desk::new();
    cobalt(&desk);
    tool(&desk, "latency", &printing(&recorded));
    let measured = desk.prazo(MEASURE).expect_code(0).json();
    assert_eq!(std::fs::read_to_string(desk.path("asked")).unwrap(), "-t 0 -p 1000 -T 5 -P 98 -c 0 -h -H 1000\n");
    assert_eq!(measured["served"].as_u64(), Some(4_999));
    assert!(caveats(&measured).contains(&"gravity"), "{:?}", caveats(&measured));
    assert!(!caveats(&measured).contains(&"mode-switches"), "the tool counted none: {:?}", caveats(&measured));
    desk.prazo(MEASURE).expect_code(2).expect_error(&["a.prazo: exists already"]);
}

/// What a live `latency` printed, five seconds long; each of its counts of samples times `times`.
fn recorded(times: u64) -> String {
    let text = data::text("xenomai/cobalt/guest-3.3.1-6.6.69/latency-t0-with-histogram.txt");
    let many = |count: u64| format!("| {:>8}\n", count * times);
    text.replace("|     4942\n", &many(4_942)).replace("|       52\n", &many(52))
}

#[test]
fn a_requirement_can_pass_on_a_core_and_the_class_is_its_own() {
    let desk = Desk::new();
    cobalt(&desk);
    tool(&desk, "latency", &format!("cat <<'END'\n{}END", recorded(20)));
    let measured =
        desk.prazo(&format!("{MEASURE} --deadline 200us --load scheduler --lead-in 0s")).expect_code(0).json();
    let verdict = &measured["verdict"];
    assert_eq!(verdict["outcome"], "pass", "{verdict}");
    assert_eq!(verdict["class"], "strict-non-certifiable");
    let reasons = verdict["reasons"].to_string();
    assert!(reasons.contains("under load"), "{reasons}");
    assert!(!reasons.contains("policy-unknown") && !reasons.contains("mode-switches"), "{reasons}");
    let run = prazo_run::store::open(&desk.path("a.prazo")).unwrap();
    let plan = run.plan.unwrap();
    assert_eq!(plan.policy, prazo_run::plan::Policy::Fifo { priority: 98 });
    assert_eq!(run.loads[0].name, "scheduler");
    assert_eq!(run.platform_before.unwrap().get("xenomai.core"), Some("Cobalt"));
}

#[test]
fn a_hard_requirement_passes_with_a_million_activations_under_load() {
    let desk = Desk::new();
    cobalt(&desk);
    tool(&desk, "latency", &format!("cat <<'END'\n{}END", recorded(300)));
    let hard = format!("{MEASURE} --deadline 200us --kind hard --load scheduler --lead-in 0s");
    let verdict = &desk.prazo(&hard).expect_code(0).json()["verdict"];
    assert_eq!(verdict["outcome"], "pass", "{verdict}");
}

#[test]
fn a_switch_that_the_tool_counts_is_fatal() {
    let desk = Desk::new();
    cobalt(&desk);
    let switched = recorded(1).replace("|       0|     0|    00:00:05", "|       0|     3|    00:00:05");
    tool(&desk, "latency", &format!("cat <<'END'\n{switched}END"));
    let measured = desk.prazo(&format!("{MEASURE} --deadline 200us")).expect_code(3).json();
    assert!(caveats(&measured).contains(&"mode-switches"), "{:?}", caveats(&measured));
}

#[test]
fn time_stolen_from_the_processor_while_the_tool_ran_is_a_caveat() {
    let desk = Desk::new();
    cobalt(&desk);
    file(&desk, "proc/stat", "cpu0 1 2 3 4 5 6 7 0 9 0\n");
    let steal = format!("echo 'cpu0 1 2 3 4 5 6 7 9 9 0' > {}", desk.path("tree/proc/stat").display());
    tool(&desk, "latency", &format!("{steal}\ncat <<'END'\n{}END", recorded(1)));
    let measured = desk.prazo(MEASURE).expect_code(0).json();
    assert!(caveats(&measured).contains(&"steal"), "{:?}", caveats(&measured));
}

#[test]
fn a_processor_has_one_row() {
    let desk = Desk::new();
    cobalt(&desk);
    tool(&desk, "latency", &format!("cat <<'END'\n{}END", recorded(1)));
    let measured = desk.prazo(MEASURE).expect_code(0).json();
    let cpus = measured["cpus"].as_array().unwrap();
    assert_eq!((cpus.len(), &cpus[0]["cpu"], &cpus[0]["count"]), (1, &0.into(), &4_994.into()), "{cpus:?}");
}

#[test]
fn a_period_that_would_starve_linux_is_refused() {
    let desk = Desk::new();
    cobalt(&desk);
    file(&desk, "sys/devices/system/cpu/online", "0\n");
    tool(&desk, "latency", "exit 1");
    desk.prazo(&format!("{MEASURE} -i 10us")).expect_code(2).expect_error(&["single processor", "100us"]);
    assert!(!desk.path("asked").exists(), "the tool was started");
}

#[test]
fn evl_and_mercury_are_known_and_their_tools_read() {
    let recorded = data::path("xenomai/evl/latmus-m-u-p-1000-T-10-C-0.txt");
    let desk = Desk::new();
    file(&desk, "dev/evl/control", "");
    tool(&desk, "latmus", &printing(&recorded));
    let measured = desk.prazo(MEASURE).expect_code(0).json();
    assert!(std::fs::read_to_string(desk.path("asked")).unwrap().starts_with("-m -u -p 1000 -T 5"));
    assert!(caveats(&measured).contains(&"gravity"));
    let recorded = data::path("xenomai/mercury/mercury-latency-p-1000-T-8-t-0.txt");
    let desk = Desk::new();
    tool(&desk, "latency", &printing(&recorded));
    let measured = desk.prazo(MEASURE).expect_code(0).json();
    assert!(caveats(&measured).contains(&"overruns"), "{:?}", caveats(&measured));
    let another = MEASURE.replace("a.prazo", "b.prazo");
    desk.prazo(&format!("{another} --context kernel")).expect_code(2).expect_error(&["--context user"]);
}

#[test]
fn garbage_with_exit_status_0_is_refused() {
    let desk = Desk::new();
    cobalt(&desk);
    for garbage in [
        "printf '# Histogram\\n000000 000001\\n# Total: 000000001\\n# Min Latencies: 00000\\n# Avg Latencies: -9223372036854775808\\n# Max Latencies: 18446744073709551615\\n'",
        "echo 'T: 0 (  114) P:80 I:1000 C:   5000 Min:      0 Act:    0 Avg:-9223372036854775808 Max:18446744073709551573'",
        "true",
    ] {
        tool(&desk, "cyclictest", garbage);
        desk.prazo(&format!("{MEASURE} --tool cyclictest")).expect_code(4).expect_error(&["not a measurement"]);
        assert!(!desk.path("a.prazo").exists(), "a run file of garbage");
    }
}

#[test]
fn a_tool_that_refuses_is_quoted() {
    let recorded = data::path("xenomai/cobalt/latency-badcpu.txt");
    let desk = Desk::new();
    cobalt(&desk);
    tool(&desk, "latency", &format!("{}; exit 1", printing(&recorded)));
    desk.prazo(MEASURE).expect_code(4).expect_error(&["pthread_create(latency): Invalid argument", "exit status: 1"]);
}

#[test]
fn a_recorded_account_of_cobalt_s_threads_is_read() {
    let recorded = data::path("xenomai/cobalt/proc-xenomai/sched/acct");
    let threads = accounts(&std::fs::read_to_string(recorded).unwrap());
    assert_eq!(threads.len(), 8);
    let logger = threads.iter().find(|thread| thread.name == "logger").unwrap();
    assert_eq!((logger.mode_switches, logger.class.as_str(), logger.priority), (330, "rt", 50));
    assert!(threads.iter().any(|thread| thread.name == "lock low" && thread.executed_ns == 133_726_080));
}
