//! `prazo sched deploy`, `watch` and `undeploy` from outside: what they say, what they change, and that they put it back.

mod support;

use prazo_testing::{Need, Skipped, skip, skipped};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use support::schema::violation;
use support::{Answer, Desk, PRAZO, openmetrics};

/// Two light tasks, proven in whatever shape.
const ROBOT: &str = "name = \"robot\"\nprocessors = 1\n[task.arm]\ncost = \"2ms\"\nperiod = \"20ms\"\n[task.eye]\ncost = \"4ms\"\nperiod = \"40ms\"\n";

/// Admitted on two processors, and beyond what a test can tell.
const OPEN: &str = "processors = 2\n[task.a]\ncost = \"9ms\"\nperiod = \"20ms\"\n[task.b]\ncost = \"19ms\"\nperiod = \"30ms\"\n[task.c]\ncost = \"19ms\"\nperiod = \"30ms\"\n";

/// Misses in its first period, and is admitted: its bandwidth fits, its deadlines do not.
const LATE: &str = "processors = 1\n[task.a]\ncost = \"2ms\"\nperiod = \"20ms\"\ndeadline = \"2ms\"\n[task.b]\ncost = \"2ms\"\nperiod = \"20ms\"\ndeadline = \"3ms\"\n";

/// Who deploys has the machine's processors to himself.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One that is told of its end even where the test panics.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What was deployed is undone even where the test panics.
struct Undone<'a>(&'a Desk);

impl Drop for Undone<'_> {
    fn drop(&mut self) {
        let _ = self.0.command(PRAZO).args(["sched", "undeploy"]).status();
    }
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("robot.toml", ROBOT);
    desk
}

fn prazo(desk: &Desk, words: &[&str]) -> Answer {
    Answer::of(desk.command(PRAZO).args(words).output().expect("prazo starts"))
}

/// A process that wakes every 20 ms.
fn worker() -> Ended {
    let mut shell = Command::new("sh");
    shell.args(["-c", "while :; do sleep 0.02; done"]).stdin(Stdio::null());
    Ended(shell.spawn().expect("a shell starts"))
}

#[track_caller]
fn holds(name: &str, document: &Value) {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/schema/{name}.json"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    assert_eq!(violation(document, &schema), None, "{name}");
}

/// All processors as one cluster, so that no groups are needed; `None` where there are more than the set is for.
fn all_processors() -> String {
    let online = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap();
    let count = std::thread::available_parallelism().unwrap().get();
    let contiguous = if count == 1 { "0".into() } else { format!("0-{}", count - 1) };
    assert_eq!(online.trim(), contiguous, "the tests are for machines whose processors are all online and usable");
    count.to_string()
}

#[test]
fn a_look_changes_nothing_and_names_who_is_missing() {
    let desk = desk();
    let shown = desk.prazo("sched deploy robot.toml --dry-run --json").expect_code(0).json();
    holds("sched-deploy", &shown);
    assert_eq!((&shown["deployed"], &shown["verdict"]), (&false.into(), &"proven".into()));
    assert_eq!(shown["asked"].as_array().unwrap().len(), 2);
    assert_eq!(shown["holds"], Value::Array(Vec::new()));
    let remarks = shown["remarks"].to_string();
    assert!(remarks.contains("named for task 'arm' yet") && remarks.contains("no overheads"), "{remarks}");
    desk.prazo("sched deploy robot.toml").expect_code(2).expect_error(&["arm, eye", "--pid arm=PID"]);
    assert_eq!(desk.prazo("sched undeploy --json").expect_code(0).json(), Value::Array(Vec::new()));
}

#[test]
fn what_was_named_wrongly_is_refused_by_name() {
    let desk = desk();
    let refused = |words: &str, expected: &[&str]| {
        desk.prazo(&format!("sched deploy robot.toml {words}")).expect_code(2).expect_error(expected);
    };
    refused("--pid leg=1", &["no task 'leg'", "arm, eye"]);
    refused("--pid arm=1 --pid arm=2", &["more than one process, command or unit is named for task 'arm'"]);
    refused("--pid arm=4194305 --pid eye=1", &["'arm'", "4194305"]);
    refused("--unit arm=no-such-unit --pid eye=1", &["no-such-unit", "does not exist"]);
    refused("--shape partitioned-edf -m 1024 --pid arm=1 --pid eye=1", &["1,024 processors"]);
    refused("--shape clustered-edf --pid arm=1", &["clustered-edf:2,2"]);
    desk.prazo("sched watch --plain").expect_code(2).expect_error(&["nothing is deployed"]);
    desk.prazo("watch --deployed").expect_code(2).expect_error(&["nothing is deployed"]);
    desk.prazo("watch --deployed --period 1ms").expect_code(2).expect_error(&["cannot be used with"]);
}

#[test]
fn a_set_that_is_only_admitted_is_not_called_schedulable_and_a_disproven_one_is_not_deployed() {
    let desk = desk();
    desk.write("open.toml", OPEN);
    desk.write("late.toml", LATE);
    if std::thread::available_parallelism().unwrap().get() < 2 {
        skip!(Need::TwoProcessors, "one processor");
    }
    let open = desk.prazo("sched deploy open.toml --shape global-edf --dry-run --json").expect_code(3).json();
    assert_eq!(open["verdict"], "unknown");
    let account = &open["clusters"][0]["admission"];
    if account["others"] == 0.0 {
        assert_eq!(open["admitted"], true, "{account}");
    }
    let text = desk.prazo("sched deploy open.toml --shape global-edf --dry-run").expect_code(3).stdout;
    assert!(text.contains("not proven: no deadline is guaranteed"), "{text}");
    let late = desk.prazo("sched deploy late.toml --shape global-edf --json").expect_code(1).json();
    assert_eq!((&late["admitted"], &late["verdict"]), (&true.into(), &"disproven".into()));
    assert_eq!(late["deployed"], false);
}

#[test]
fn units_are_written_once_and_read_by_systemd() {
    let desk = desk();
    let words = ["sched", "deploy", "robot.toml", "--cpus", "0", "--systemd", "units", "--unit", "arm=arm"];
    let written = prazo(&desk, &[&words[..], &["--command", "eye=/bin/true --fast"]].concat()).expect_code(0);
    assert!(written.stdout.contains("arm.service.d/50-prazo.conf"), "{}", written.stdout);
    assert!(written.stdout.contains(" unit files to units; nothing else was changed"), "{}", written.stdout);
    let eye = std::fs::read_to_string(desk.path("units/prazo-eye.service")).unwrap();
    assert!(eye.contains("chrt --deadline --reset-on-fork --sched-runtime 4000000"), "{eye}");
    let again = prazo(&desk, &[&words[..], &["--command", "eye=/bin/true"]].concat());
    again.expect_code(2).expect_error(&["exists already", "--force"]);
    match said_of_units(&desk) {
        Ok(said) => assert_eq!(said, "", "nothing is to be said of them"),
        Err(error) => skip!(Need::Program("systemd-analyze"), "{error}"),
    }
    let file = desk.path("units/prazo0.slice");
    let broken = std::fs::read_to_string(&file).unwrap().replace("AllowedCPUs", "AllowedProcessors");
    std::fs::write(&file, broken).unwrap();
    assert!(said_of_units(&desk).unwrap().contains("AllowedProcessors"), "who reads them would see what is wrong");
}

/// What systemd says of the units, and of one that the drop-in is for; of others of this system it may say what it likes.
fn said_of_units(desk: &Desk) -> std::io::Result<String> {
    desk.write("units/arm.service", "[Service]\nExecStart=/bin/true\n");
    let names = ["arm.service", "prazo-eye.service", "prazo-partitions.service", "prazo0.slice"];
    let said =
        desk.command("systemd-analyze").arg("verify").args(names.map(|name| desk.path("units").join(name))).output()?;
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    let is_ours = |line: &&str| line.contains("/units/") || names.iter().any(|name| line.starts_with(name));
    Ok(said.lines().filter(is_ours).collect::<Vec<_>>().join("\n"))
}

#[test]
fn as_root_processes_and_commands_are_deployed_watched_and_put_back() {
    let _alone = alone();
    let (desk, arm) = (desk(), worker());
    let pid = format!("arm={}", arm.0.id());
    let count = all_processors();
    let words = ["sched", "deploy", "robot.toml", "--shape", "global-edf", "-m", &count, "--pid", &pid];
    let daemon = format!("6{:09}", std::process::id());
    let eye = format!("eye=sh -c 'setsid sleep {daemon} & while :; do sleep 0.04; done'");
    let command = ["--command", &eye, "--json"];
    let deployed = prazo(&desk, &[&words[..], &command].concat());
    if deployed.code == Some(4) {
        skip!(Need::DeadlineAdmission, "{}", deployed.stderr);
    }
    let _undone = Undone(&desk);
    let document = deployed.expect_code(0).json();
    holds("sched-deploy", &document);
    assert_eq!((&document["deployed"], &document["differs"]), (&true.into(), &Value::Array(Vec::new())));
    let policy = document["holds"][0]["policy"].as_str().unwrap();
    assert_eq!(policy, "policy deadline, budget 2000 µs in every 20000 µs, due within 20000 µs");
    desk.prazo("sched deploy robot.toml --dry-run").expect_code(0);
    prazo(&desk, &[&words[..], &command].concat()).expect_code(2).expect_error(&["a deployment exists already"]);
    if watched(&desk).is_ok() {
        watched_closely(&desk);
    }
    let is_loose = document["remarks"].to_string().contains("no control group was made");
    assert_eq!(sleepers(&daemon).len(), 1, "it has a session of its own");
    let eye = document["asked"][1]["thread"].as_u64().unwrap();
    let undone = desk.prazo("sched undeploy --json").expect_code(0).json();
    holds("sched-undeploy", &undone);
    assert!(undone.as_array().unwrap().iter().all(|one| one["outcome"] == "restored"), "{undone}");
    let stat = std::fs::read_to_string(format!("/proc/{eye}/stat")).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z"), "what was started is ended: {stat}");
    match is_loose {
        true => {
            for pid in sleepers(&daemon) {
                assert!(Command::new("kill").arg(pid.to_string()).status().unwrap().success());
            }
            let _registered = skipped(Need::ControlGroups, "nothing was shown of what leaves a process group");
        }
        false => assert_eq!(sleepers(&daemon), Vec::<u32>::new(), "and so is what it started"),
    }
    let policy = |stat: String| stat.rsplit(") ").next().unwrap().split(' ').nth(38).unwrap().to_owned();
    assert_eq!(policy(std::fs::read_to_string(format!("/proc/{}/stat", arm.0.id())).unwrap()), "0");
}

/// On whatever makes root domains here; asked for by name, since it changes how the machine balances its load.
#[test]
fn as_root_two_processors_are_parted_here_and_put_together_again() {
    let online = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap();
    if online.trim() == "0" {
        skip!(Need::TwoProcessors, "one processor");
    }
    if std::env::var_os("PRAZO_TEST_ROOT_DOMAIN").is_none() {
        skip!(Need::RootDomainAllowed, "it parts two processors");
    }
    let _alone = alone();
    let (desk, arm) = (desk(), worker());
    let pid = format!("arm={}", arm.0.id());
    let words = [
        "sched",
        "deploy",
        "robot.toml",
        "--shape",
        "partitioned-edf",
        "-m",
        "2",
        "--cpus",
        "1,0",
        "--json",
        "--pid",
        &pid,
    ];
    let deployed =
        prazo(&desk, &[&words[..], &["--command", "eye=sh -c 'sleep 600 & while :; do sleep 0.04; done'"]].concat());
    let _undone = Undone(&desk);
    let document = deployed.expect_code(0).json();
    let texts = |rows: &str, key: &str| -> Vec<String> {
        document[rows].as_array().unwrap().iter().map(|row| row[key].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        (texts("clusters", "cpus"), document["differs"].to_string()),
        (vec!["1".into(), "0".into()], "[]".into())
    );
    // What partitions leave has no group of its own.
    let groups: Vec<&str> =
        document["clusters"].as_array().unwrap().iter().filter_map(|one| one["group"].as_str()).collect();
    println!("{groups:?}");
    assert!(groups.iter().all(|group| Path::new(group).exists()));
    for (task, cluster) in texts("holds", "cpus").iter().zip(document["asked"].as_array().unwrap()) {
        assert_eq!(*task, texts("clusters", "cpus")[cluster["cluster"].as_u64().unwrap() as usize]);
    }
    let undone = desk.prazo("sched undeploy --json").expect_code(0).json();
    assert!(undone.as_array().unwrap().iter().all(|one| one["outcome"] == "restored"), "{undone}");
    assert!(!groups.iter().any(|group| Path::new(group).exists()), "{groups:?}");
}

/// The processes that sleep for so long.
fn sleepers(seconds: &str) -> Vec<u32> {
    let numbers =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    let line = |pid: &u32| std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    numbers.filter(|pid| line(pid) == format!("sleep\0{seconds}\0")).collect()
}

/// Jobs are seen, each with its deadline, and none outside of its cluster; meanwhile whoever scrapes gets the same figures.
fn watched(desk: &Desk) -> Result<(), Skipped> {
    desk.prazo("sched watch --metrics 0.0.0.0:9100").expect_code(2).expect_error(&["only on a loopback address"]);
    let mut watch = desk.start("sched watch -D 2500ms --json --metrics 127.0.0.1:0");
    let mut said = BufReader::new(watch.stderr.take().unwrap());
    let mut first = String::new();
    said.read_line(&mut first).unwrap();
    let scraped = scraped(&first);
    let output = watch.wait_with_output().unwrap();
    let answer = Answer::of(output);
    if answer.code == Some(4) {
        let mut rest = String::new();
        said.read_to_string(&mut rest).unwrap();
        return Err(skipped(Need::Tracing, rest));
    }
    assert!(scraped.iter().any(|(name, labels, _)| name == "prazo_jobs_total" && labels[0].1 == "arm"), "{scraped:?}");
    let document = answer.json();
    holds("sched-watch", &document);
    for task in document["tasks"].as_array().unwrap() {
        assert!(task["jobs"].as_u64().unwrap() > 0, "{task}");
        assert_eq!((&task["outside"], &task["lost"]), (&0.into(), &0.into()), "{task}");
        let seen = scraped.iter().filter(|(_, labels, _)| task["task"] == *labels[0].1).count();
        assert!(seen > 7, "{seen} figures of {task}");
    }
    Ok(())
}

/// Each task has a row with its own name, period and deadline, which come from the deployment and not from flags.
fn watched_closely(desk: &Desk) {
    let document = desk.prazo("watch --deployed -D 2s --json").json();
    holds("watch", &document);
    assert_eq!(document["target"], "the deployed tasks");
    let threads = document["threads"].as_array().unwrap();
    let eye = threads.iter().find(|thread| thread["name"] == "eye");
    let eye = eye.unwrap_or_else(|| panic!("no row has the task's name: {document}"));
    assert_eq!((&eye["period_ns"], &eye["deadline_ns"]), (&40_000_000.into(), &40_000_000.into()), "{eye}");
    assert!(eye["served"].as_u64().unwrap() > 10 && eye["overruns"].is_u64(), "{eye}");
    assert!(eye["bound_ns"].as_u64().unwrap() <= 40_000_000, "the set is proven: {eye}");
}

/// The page at the address that was told, once the first jobs are in it.
fn scraped(told: &str) -> Vec<openmetrics::Sample> {
    let Some(address) = told.split("http://").nth(1).and_then(|rest| rest.split('/').next()) else { return Vec::new() };
    let mut samples = Vec::new();
    support::wait_for(Duration::from_secs(20), || {
        let Ok(mut stream) = TcpStream::connect(address) else { return false };
        let mut answer = String::new();
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        assert!(head.contains("application/openmetrics-text; version=1.0.0"), "{head}");
        samples = openmetrics::read(body).unwrap_or_else(|why| panic!("{why}:\n{body}"));
        samples.iter().any(|(name, _, value)| name == "prazo_jobs_total" && *value > 0.0)
    });
    samples
}
