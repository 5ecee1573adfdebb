//! A root domain for one processor: what a pinned deadline task needs.
//!
//! The kernel lets a deadline task in only if it may run on every processor of its root domain, so a task bound to one
//! processor needs a domain of that processor alone. Version 1 of the control groups makes one when the root cpuset stops
//! balancing and two exclusive cpusets, the processor and the rest, go on; version 2 has partitions. What is made is
//! written down in the journal first and removed when the [`RootDomain`] is dropped, or at the next start.

use crate::cgroup::Cgroups;
use crate::root::{Root, Unavailable};
use crate::topology::Topology;
use crate::tunable::{Held, Journal, Tunable, TunableRecord, TuneError};
use prazo_core::cpu::{Cpu, CpuSet};

/// How a root domain can be made on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// The mount of version 1's cpuset controller.
    Cpusets(String),
    /// The mount of version 2, whose root offers the cpuset controller.
    Partition(String),
}

/// Why there is no root domain for the processor.
#[derive(Debug, thiserror::Error)]
pub enum RootDomainError {
    /// Nothing on this machine makes one.
    #[error("cannot make a root domain for one processor: {why}")]
    NoWay {
        /// What is missing.
        why: String,
    },
    /// The processor is the only one, or not online: it has its domain already, or never will.
    #[error(
        "cannot separate processor {cpu} from other processors: this processor and at least one other must be online \
         (online: {online})"
    )]
    Alone {
        /// The processor.
        cpu: Cpu,
        /// The processors online.
        online: String,
    },
    /// A file refused.
    #[error("cannot make the root domain for processor {cpu}: {why}")]
    Refused {
        /// The processor.
        cpu: Cpu,
        /// What was asked and what came back.
        why: String,
    },
}

/// A root domain of one processor, held by this process.
#[derive(Debug)]
#[must_use = "the root domain is taken apart as soon as this is dropped"]
pub struct RootDomain {
    /// Put back in reverse order.
    held: Vec<Held>,
    /// Where a thread has to go before it asks for the policy; `None` where its affinity is enough.
    threads: Option<String>,
    root: Root,
}

impl RootDomain {
    /// How one can be made, by what is mounted; making it may still be refused.
    pub fn mechanism(root: &Root) -> Result<Mechanism, RootDomainError> {
        let no_way = |why: &str| RootDomainError::NoWay { why: why.to_owned() };
        let groups = Cgroups::read(root).map_err(|error| no_way(&error.to_string()))?;
        if let Some(mount) = groups.mount_v1("cpuset") {
            return Ok(Mechanism::Cpusets(mount.to_owned()));
        }
        let mount = groups
            .mount_v2()
            .ok_or_else(|| no_way("no control-group hierarchy with the cpuset controller is mounted"))?;
        let controllers = root.read(&format!("{mount}/cgroup.controllers")).unwrap_or_default();
        if controllers.split_whitespace().any(|name| name == "cpuset") {
            return Ok(Mechanism::Partition(mount.to_owned()));
        }
        Err(no_way("the control groups that this process can see do not offer the cpuset controller"))
    }

    /// The same, and this process may write the files that are changed.
    pub(crate) fn writable_mechanism(root: &Root) -> Result<Mechanism, RootDomainError> {
        let mechanism = Self::mechanism(root)?;
        let (mount, file) = match &mechanism {
            Mechanism::Cpusets(mount) => (mount, "cpuset.sched_load_balance"),
            Mechanism::Partition(mount) => (mount, "cgroup.subtree_control"),
        };
        for path in [mount.clone(), format!("{mount}/{file}")] {
            root.check_writable(&path).map_err(|error| RootDomainError::NoWay { why: error.to_string() })?;
        }
        Ok(mechanism)
    }

    /// Makes one for `cpu`. Tasks that may run elsewhere are no longer balanced onto it; those bound to it stay.
    pub fn make(journal: &Journal, cpu: Cpu) -> Result<Self, RootDomainError> {
        let root = journal.root();
        let online = Topology::read(root).map_err(|error| refused(cpu, &error))?.online;
        let rest = online.difference(CpuSet::only(cpu)).filter(|_| online.contains(cpu));
        let rest = rest.ok_or_else(|| RootDomainError::Alone { cpu, online: online.to_string() })?;
        match Self::mechanism(root)? {
            Mechanism::Cpusets(mount) => by_cpusets(journal, &mount, cpu, rest),
            Mechanism::Partition(mount) => by_partition(journal, &mount, cpu),
        }
    }

    /// Brings the calling thread into the domain; its affinity must be set to the processor as well.
    pub fn enter(&self) -> Result<(), Unavailable> {
        match &self.threads {
            // 0 stands for the thread that writes.
            Some(file) => self.root.write(file, "0"),
            None => Ok(()),
        }
    }

    /// Takes it apart and says what became of each change. Deadline threads must have left before.
    pub fn release(mut self) -> Vec<TunableRecord> {
        std::iter::from_fn(|| self.held.pop()).map(Held::release).collect()
    }
}

impl Drop for RootDomain {
    fn drop(&mut self) {
        while self.held.pop().is_some() {}
    }
}

fn refused(cpu: Cpu, why: &dyn std::fmt::Display) -> RootDomainError {
    RootDomainError::Refused { cpu, why: why.to_string() }
}

/// Named after the process and the processor, so that two runs do not meet.
fn folder(mount: &str, cpu: Cpu, part: &str) -> String {
    format!("{mount}/prazo-{}-cpu{cpu}-{part}", std::process::id())
}

fn by_cpusets(journal: &Journal, mount: &str, cpu: Cpu, rest: CpuSet) -> Result<RootDomain, RootDomainError> {
    let root = journal.root().clone();
    let mut domain = RootDomain { held: Vec::new(), threads: None, root };
    for (part, cpus) in [("one", CpuSet::only(cpu)), ("rest", rest)] {
        let folder = folder(mount, cpu, part);
        domain.held.push(journal.hold_folder(&folder).map_err(|error| refused(cpu, &error))?);
        let mems = journal.root().read(&format!("{mount}/cpuset.mems")).map_err(|error| refused(cpu, &error))?;
        let files = [("mems", mems), ("cpus", cpus.to_string()), ("cpu_exclusive", "1".into())];
        for (file, value) in files {
            set_checked(journal.root(), &format!("{folder}/cpuset.{file}"), &value)
                .map_err(|error| refused(cpu, &error))?;
        }
    }
    let balance = Tunable::file(&format!("{mount}/cpuset.sched_load_balance"));
    let balance = balance.ok_or_else(|| {
        refused(cpu, &"the cpuset controller is mounted outside /sys, and prazo changes cpusets in /sys only")
    })?;
    domain.held.push(hold_checked(journal, &balance, "0").map_err(|error| refused(cpu, &error))?);
    Ok(domain)
}

fn by_partition(journal: &Journal, mount: &str, cpu: Cpu) -> Result<RootDomain, RootDomainError> {
    let mut domain = RootDomain { held: Vec::new(), threads: None, root: journal.root().clone() };
    let subtree = format!("{mount}/cgroup.subtree_control");
    domain.held.extend(journal.hold_controller(&subtree, "cpuset").map_err(|error| refused(cpu, &error))?);
    let folder = folder(mount, cpu, "one");
    domain.held.push(journal.hold_folder(&folder).map_err(|error| refused(cpu, &error))?);
    let root = journal.root();
    root.write(&format!("{folder}/cgroup.type"), "threaded").map_err(|error| refused(cpu, &error))?;
    for (file, value) in [("cpuset.cpus", cpu.to_string()), ("cpuset.cpus.partition", "root".into())] {
        set_checked(root, &format!("{folder}/{file}"), &value).map_err(|error| refused(cpu, &error))?;
    }
    domain.threads = Some(format!("{folder}/cgroup.threads"));
    Ok(domain)
}

/// Writes and reads back: a partition that the kernel does not like reads `root invalid (…)`.
fn set_checked(root: &Root, path: &str, value: &str) -> Result<(), Unavailable> {
    root.write(path, value)?;
    let found = root.read(path)?;
    if found.trim() == value.trim() {
        Ok(())
    } else {
        Err(Unavailable::nonsense(path, &format!("the requested value '{value}'"), &found))
    }
}

fn hold_checked(journal: &Journal, tunable: &Tunable, value: &str) -> Result<Held, TuneError> {
    let held = journal.hold(tunable, value)?;
    if held.record().took_effect() {
        return Ok(held);
    }
    let found = held.record().effective.clone().unwrap_or_default();
    let why = Unavailable::nonsense(tunable.path(), "the requested value", &found);
    Err(TuneError::Refused { knob: tunable.path().to_owned(), requested: value.to_owned(), why })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{TRIED_DEADLINE, Trial, try_policy};
    use crate::root::DENIED_LIST;
    use crate::tree_of_files::tree;
    use prazo_sys::containment::{self, Namespaces};
    use prazo_testing::{Need, skip};
    use std::io;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::Command;

    const V2: (&str, &str) = ("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");

    #[test]
    fn a_machine_without_cpusets_says_so() {
        let (_folder, root) = tree(&[]);
        assert!(RootDomain::mechanism(&root).unwrap_err().to_string().contains("/proc/self/cgroup does not exist"));
        let own = ("proc/self/cgroup", "0::/box\n");
        let (_folder, root) = tree(&[V2, own, ("sys/fs/cgroup/cgroup.controllers", "cpu memory\n")]);
        assert!(RootDomain::mechanism(&root).unwrap_err().to_string().contains("cpuset controller"));
        let (_folder, root) = tree(&[V2, own, ("sys/fs/cgroup/cgroup.controllers", "cpuset cpu\n")]);
        assert_eq!(RootDomain::mechanism(&root).unwrap(), Mechanism::Partition("/sys/fs/cgroup".into()));
    }

    fn tree_with_partitions() -> (tempfile::TempDir, Root) {
        tree(&[
            V2,
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/cgroup.controllers", "cpuset\n"),
            ("sys/fs/cgroup/cgroup.subtree_control", "cpuset\n"),
        ])
    }

    fn not_writable(root: &Root) -> String {
        RootDomain::writable_mechanism(root).unwrap_err().to_string()
    }

    #[test]
    fn files_that_are_denied_or_missing_make_no_domain() {
        let (folder, root) = tree_with_partitions();
        assert_eq!(RootDomain::writable_mechanism(&root).unwrap(), Mechanism::Partition("/sys/fs/cgroup".into()));
        std::fs::write(folder.path().join(DENIED_LIST), "/sys/fs/cgroup/cgroup.subtree_control\n").unwrap();
        let denied = not_writable(&Root::at(folder.path()));
        assert!(denied.ends_with("/sys/fs/cgroup/cgroup.subtree_control: permission denied"), "{denied}");
        std::fs::remove_file(folder.path().join("sys/fs/cgroup/cgroup.subtree_control")).unwrap();
        assert!(not_writable(&root).ends_with("/sys/fs/cgroup/cgroup.subtree_control does not exist"));
    }

    #[test]
    fn files_without_write_permission_make_no_domain() {
        if prazo_sys::machine::effective_user() == 0 {
            skip!(Need::Refusal, "root may write every file");
        }
        let (folder, root) = tree_with_partitions();
        let file = folder.path().join("sys/fs/cgroup/cgroup.subtree_control");
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o444)).unwrap();
        assert!(not_writable(&root).ends_with("/sys/fs/cgroup/cgroup.subtree_control: permission denied"));
    }

    /// Mounts a read-only file system on the folder, in a mount namespace of the calling thread alone.
    fn cover_read_only(folder: &Path) -> io::Result<()> {
        containment::unshare(Namespaces::LOAD)?;
        containment::keep_mounts_private()?;
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "ro", "none"]).arg(folder).output()?;
        let why = String::from_utf8_lossy(&mount.stderr).into_owned();
        if mount.status.success() { Ok(()) } else { Err(io::Error::other(why)) }
    }

    #[test]
    fn on_a_read_only_mount_no_domain_is_made_needs_root() {
        let (folder, root) = tree_with_partitions();
        let cover = || cover_read_only(&folder.path().join("sys/fs/cgroup"));
        let check = || cover().map(|()| root.check_writable("/sys/fs/cgroup"));
        match std::thread::scope(|scope| scope.spawn(check).join().unwrap()) {
            Ok(answer) => {
                let refused = Unavailable::Refused { path: "/sys/fs/cgroup".into(), errno: libc::EROFS };
                assert_eq!(answer, Err(refused));
            }
            Err(error) => skip!(Need::Namespaces, "no read-only mount for one thread: {error}"),
        }
    }

    #[test]
    fn a_domain_that_is_refused_half_way_is_taken_apart() {
        let (folder, root) = tree(&[
            V2,
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/cgroup.controllers", "cpuset\n"),
            ("sys/fs/cgroup/cgroup.subtree_control", "cpuset\n"),
            ("sys/devices/system/cpu/online", "0-1\n"),
        ]);
        let journal = Journal::open_in(&folder.path().join("state"), &root).unwrap();
        let error = RootDomain::make(&journal, Cpu::new(1).unwrap()).unwrap_err();
        assert!(
            error.to_string().contains("cgroup.type does not exist"),
            "a plain folder is no control group: {error}"
        );
        assert_eq!(root.list("/sys/fs/cgroup").unwrap().len(), 2, "the folder is gone again");
        assert_eq!(journal.entries().unwrap(), []);
        let error = RootDomain::make(&journal, Cpu::new(7).unwrap()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot separate processor 7 from other processors: this processor and at least one other must be online \
             (online: 0-1)"
        );
    }

    /// Changes how this machine balances its load for some milliseconds, so it is asked for by name.
    #[test]
    fn as_root_with_cpusets_a_pinned_deadline_thread_is_granted_in_its_own_domain() {
        if std::env::var_os("PRAZO_TEST_ROOT_DOMAIN").is_none() {
            skip!(Need::RootDomainAllowed, "it changes the machine's root domains");
        }
        let state = tempfile::tempdir().unwrap();
        let journal = Journal::open_in(&state.path().join("state"), &Root::system()).unwrap();
        let online = Topology::read(&Root::system()).unwrap().online;
        let cpu = online.iter().last().unwrap();
        assert_ne!(try_policy(TRIED_DEADLINE, Some(cpu)), Trial::Granted, "without a domain it is refused");
        let domain = RootDomain::make(&journal, cpu).unwrap();
        let trial = std::thread::scope(|scope| {
            scope
                .spawn(|| {
                    domain.enter().unwrap();
                    try_policy(TRIED_DEADLINE, Some(cpu))
                })
                .join()
                .unwrap()
        });
        let records = domain.release();
        assert_eq!(trial, Trial::Granted);
        assert!(records.iter().all(|record| record.restored), "{records:?}");
        assert_ne!(try_policy(TRIED_DEADLINE, Some(cpu)), Trial::Granted, "the domain is gone again");
    }
}
