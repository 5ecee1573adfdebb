//! Whether the kernel grants a scheduling policy: tried in a short-lived thread, never inferred.
//!
//! Each of the reasons for a refusal hides behind EPERM (no privilege, no budget in the control group, an affinity that a
//! deadline task may not have), so a refusal carries every cause that this machine shows signs of.

use crate::cgroup::Cgroups;
use crate::fingerprint::soft_limit;
use crate::root::Root;
use crate::sys::{self, SchedAttr};
use crate::topology::Topology;
use prazo_core::cpu::{Cpu, CpuSet};
use std::io;

/// A policy to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// SCHED_FIFO at a priority of 1 to 99.
    Fifo {
        /// Real-time priority.
        priority: u8,
    },
    /// SCHED_RR at a priority of 1 to 99.
    Rr {
        /// Real-time priority.
        priority: u8,
    },
    /// SCHED_DEADLINE with 1 % of a processor, on any processor that the thread may use.
    Deadline,
    /// The same with the thread bound to one processor first: wants a root domain of that processor alone.
    DeadlinePinned {
        /// The processor.
        cpu: Cpu,
    },
}

/// What came of a try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trial {
    /// The kernel granted it, and the thread really had it.
    Granted,
    /// The kernel refused.
    Refused {
        /// The error's number; `None` where the kernel said yes and gave another policy.
        errno: Option<i32>,
        /// What the kernel said, and what on this machine explains it.
        why: String,
    },
}

impl Trial {
    /// True where the policy was granted.
    pub fn is_granted(&self) -> bool {
        matches!(self, Self::Granted)
    }
}

const FIFO: u32 = libc::SCHED_FIFO as u32;
const RR: u32 = libc::SCHED_RR as u32;

impl Policy {
    /// The name used by flags and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fifo { .. } => "fifo",
            Self::Rr { .. } => "rr",
            Self::Deadline => "deadline",
            Self::DeadlinePinned { .. } => "deadline-pinned",
        }
    }

    /// A deadline task asks for 100 us in 10 ms, little enough to be let in beside others.
    fn attr(self) -> SchedAttr {
        match self {
            Self::Fifo { priority } => SchedAttr { policy: FIFO, priority: priority.into(), ..SchedAttr::default() },
            Self::Rr { priority } => SchedAttr { policy: RR, priority: priority.into(), ..SchedAttr::default() },
            Self::Deadline | Self::DeadlinePinned { .. } => SchedAttr {
                policy: sys::SCHED_DEADLINE,
                runtime_ns: 100_000,
                deadline_ns: 10_000_000,
                period_ns: 10_000_000,
                ..SchedAttr::default()
            },
        }
    }
}

/// Tries a policy on this machine. The thread that has it does nothing and ends at once.
pub fn try_policy(policy: Policy) -> Trial {
    let thread = std::thread::Builder::new().name("prazo-try".into()).spawn(move || ask(policy));
    let answer = thread.and_then(|thread| thread.join().map_err(|_| io::Error::other("the trying thread panicked")));
    match answer.and_then(|answer| answer) {
        Ok(given) if given.policy == policy.attr().policy => Trial::Granted,
        Ok(given) => Trial::Refused { errno: None, why: format!("policy number {} was given instead", given.policy) },
        Err(error) => Trial::Refused { errno: error.raw_os_error(), why: explain(&Root::system(), policy, &error) },
    }
}

fn ask(policy: Policy) -> io::Result<SchedAttr> {
    if let Policy::DeadlinePinned { cpu } = policy {
        sys::set_affinity(&CpuSet::only(cpu))?;
    }
    sys::sched_setattr(&policy.attr())?;
    sys::sched_getattr()
}

/// The kernel's word, and what explains it.
pub(crate) fn explain(root: &Root, policy: Policy, error: &io::Error) -> String {
    let causes: Vec<String> = match error.raw_os_error() {
        Some(libc::EPERM) => causes_of_eperm(root, policy),
        Some(libc::EBUSY) => vec!["the deadline tasks that are there leave no bandwidth for another".into()],
        Some(libc::EINVAL) => vec!["this kernel does not know the policy, or not these parameters".into()],
        Some(libc::ENOSYS) => vec!["this kernel has no such call, or a filter hides it".into()],
        _ => Vec::new(),
    };
    let causes = if causes.is_empty() { "no cause shows".to_owned() } else { causes.join("; ") };
    format!("{error}: {causes}")
}

fn causes_of_eperm(root: &Root, policy: Policy) -> Vec<String> {
    let is_deadline = matches!(policy, Policy::Deadline | Policy::DeadlinePinned { .. });
    let own = if is_deadline { deadline_cause(root, policy) } else { group_without_budget(root) };
    [no_privilege(root, policy), foreign_user_namespace(root), filtered(root), own].into_iter().flatten().collect()
}

/// Whether this process has a capability that counts on the whole machine; `None` where it cannot be read.
pub(crate) fn has_capability(root: &Root, number: u32) -> Option<bool> {
    Some(bit_is_set(root, number)? && foreign_user_namespace(root).is_none())
}

fn bit_is_set(root: &Root, number: u32) -> Option<bool> {
    let status = root.read("/proc/self/status").ok()?;
    let text = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?.trim();
    u64::from_str_radix(text, 16).ok().map(|all| all >> number & 1 == 1)
}

/// The number of CAP_SYS_NICE.
pub(crate) const CAP_SYS_NICE: u32 = 23;

fn no_privilege(root: &Root, policy: Policy) -> Option<String> {
    if bit_is_set(root, CAP_SYS_NICE)? {
        return None;
    }
    let limit = soft_limit(&root.read("/proc/self/limits").ok()?, "Max realtime priority")?;
    let asked = match policy {
        Policy::Fifo { priority } | Policy::Rr { priority } => priority,
        Policy::Deadline | Policy::DeadlinePinned { .. } => {
            return Some("CAP_SYS_NICE is missing, and no limit stands in for it with this policy".into());
        }
    };
    let is_enough = limit == "unlimited" || limit.parse::<u32>().is_ok_and(|limit| limit >= asked.into());
    (!is_enough).then(|| format!("CAP_SYS_NICE is missing and RLIMIT_RTPRIO is {limit}, below {asked}"))
}

/// A capability counts only in the first user name space.
fn foreign_user_namespace(root: &Root) -> Option<String> {
    let map = root.read("/proc/self/uid_map").ok()?;
    let numbers: Vec<&str> = map.split_whitespace().collect();
    (numbers != ["0", "0", "4294967295"])
        .then(|| "this is a user name space (a rootless container), where root's capabilities do not count".into())
}

fn filtered(root: &Root) -> Option<String> {
    let status = root.read("/proc/self/status").ok()?;
    let mode = status.lines().find_map(|line| line.strip_prefix("Seccomp:"))?.trim();
    (mode == "2").then(|| "a seccomp filter is in force and may forbid the call (in Docker: --cap-add SYS_NICE)".into())
}

/// Under RT_GROUP_SCHED a group starts with no real-time budget, and EPERM is all that a task in it is told.
pub(crate) fn group_without_budget(root: &Root) -> Option<String> {
    let file = format!("{}/cpu.rt_runtime_us", Cgroups::read(root).ok()?.own_v1("cpu")?);
    let budget = root.read_number(&file).ok()?;
    (budget == 0).then(|| format!("RT_GROUP_SCHED: this process's group has no real-time budget ({file} is 0)"))
}

fn deadline_cause(root: &Root, policy: Policy) -> Option<String> {
    const RULE: &str = "a deadline task must be allowed on every processor of its root domain";
    if let Policy::DeadlinePinned { cpu } = policy {
        return Some(format!("{RULE}, and this one is bound to {cpu}"));
    }
    let topology = Topology::read(root).ok()?;
    let (allowed, online) = (topology.allowed, topology.online);
    (allowed != online).then(|| format!("{RULE}, and this process is bound to {allowed} of {online}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree_of_files::tree;

    #[test]
    fn a_refusal_names_each_cause_that_shows() {
        let (_folder, root) = tree(&[
            ("proc/self/status", "CapEff:\t0000000000000000\nSeccomp:\t2\nCpus_allowed_list:\t0\n"),
            ("proc/self/limits", "Max realtime priority     0                    0                    \n"),
            ("proc/self/uid_map", "         0       1000          1\n"),
            ("proc/self/cgroup", "1:cpu:/box\n"),
            ("proc/self/mountinfo", "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"),
            ("sys/fs/cgroup/cpu/box/cpu.rt_runtime_us", "0\n"),
            ("sys/devices/system/cpu/online", "0-3\n"),
        ]);
        let refused = io::Error::from_raw_os_error(libc::EPERM);
        let why = explain(&root, Policy::Fifo { priority: 80 }, &refused);
        for part in ["RLIMIT_RTPRIO is 0, below 80", "user name space", "seccomp", "cpu.rt_runtime_us is 0"] {
            assert!(why.contains(part), "{part}: {why}");
        }
        let why = explain(&root, Policy::Deadline, &refused);
        assert!(why.contains("no limit stands in for it") && why.contains("bound to 0 of 0-3"), "{why}");
        let why = explain(&root, Policy::Deadline, &io::Error::from_raw_os_error(libc::EBUSY));
        assert!(why.contains("no bandwidth"), "{why}");
    }

    #[test]
    fn a_refusal_without_a_sign_says_so() {
        let (_folder, root) = tree(&[]);
        let why = explain(&root, Policy::Rr { priority: 1 }, &io::Error::from_raw_os_error(libc::EPERM));
        assert!(why.ends_with("no cause shows"), "{why}");
    }

    #[test]
    fn a_trial_leaves_the_calling_thread_as_it_was() {
        let before = sys::sched_getattr().unwrap();
        let cpus = sys::affinity().unwrap();
        let policies = [Policy::Fifo { priority: 1 }, Policy::Deadline, Policy::DeadlinePinned { cpu: cpus.first() }];
        for policy in policies {
            match try_policy(policy) {
                Trial::Granted => {}
                Trial::Refused { why, .. } => assert!(!why.is_empty()),
            }
        }
        assert_eq!(sys::sched_getattr().unwrap(), before);
        assert_eq!(sys::affinity().unwrap(), cpus);
    }

    #[test]
    fn what_no_kernel_grants_is_refused_with_its_number() {
        match try_policy(Policy::Fifo { priority: 100 }) {
            Trial::Refused { errno: Some(errno), .. } => assert!([libc::EINVAL, libc::EPERM].contains(&errno)),
            other => panic!("{other:?}"),
        }
    }
}
