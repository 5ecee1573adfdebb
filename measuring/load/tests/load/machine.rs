//! What a stranger sees of loads in /proc: processes, namespaces, files. Nothing here uses the code under test.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use prazo_load::Options;
use prazo_run::plan::LoadPlan;

/// The program whose `main` calls `child_main`: Cargo builds examples beside the tests.
pub(crate) fn by_hand() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().and_then(Path::parent).unwrap().join("examples/load");
    assert!(program.exists(), "{} is missing: cargo build -p prazo-load --example load", program.display());
    program
}

pub(crate) fn options(work: &Path) -> Options {
    Options { executable: by_hand(), work: work.into(), ..Options::default() }
}

/// Tests that look at rates take turns; the others share the machine.
pub(crate) fn machine_alone() -> RwLockWriteGuard<'static, ()> {
    MACHINE.write().unwrap_or_else(PoisonError::into_inner)
}

/// See [`machine_alone`].
pub(crate) fn machine_shared() -> RwLockReadGuard<'static, ()> {
    MACHINE.read().unwrap_or_else(PoisonError::into_inner)
}

static MACHINE: RwLock<()> = RwLock::new(());

pub(crate) fn plan(name: &str, rate: Option<f64>) -> LoadPlan {
    LoadPlan { name: name.into(), rate, rhythm: None }
}

/// The numbers of all processes that carry `work` in their command line or environment, or stand in it. Keepers have it in
/// their orders, generators in `HOME`; stress-ng writes over its environment, but stays where it was started.
pub(crate) fn processes_of(work: &Path) -> BTreeSet<u32> {
    let work = work.to_str().unwrap();
    let mentions = |pid: &u32| {
        let texts =
            ["cmdline", "environ"].iter().map(|file| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default());
        let stands = fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
        let stands = stands.to_string_lossy().into_owned().into_bytes();
        texts.chain([stands]).any(|bytes| String::from_utf8_lossy(&bytes).contains(work))
    };
    all_processes().filter(mentions).filter(|pid| *pid != std::process::id()).collect()
}

/// The namespaces of these processes that are not our own, as `pid:[4026532000]`.
pub(crate) fn namespaces_of(processes: &BTreeSet<u32>) -> BTreeSet<String> {
    let ours: BTreeSet<_> = namespaces(std::process::id()).collect();
    processes.iter().flat_map(|pid| namespaces(*pid)).filter(|name| !ours.contains(name)).collect()
}

/// True if some process is in one of these namespaces, or some mount keeps one.
pub(crate) fn any_in(wanted: &BTreeSet<String>) -> bool {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    all_processes().any(|pid| namespaces(pid).any(|name| wanted.contains(&name)))
        || wanted.iter().any(|name| mounts.contains(name.as_str()))
}

fn all_processes() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn namespaces(pid: u32) -> impl Iterator<Item = String> {
    ["pid", "pid_for_children", "net", "mnt", "ipc", "user"]
        .into_iter()
        .filter_map(move |kind| Some(fs::read_link(format!("/proc/{pid}/ns/{kind}")).ok()?.to_str()?.to_owned()))
}

/// Waits until `condition` holds; the time is only there to end a test that has failed.
pub(crate) fn eventually(what: &str, condition: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < until, "{what}: not within 20 s");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Asserts that nothing of the loads in `work` is left on the machine.
pub(crate) fn assert_nothing_left(work: &Path, namespaces: &BTreeSet<String>) {
    eventually("every process of the loads is gone", || processes_of(work).is_empty());
    eventually("every namespace of the loads is gone", || !any_in(namespaces));
    eventually("every file of the loads is gone", || fs::read_dir(work).unwrap().next().is_none());
}

/// Kills one process that the test started.
pub(crate) fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
}

/// Writes an executable shell script that answers when it is asked for its version, and else does `text`.
pub(crate) fn script(folder: &Path, name: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    let file = folder.join(name);
    fs::write(&file, format!("#!/bin/sh\ntest \"$1\" = --version && exec echo fake 1\n{text}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Field `number` of /proc/PID/stat, as proc_pid_stat(5) counts them.
pub(crate) fn stat_field(pid: u32, number: usize) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    text.rsplit_once(')')?.1.split_whitespace().nth(number - 3)?.parse().ok()
}
