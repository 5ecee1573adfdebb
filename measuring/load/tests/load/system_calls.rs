//! How many system calls a load makes: those of its processes alone, of every kind, or the reason why there is no count.

use prazo_testing::{Need, Skipped, or_skip, skipped};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

use crate::machine::{self, by_hand, script};

const WITH_TRACEFS: &str = "mount -t tracefs nodev /sys/kernel/tracing";
const WITHOUT_TRACEFS: &str = "mount -t tmpfs none /sys/kernel/tracing && mount -t tmpfs none /sys/kernel/debug";

/// A shell in a mount namespace of its own.
fn shell(text: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "sh", "-c", text]);
    command
}

fn may(need: Need, text: &str) -> Result<(), Skipped> {
    let works = shell(text).output().is_ok_and(|output| output.status.success());
    if works { Ok(()) } else { Err(skipped(need, format!("`{text}` does not work here"))) }
}

fn may_count() -> Result<(), Skipped> {
    may(Need::Root, "true")?;
    may(Need::Tracing, &format!("{WITH_TRACEFS} && test -e /sys/kernel/tracing/events/raw_syscalls/sys_enter/id"))
}

/// Runs a load by hand after `before`; all it printed behind the line of the keepers.
fn counted(before: &str, load: &str, work: &Path, path: &Path) -> Value {
    let (program, work) = (by_hand().display().to_string(), work.display());
    let path = format!("{}:/usr/sbin:/usr/bin:/sbin:/bin", path.display());
    let line = format!("{before} && exec {program} {load} --system-calls --work {work} --path {path}");
    let output = shell(&line).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, document) = text.split_once('\n').unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    serde_json::from_str(document).unwrap_or_else(|error| panic!("{error}: {document}"))
}

/// The row of a counter: its rate and why there is none.
fn row<'a>(document: &'a Value, name: &str) -> (&'a Value, &'a Value) {
    let rows = document["counted"][0].as_array().unwrap();
    let row = rows.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("{name} in {document}"));
    (&row[2], &row[3])
}

/// The events of a counter over all the time that the load was on.
fn events(document: &Value, name: &str) -> f64 {
    let (rate, why) = row(document, name);
    let on = document["loads"][0]["on_s"][0].as_array().unwrap();
    rate.as_f64().unwrap_or_else(|| panic!("{why}")) * (on[1].as_f64().unwrap() - on[0].as_f64().unwrap())
}

#[test]
fn as_many_system_calls_are_counted_as_the_load_s_processes_make_needs_root() {
    or_skip!(may_count());
    let _turn = machine::machine_shared();
    let (work, bin) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // In a child of a child: 100,000 reads and as many writes, and some hundred calls of the shell's and the loaders'.
    let copies = "(dd if=/dev/zero of=/dev/null bs=1 count=100000 2>/dev/null); exec sleep 300";
    script(bin.path(), "stress-ng", copies);
    let are_all_counted = |length: &str| {
        let document = counted(WITH_TRACEFS, &format!("stress-ng-cpu=1 --for {length}"), work.path(), bin.path());
        let calls = events(&document, "system calls");
        eprintln!("{calls:.0} system calls");
        assert!(calls < 202_000.0, "others' calls are not the load's: {document}");
        calls >= 200_000.0
    };
    // On a busy machine they take longer.
    assert!(["2s", "10s", "30s"].into_iter().any(are_all_counted), "not all of the load's system calls were counted");
}

#[test]
fn futexes_are_system_calls_but_no_reads_and_writes_needs_root() {
    or_skip!(may_count());
    let _turn = machine::machine_alone();
    let work = tempfile::tempdir().unwrap();
    let document = counted(WITH_TRACEFS, "scheduler-futexes=1 --for 2s", work.path(), work.path());
    let (calls, read_write) = (events(&document, "system calls"), events(&document, "read and write calls"));
    assert!(calls > 10_000.0 && read_write < calls / 10.0, "{calls} and {read_write}");
}

#[test]
fn without_tracefs_the_count_is_missing_with_the_reason_needs_root() {
    or_skip!(may(Need::Root, WITHOUT_TRACEFS));
    let _turn = machine::machine_shared();
    let work = tempfile::tempdir().unwrap();
    let document = counted(WITHOUT_TRACEFS, "cpu=1 --for 500ms", work.path(), work.path());
    let (rate, why) = row(&document, "system calls");
    assert!(rate.is_null() && why.as_str().unwrap().contains("mount -t tracefs"), "{document}");
}
