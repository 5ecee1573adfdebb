//! How loads are held with and without privileges, and what they are kept from.

use prazo_testing::{Need, Skipped, or_skip, skip, skipped};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use prazo_load::{self as load, Containment};
use serde_json::Value;

use crate::machine::{self, by_hand, options, plan};

/// Runs `wrapper` with the program and `arguments` behind it, and reads the records; a skip where the wrapper cannot run it.
fn run_under(wrapper: &[&str], arguments: &[&str]) -> Result<Value, Skipped> {
    let folder = readable_by_all();
    let program = folder.path().join("load");
    let output = Command::new(wrapper[0])
        .args(&wrapper[1..])
        .arg(&program)
        .args(arguments)
        .arg("--work")
        .arg(folder.path())
        .output();
    let output = output.ok().filter(|output| output.status.success());
    let Some(output) = output else {
        return Err(skipped(Need::Namespaces, format!("'{}' does not work here", wrapper.join(" "))));
    };
    let text = String::from_utf8(output.stdout).unwrap();
    let records = serde_json::from_str(text.split_once('\n').unwrap().1).unwrap();
    let left = machine::processes_of(folder.path());
    assert_eq!(left, Default::default());
    Ok(records)
}

/// A folder in which anybody finds the program and may write.
fn readable_by_all() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    std::fs::copy(by_hand(), folder.path().join("load")).unwrap();
    folder
}

fn caveat_ids(records: &Value) -> Vec<&str> {
    records["caveats"].as_array().unwrap().iter().map(|caveat| caveat["id"].as_str().unwrap()).collect()
}

const AS_NOBODY: [&str; 7] = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all"];

#[test]
fn an_ordinary_user_gets_user_namespaces_or_process_groups_needs_root() {
    let _turn = machine::machine_shared();
    let records = or_skip!(run_under(&AS_NOBODY, &["cpu=1", "udp-flood=2000", "--for", "1s"]));
    let contained = records["loads"][0]["contained"].as_str().unwrap();
    assert_ne!(contained, "namespaces");
    assert_eq!(caveat_ids(&records).contains(&"load-not-contained"), contained == "process-group");
    assert!(records["loads"][1]["reached"].as_f64().unwrap() > 0.0, "{records}");
}

#[test]
fn where_even_user_namespaces_are_refused_a_process_group_is_left_and_says_why() {
    let _turn = machine::machine_shared();
    // Inside a user namespace that may make no further ones, without the privilege to make any others.
    let forbid = "echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-sys_admin \"$@\"";
    let wrapper = ["unshare", "--user", "--map-root-user", "sh", "-c", forbid, "sh"];
    let records = or_skip!(run_under(&wrapper, &["cpu=1", "--for", "1s"]));
    assert_eq!(records["loads"][0]["contained"], "process-group");
    assert!(records["loads"][0]["reached"].as_f64().unwrap() > 0.0);
    let caveats = records["caveats"].as_array().unwrap();
    let what = caveats.iter().find(|caveat| caveat["id"] == "load-not-contained").unwrap()["what"].as_str().unwrap();
    assert!(what.contains("namespaces: ") && what.contains("user-namespaces: "), "{what}");
}

#[test]
fn where_no_containment_is_allowed_nothing_starts() {
    let _turn = machine::machine_shared();
    let forbid = "echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-sys_admin \"$@\"";
    let folder = readable_by_all();
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "sh", "-c", forbid, "sh"])
        .arg(folder.path().join("load"))
        .args(["cpu=1", "--containment", "namespaces", "--work"])
        .arg(folder.path())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    if !printed.contains("load: ") {
        skip!(Need::Namespaces, "user namespaces: {printed}");
    }
    assert!(printed.contains("with namespaces: "), "{printed}");
    assert_eq!(machine::processes_of(folder.path()), Default::default());
}

#[test]
fn a_load_started_from_a_real_time_pinned_thread_is_neither() {
    let _turn = machine::machine_shared();
    let work = tempfile::tempdir().unwrap();
    let mut command = Command::new("chrt");
    command.args(["--fifo", "10", "taskset", "--cpu-list", "0"]).arg(by_hand()).args(["cpu=1", "scheduler=1"]);
    command.args(["--for", "300s", "--work"]).arg(work.path());
    let mut prazo = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    if prazo.stdout.take().unwrap().read(&mut [0]).unwrap() == 0 {
        prazo.wait().unwrap();
        skip!(Need::RealTime, "chrt --fifo 10");
    }
    machine::eventually("generators run", || machine::processes_of(work.path()).len() > 20);
    for pid in machine::processes_of(work.path()).into_iter().filter(|pid| *pid != prazo.id()) {
        assert_ordinary(pid);
    }
    prazo.kill().unwrap();
    prazo.wait().unwrap();
    machine::assert_nothing_left(work.path(), &Default::default());
}

/// Fields 18 and 41 of proc_pid_stat(5): 20 is nice 0, and 0 is SCHED_OTHER.
fn assert_ordinary(pid: u32) {
    let Some(policy) = machine::stat_field(pid, 41) else { return };
    assert_eq!((policy, machine::stat_field(pid, 18).unwrap_or(20)), (0, 20), "process {pid}");
    let allowed = |pid: &str| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:").map(|list| list.trim().to_owned()))
    };
    if let Some(list) = allowed(&pid.to_string()) {
        assert_eq!(Some(list), allowed("self"), "process {pid}");
    }
}

#[test]
fn a_generator_has_only_the_capabilities_that_it_needs() {
    let _turn = machine::machine_shared();
    const NEEDED: u64 = 1 << 2 | 1 << 13;
    let work = tempfile::tempdir().unwrap();
    let bin = tempfile::tempdir().unwrap();
    machine::script(bin.path(), "stress-ng", "grep CapEff /proc/self/status > caps; ulimit -r >> caps; sleep 300");
    let path = format!("{}:/usr/bin:/bin", bin.path().display());
    let options = load::Options { path, ..options(work.path()) };
    let loads = load::start(&[plan("stress-ng-cpu", Some(1.0))], 1, &options).unwrap();
    let file = loads.keepers()[0].work.join("caps");
    machine::eventually("the generator has written", || read(&file).lines().count() >= 1);
    let text = read(&file);
    let effective = u64::from_str_radix(text.split_whitespace().nth(1).unwrap(), 16).unwrap();
    assert_eq!(effective & !NEEDED, 0, "{text}");
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_default()
}

#[test]
fn each_containment_counts_what_its_load_does_takes_seconds() {
    let _turn = machine::machine_shared();
    for containment in Containment::ALL {
        let work = tempfile::tempdir().unwrap();
        let options = load::Options { containments: vec![containment], ..options(work.path()) };
        let loads = match load::start(&[plan("scheduler", Some(1.0))], 1, &options) {
            Err(load::LoadError::NotContained { why, .. }) => {
                let _registered = skipped(Need::Namespaces, format!("{}: {why}", containment.name()));
                continue;
            }
            loads => loads.unwrap(),
        };
        std::thread::sleep(Duration::from_secs(2));
        let (records, _) = loads.stop();
        assert_eq!(records[0].contained, containment.name());
        assert!(records[0].reached.is_some_and(|reached| reached > 0.0), "{records:?}");
    }
}
