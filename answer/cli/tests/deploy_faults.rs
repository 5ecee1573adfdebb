//! What a machine lacks or refuses, made to be so in a mount namespace or a group of its own: each refusal has its status, its
//! reason, and leaves nothing.

mod support;

use prazo_testing::{Need, Skipped, or_skip, skip, skipped};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use support::{Answer, Desk};

/// Two light tasks, one for each of two processors.
const PAIR: &str = "name = \"pair\"\nprocessors = 2\n[task.arm]\ncost = \"12ms\"\nperiod = \"20ms\"\n[task.eye]\ncost = \"24ms\"\nperiod = \"40ms\"\n";

/// Deploys the two, each on its own processor.
const PARTED: &str =
    "$PRAZO sched deploy pair.toml --shape partitioned-edf --command arm='sleep 60' --command eye='sleep 60'";

/// Two that deploy at once would take the processors' time from each other.
static ALONE: Mutex<()> = Mutex::new(());

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("pair.toml", PAIR);
    desk
}

/// The script in a mount namespace of its own; a skip where there is none, or one processor only.
fn apart(desk: &Desk, script: &str) -> Result<Answer, Skipped> {
    support::possible(Need::Root, &["unshare", "-m", "true"])?;
    if std::thread::available_parallelism().unwrap().get() < 2 {
        return Err(skipped(Need::TwoProcessors, "one processor"));
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(desk.shell(&["unshare", "-m"], script))
}

#[track_caller]
fn nothing_is_left(desk: &Desk) {
    assert_eq!(desk.prazo("sched undeploy --json").expect_code(0).json(), serde_json::json!([]));
}

#[test]
fn as_root_without_control_groups_clusters_cannot_be_made() {
    let desk = desk();
    let answer = or_skip!(apart(&desk, &format!("umount -R /sys/fs/cgroup && {PARTED}")));
    answer.expect_code(4).expect_error(&[
        "cannot make clusters of processors on this machine",
        "no control-group hierarchy with the cpuset controller is mounted",
    ]);
    nothing_is_left(&desk);
}

#[test]
fn as_root_without_control_groups_a_command_ends_with_its_process_group() {
    let desk = desk();
    desk.write("eye.sh", "echo $$ >pid; sleep 60 & echo $! >>pid; wait\n");
    let script = "umount -R /sys/fs/cgroup || exit 99; \
                  $PRAZO sched deploy pair.toml --shape global-edf -m $(nproc) --observe 0s --command arm='sleep 60' \
                  --command eye='sh eye.sh' >deployed || { cat deployed; exit 98; }; \
                  while [ $(cat pid | wc -l) -lt 2 ]; do sleep 0.01; done; grep 'no control group was made' deployed; \
                  $PRAZO sched undeploy >undone || exit 97; \
                  for pid in $(cat pid); do grep -qs '^State:.[^Z]' /proc/$pid/status && exit 96; done; exit 0";
    let answer = or_skip!(apart(&desk, script));
    if answer.code == Some(98) {
        skip!(Need::DeadlineAdmission, "{}", answer.stdout);
    }
    let answer = answer.expect_code(0);
    assert_eq!(answer.stdout.matches("undeploy ends its process group").count(), 2, "{}", answer.stdout);
    nothing_is_left(&desk);
}

#[test]
fn as_root_read_only_groups_as_in_a_container_are_told() {
    let desk = desk();
    let read_only = "for point in $(awk '$9 ~ /^cgroup/ || $8 ~ /^cgroup/ { print $5 }' /proc/self/mountinfo); do \
                     mount -o remount,ro,bind $point || exit 99; done";
    let answer = or_skip!(apart(&desk, &format!("{read_only}; {PARTED}")));
    assert_ne!(answer.code, Some(99), "{}", answer.stderr);
    answer.expect_code(4).expect_error(&["read-only", "undid the earlier changes"]);
    nothing_is_left(&desk);
}

#[test]
fn as_root_without_the_kernels_types_nothing_is_watched() {
    let desk = desk();
    let script = "$PRAZO sched deploy pair.toml --shape global-edf -m $(nproc) --command arm='sleep 60' --command eye='sleep 60' --observe 0s \
                  >deployed 2>&1 || { cat deployed; exit 99; }; mount -t tmpfs none /sys/kernel/btf || exit 98; \
                  $PRAZO sched watch -D 1s; status=$?; $PRAZO sched undeploy >undone; exit $status";
    let answer = or_skip!(apart(&desk, script));
    if answer.code == Some(99) {
        skip!(Need::DeadlineAdmission, "{}", answer.stdout);
    }
    let reasons = ["the deployed tasks cannot be watched", "provides no description of its structures"];
    answer.expect_code(4).expect_error(&reasons);
    nothing_is_left(&desk);
}

/// A control group of version 1's cpu controller with no real-time budget, and a process in it; both gone in the end.
struct Bare {
    folder: PathBuf,
    process: Child,
}

impl Bare {
    fn new() -> Option<Self> {
        const MOUNT: &str = "/sys/fs/cgroup/cpu";
        if !Path::new(MOUNT).join("cpu.rt_runtime_us").exists() {
            return None;
        }
        let folder = Path::new(MOUNT).join(format!("prazo-test-{}", std::process::id()));
        std::fs::create_dir(&folder).ok()?;
        let process = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().expect("sleep starts");
        let bare = Self { folder, process };
        std::fs::write(bare.folder.join("cpu.rt_runtime_us"), "0").expect("a group may have no budget");
        std::fs::write(bare.folder.join("cgroup.procs"), bare.process.id().to_string()).expect("it goes there");
        Some(bare)
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        // A group is empty a moment after its last process was waited for.
        let _ = support::wait_for(std::time::Duration::from_secs(5), || std::fs::remove_dir(&self.folder).is_ok());
    }
}

#[test]
fn as_root_a_group_without_a_real_time_budget_is_named() {
    let Some(bare) = Bare::new() else {
        skip!(Need::RealTimeGroups, "no group of version 1 with cpu.rt_runtime_us could be made");
    };
    let desk = desk();
    let count = std::thread::available_parallelism().unwrap();
    let words = format!(
        "sched deploy pair.toml --shape global-rm -m {count} --pid arm={} --command eye=/bin/true --json",
        bare.process.id()
    );
    let refused = desk.prazo(&words).expect_code(4);
    refused.expect_error(&["RT_GROUP_SCHED", "cpu.rt_runtime_us is 0", "undid the earlier changes"]);
    nothing_is_left(&desk);
}
