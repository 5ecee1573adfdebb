//! What the machine refuses, and says why; nothing of it is left.

use super::trials::{GROUPS, clusters, deploy, end, member, mount, plan, sleeper, state, worker};
use crate::support::tenths;
use prazo_deploy::SystemChange;
use prazo_deploy::deployment::Standing;
use prazo_deploy::partition::{Ground, Layout};
use prazo_deploy::plan::fifo;
use prazo_deploy::step;
use prazo_platform::Root;
use prazo_platform::tunable::Journal;
use std::ffi::CString;

/// As in a container.
pub(crate) fn read_only_groups(journal: &Journal) {
    let a = sleeper();
    mount("cgroup2", GROUPS, libc::MS_REMOUNT | libc::MS_RDONLY);
    let error = deploy(journal, &["0", "1-3"], &[member("a", 0, fifo(10), a.id())], Vec::new());
    mount("cgroup2", GROUPS, libc::MS_REMOUNT);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("read-only"), "{error}");
    end(a);
}

/// One cluster of all processors needs none; clusters of some do.
pub(crate) fn no_groups(_: &Journal) {
    let place = CString::new(GROUPS).unwrap();
    // SAFETY: the string ends with a zero and lives until the call returns.
    assert_eq!(unsafe { libc::umount(place.as_ptr()) }, 0, "{}", std::io::Error::last_os_error());
    let ground = Ground::read(&Root::system()).unwrap();
    let layout = |lists: &[&str]| Layout::of(&clusters(lists), &ground, "prazo");
    let (whole, parts) = (layout(&["0-3"]), layout(&["0", "1-3"]));
    mount("cgroup2", GROUPS, 0);
    assert_eq!(whole.unwrap().steps(), []);
    let error = parts.unwrap_err().to_string();
    assert!(error.contains("no control-group hierarchy with the cpuset controller is mounted"), "{error}");
}

/// One that would leave the root without a processor: the kernel takes the word, and reading back says what it makes of it.
pub(crate) fn an_invalid_partition(journal: &Journal) {
    let folder = format!("{GROUPS}/prazo-whole");
    let write = |name: &str, value: &str| SystemChange::Write { file: format!("{folder}/{name}"), value: value.into() };
    let steps = [
        SystemChange::Offer { file: format!("{GROUPS}/cgroup.subtree_control") },
        SystemChange::Group { folder: folder.clone() },
        write("cpuset.cpus", "0-3"),
        write("cpuset.cpus.partition", "root"),
    ];
    let refused = step::carry_out(&steps, journal).unwrap_err();
    assert_eq!(*refused.step, steps[3]);
    let why = refused.why.to_string();
    assert!(why.contains("invalid") && why.contains("read back"), "{why}");
    println!("  {why}");
}

/// Somebody binds a thread to less than its cluster after it was looked at: the kernel says no more than EPERM.
pub(crate) fn one_that_is_bound_meanwhile(journal: &Journal) {
    let a = worker();
    let planned = plan(&["0", "1-3"], &[member("a", 1, tenths(3), a.id())]);
    prazo_sys::scheduling::set_affinity_of(a.id(), &"2".parse().unwrap()).unwrap();
    let before = state(a.id());
    let error = Standing::make(journal, &planned, Vec::new()).unwrap_err().to_string();
    assert!(error.contains("allowed on every processor of its root domain"), "{error}");
    assert_eq!(state(a.id()), before);
    end(a);
}
