//! Triggers of another station: every one accounted for, whatever happens to the station, and nothing left behind.

mod support;

use prazo_testing::{Need, or_skip, skip};
use serde_json::Value;
use std::net::UdpSocket;
use std::process::{Child, Command};
use std::time::Duration;
use support::processes::{Process, below, is_alive};
use support::{Answer, Desk, adds_up, caveats, possible, wait_for};

/// Root's user number, and none of root's capabilities.
const WITHOUT_PRIVILEGES: &[&str] = &["setpriv", "--inh-caps=-all", "--bounding-set=-all"];
/// A network namespace of one's own, which takes root.
const OWN_NETWORK: &[&str] = &["unshare", "--net"];

/// A port that nobody has now.
fn free_port() -> u16 {
    UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn ended(child: Child) -> Answer {
    Answer::of(child.wait_with_output().expect("prazo ends"))
}

fn due(measured: &Value) -> u64 {
    measured["due"].as_u64().expect("due")
}

#[test]
fn every_trigger_over_loopback_is_accounted_for() {
    let desk = Desk::new();
    let words = "measure event --station loopback -p other -n 400 --warm-up 0s --plain --json -o a.prazo";
    let measured = desk.prazo(words).expect_code(0).json();
    adds_up(&measured);
    assert_eq!(due(&measured), 400);
    for id in ["software-stamps", "station-on-this-machine", "not-real-time"] {
        assert!(caveats(&measured).contains(&id), "{id}");
    }
    let report = desk.prazo("report a.prazo --format text").expect_code(0).stdout;
    assert!(report.contains("receive to task"), "{report}");
}

#[test]
fn every_trigger_between_two_namespaces_is_accounted_for_needs_root() {
    or_skip!(possible(Need::Root, &[OWN_NETWORK, &["true"]].concat()));
    let desk = Desk::new();
    for (name, kind) in [("udp", ""), ("raw", "--raw-frames")] {
        let words = format!("measure event {kind} -p other -n 300 --warm-up 0s --plain --json -o {name}.prazo");
        let measured = desk.prazo(&words).expect_code(0).json();
        adds_up(&measured);
        assert_eq!(due(&measured), 300, "{name}");
    }
}

#[test]
fn every_trigger_is_split_or_counted_and_the_softirq_is_a_virtual_interface_s_handler() {
    let desk = Desk::new();
    let words =
        "measure event --station loopback -p other -n 400 --warm-up 0s --split=causes --plain --json -o a.prazo";
    let measured = desk.prazo(words).expect_code(0).json();
    adds_up(&measured);
    if caveats(&measured).contains(&"not-split") {
        skip!(Need::Tracing, "this user, kernel or build cannot split");
    }
    let counts = &measured["split"][0];
    let count = |name: &str| counts[name].as_u64().unwrap_or_else(|| panic!("{name}: {counts}"));
    let unsplit: u64 = counts["unsplit"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    assert_eq!(count("split") + count("never_slept") + unsplit, measured["served"].as_u64().unwrap(), "{counts}");
    assert!(count("split") + count("never_slept") > unsplit, "{counts}");
    let report = desk.prazo("report a.prazo --format text").expect_code(0).stdout;
    for part in ["interrupt latency", "activation latency", "handling", "own stamp"] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[test]
fn what_cannot_be_asked_for_is_a_usage_error_that_names_the_flag() {
    let desk = Desk::new();
    for (words, named) in [
        ("trigger 127.0.0.1 -n 0", "--count"),
        ("trigger 127.0.0.1 -i 1us", "--period"),
        ("trigger 127.0.0.1 -i 1ms --jitter 1ms", "--jitter"),
        ("trigger 127.0.0.1 --priority 100", "--priority"),
        ("trigger 127.0.0.1 -p deadline", "--policy deadline"),
        ("trigger", "ADDRESS"),
        ("trigger 127.0.0.1 --answers --delta nowhere.prazo -p other", "--delta"),
        ("trigger --interface nowhere9 -p other", "nowhere9"),
        ("measure event --station remote --interface nowhere9 -p other", "nowhere9"),
        ("measure event -i 1us", "--period"),
        ("measure event --answer task", "--station remote"),
        ("measure event --stamp hardware", "--station remote"),
        ("measure event --station remote --stamp hardware", "--interface"),
        ("measure event --station remote --interface lo --stamp hardware --split", "--stamp software"),
        ("measure latmon 127.0.0.1:1 -i 2s", "--period"),
        ("measure latmon 127.0.0.1:1 --cells 2000", "--cells"),
    ] {
        desk.prazo(words).expect_code(2).expect_error(&[named]);
    }
}

#[test]
fn a_station_that_nobody_hears_and_one_that_never_comes_are_told() {
    let desk = Desk::new();
    let port = free_port();
    let words = format!("trigger 127.0.0.1:{port} -p other -n 10 --connect-timeout 300ms");
    desk.prazo(&words).expect_code(4).expect_error(&["did not request triggers", "prazo measure event"]);
    let words = format!("measure event --station remote --port {port} -p other --connect-timeout 300ms --plain");
    desk.prazo(&words).expect_code(4).expect_error(&["no triggering station answered", "prazo trigger"]);
}

#[test]
fn a_card_without_a_clock_is_refused_by_name_and_by_default_said_in_the_run() {
    let desk = Desk::new();
    let both = |stamp: &str| {
        let port = free_port();
        let measuring = desk.start(&format!(
            "measure event --station remote --interface lo --port {port} -p other --stamp {stamp} --warm-up 0s --plain --json -o {stamp}.prazo"
        ));
        let station = desk.start(&format!("trigger 127.0.0.1:{port} -p other -n 100 --connect-timeout 20s"));
        let answer = ended(measuring);
        end(station);
        answer
    };
    both("hardware").expect_code(4).expect_error(&["lo has no hardware clock", "--stamp software"]);
    let measured = both("auto").expect_code(0).json();
    adds_up(&measured);
    assert!(measured["caveats"].to_string().contains("lo has no hardware clock"), "{}", measured["caveats"]);
}

fn end(mut station: Child) {
    // One that has ended already needs no killing.
    let _ = station.kill();
    station.wait().unwrap();
}

#[test]
fn without_privileges_the_error_says_so_and_loopback_works() {
    or_skip!(possible(Need::Root, &[WITHOUT_PRIVILEGES, &["true"]].concat()));
    let desk = Desk::new();
    let refused = |script: &str| desk.shell(WITHOUT_PRIVILEGES, script).expect_code(4);
    refused("$PRAZO measure event -p other --plain")
        .expect_error(&["cannot make the network of the two stations", "as root"]);
    refused("$PRAZO trigger --interface lo --blind -n 1 -p other").expect_error(&["lo", "CAP_NET_RAW"]);
    let words =
        "nice -n 1 $PRAZO measure event --station loopback -p other -n 100 --warm-up 0s --plain --json -o a.prazo";
    assert_eq!(due(&desk.shell(WITHOUT_PRIVILEGES, words).expect_code(0).json()), 100);
}

#[test]
fn a_station_that_falls_silent_ends_the_run_and_is_told() {
    let desk = Desk::new();
    let port = free_port();
    let measuring = desk.start(&format!(
        "measure event --station remote --port {port} -p other --warm-up 0s --plain --json -o a.prazo"
    ));
    let mut station = desk.start(&format!("trigger 127.0.0.1:{port} -p other -D 10m"));
    let has_samples = || std::fs::metadata(desk.path("a.prazo")).is_ok();
    assert!(wait_for(Duration::from_secs(60), has_samples), "no run file");
    std::thread::sleep(Duration::from_millis(500));
    station.kill().unwrap();
    station.wait().unwrap();
    let measured = ended(measuring).expect_code(0).json();
    adds_up(&measured);
    assert!(caveats(&measured).contains(&"station-silent"), "{:?}", caveats(&measured));
}

/// The network namespace of a process, as the kernel names it.
fn network_of(pid: u32) -> Option<String> {
    Some(std::fs::read_link(format!("/proc/{pid}/ns/net")).ok()?.to_string_lossy().into_owned())
}

fn anybody_in(network: &str) -> bool {
    let listed = std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    listed.filter_map(network_of).any(|other| other == network)
}

#[test]
fn sigkill_leaves_no_station_and_no_namespace_needs_root() {
    or_skip!(possible(Need::Root, &[OWN_NETWORK, &["true"]].concat()));
    let desk = Desk::new();
    let mut measuring = desk.start("measure event -p other -D 10m --plain -o a.prazo");
    let station = || below(measuring.id()).into_iter().find(|process| network_of(process.pid) != network_of(1));
    let mut found: Option<Process> = None;
    let has_station = || {
        found = station();
        found.is_some() && std::fs::metadata(desk.path("a.prazo")).is_ok()
    };
    assert!(wait_for(Duration::from_secs(60), has_station), "no station");
    let found = found.unwrap();
    let network = network_of(found.pid).unwrap();
    let killed = Command::new("kill").args(["-KILL", &measuring.id().to_string()]).status();
    assert!(killed.unwrap().success());
    measuring.wait().unwrap();
    assert!(wait_for(Duration::from_secs(20), || !is_alive(&found)), "the station outlived prazo");
    assert!(wait_for(Duration::from_secs(20), || !anybody_in(&network)), "its namespace outlived prazo");
}

#[test]
fn frames_for_a_handler_that_asks_for_nothing_are_all_sent_needs_root() {
    or_skip!(possible(Need::Root, &[OWN_NETWORK, &["true"]].concat()));
    let desk = Desk::new();
    let script = "ip link set lo up && exec $PRAZO trigger --interface lo --blind -n 50 -p other --json";
    let done = desk.shell(OWN_NETWORK, script).expect_code(0).json();
    assert_eq!((done["sent"].as_u64(), done["refused"].as_u64()), (Some(50), Some(0)));
    assert!(done["answers"].is_null());
}

/// Both stations on loopback; what the triggering one saw.
fn answered(desk: &Desk, wrapper: &[&str], who: &str) -> Value {
    let port = free_port();
    let script = format!(
        "ip link set lo up; $PRAZO measure event --station remote --interface lo --port {port} -p other --answer {who} --answer-delay 10us \
         --warm-up 0s --plain --json -o m.prazo > m.json & \
         $PRAZO trigger 127.0.0.1:{port} -p other -n 300 --answers --delta 2us --json -o t.prazo; code=$?; wait $!; exit $code"
    );
    desk.shell(wrapper, &script).expect_code(0).json()
}

fn counted(outside: &Value, quantity: &str) -> Option<u64> {
    let latencies = outside["answers"]["latencies"].as_array()?;
    latencies.iter().find(|one| one["quantity"] == quantity)?["count"].as_u64()
}

#[test]
fn the_task_s_answers_are_measured_from_outside() {
    let desk = Desk::new();
    let outside = answered(&desk, &[], "task");
    assert_eq!(counted(&outside, "response-latency"), Some(300));
    assert_eq!(counted(&outside, "interrupt-latency"), None, "no handler answered");
    let one = &outside["answers"]["latencies"][0];
    let (raw, corrected) = (one["mean_ns"].as_f64().unwrap(), one["mean_less_delta_ns"].as_f64().unwrap());
    assert!((raw - corrected - 2_000.0).abs() < 1e-6, "delta comes off the mean alone");
    assert!(one["min_ns"].as_i64().unwrap() > 10_000, "the answer was put off by 10 us");
    let measured: Value = serde_json::from_slice(&std::fs::read(desk.path("m.json")).unwrap()).unwrap();
    adds_up(&measured);
}

#[test]
fn the_handler_answers_before_the_task_needs_root_and_bpf() {
    or_skip!(possible(Need::Root, &[OWN_NETWORK, &["true"]].concat()));
    let desk = Desk::new();
    let script = "ip link set lo up; timeout 20 $PRAZO measure event --station remote --interface lo -p other --answer both --connect-timeout 100ms";
    let tried = desk.shell(OWN_NETWORK, script);
    if tried.stderr.contains("BPF program that answers") {
        skip!(Need::Tracing, "{}", tried.stderr.trim());
    }
    let outside = answered(&desk, OWN_NETWORK, "both");
    for quantity in ["response-latency", "interrupt-latency", "activation-latency"] {
        assert_eq!(counted(&outside, quantity), Some(300), "{quantity}: {outside}");
    }
    let mean = |at: usize| outside["answers"]["latencies"][at]["mean_ns"].as_f64().unwrap();
    assert!(mean(1) < mean(0), "the handler answers before the task");
}
