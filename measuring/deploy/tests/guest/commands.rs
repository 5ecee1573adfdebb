//! What a deployment started, and what it offered: both are taken back, and what is somebody else's is left.

use super::trials::{GROUPS, deploy, end, member, started, undeploy, worker};
use crate::support::tenths;
use prazo_deploy::deployment;
use prazo_deploy::plan::fifo;
use prazo_platform::Root;
use prazo_platform::process::{self, Process};
use prazo_platform::tunable::{Journal, Undone};
use std::process::Command;
use std::time::{Duration, Instant};

/// Starts ordinary children, some of which end, one that leads a session of its own, and one that does not end when it is asked.
const FORKS: &str = "/bin/sh -c '/usr/bin/setsid /bin/sleep 601 & (trap \"\" TERM; /bin/sleep 602 & wait) & \
                     while :; do /bin/sleep 0.05 & /bin/sleep 0.02; done'";

/// How many processes sleep for so long.
fn sleepers(seconds: &str) -> usize {
    let root = Root::system();
    let runs = |one: &Process| {
        let line = root.read(&format!("/proc/{}/cmdline", one.pid)).unwrap_or_default();
        !one.has_ended() && line.trim_end_matches('\0').ends_with(&format!("/bin/sleep\0{seconds}"))
    };
    process::all(&root).unwrap().iter().filter(|one| runs(one)).count()
}

fn wait_until(is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// One in a cluster with a group of its own and one in what may be the root's; the child of a process that was named stays.
pub(crate) fn end_with_all_that_they_start(journal: &Journal) {
    let mut named =
        Command::new("/bin/sh").args(["-c", "/bin/sleep 603 & while :; do /bin/sleep 0.02; done"]).spawn().unwrap();
    wait_until(|| sleepers("603") == 1);
    let (one, of_one) = started("one", 0, tenths(3), FORKS);
    let (two, of_two) = started("two", 1, fifo(40), FORKS);
    let members = [of_one, of_two, member("three", 0, tenths(2), named.id())];
    deploy(journal, &["0", "1-3"], &members, vec![one, two]).unwrap();
    wait_until(|| sleepers("601") == 2 && sleepers("602") == 2);
    undeploy(journal);
    assert_eq!([sleepers("601"), sleepers("602"), sleepers("0.05")], [0, 0, 0]);
    assert_eq!(sleepers("603"), 1, "what a named process started is the user's");
    let child = Root::system().read(&format!("/proc/{0}/task/{0}/children", named.id())).unwrap();
    named.kill().unwrap();
    named.wait().unwrap();
    let child: u32 = child.split_whitespace().next().unwrap().parse().unwrap();
    prazo_sys::process::ProcessHandle::open(child).unwrap().signal(libc::SIGKILL).unwrap();
    wait_until(|| sleepers("603") == 0);
}

/// A group of somebody else's comes to have processors of its own while something is deployed.
pub(crate) fn an_offer_that_somebody_relies_on(journal: &Journal) {
    let (root, other) = (Root::system(), format!("{GROUPS}/other"));
    let offers = || root.read(&format!("{GROUPS}/cgroup.subtree_control")).unwrap();
    let a = worker();
    deploy(journal, &["0", "1-3"], &[member("a", 0, tenths(3), a.id())], Vec::new()).unwrap();
    assert_eq!(offers(), "cpuset");
    std::fs::create_dir(&other).unwrap();
    root.write(&format!("{other}/cpuset.cpus"), "2").unwrap();
    let undone = deployment::undo(journal).unwrap();
    let left: Vec<&Undone> = undone.iter().filter(|one| !one.is_restored()).collect();
    assert!(matches!(left[..], [Undone::InUse { by, .. }] if by.contains(&other)), "{left:?}");
    println!("  {}", left[0]);
    assert_eq!((offers().as_str(), root.read(&format!("{other}/cpuset.cpus")).unwrap().as_str()), ("cpuset", "2"));
    std::fs::remove_dir(&other).unwrap();
    root.write(&format!("{GROUPS}/cgroup.subtree_control"), "-cpuset").unwrap();
    end(a);
}
