//! Why the kernel refused a scheduling policy, found out from the few things that can be the reason.
//!
//! EPERM alone does not say whether a privilege, a limit, a control group or a root domain is in the way; each has another
//! remedy. The facts are collected apart from the explanation, so that machines we do not have can be tested.

use super::Policy;
use crate::cgroup::Cgroups;
use crate::fingerprint::soft_limit;
use crate::root::Root;
use serde::{Deserialize, Serialize};
use std::{fmt, io};

/// A refused policy, with the reasons that are likely and what to do about each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The policy asked for, with its parameters.
    pub asked: String,
    /// The error number that came back.
    pub errno: i32,
    /// Likely reasons, each with its remedy; never empty.
    pub reasons: Vec<String>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "policy {} was refused: {}; {}", self.asked, self.came_back(), self.reasons.join("; or "))
    }
}

impl Refusal {
    /// The system's words for the error number.
    pub fn came_back(&self) -> io::Error {
        io::Error::from_raw_os_error(self.errno)
    }
}

/// What can stand between a thread and a real-time policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// It has CAP_SYS_NICE in its effective set; `None` where that could not be read.
    pub has_sys_nice: Option<bool>,
    /// Its user name space is not the first one, so that its capabilities do not count.
    pub in_user_namespace: bool,
    /// A seccomp filter is in force.
    pub is_filtered: bool,
    /// The soft RLIMIT_RTPRIO.
    pub priority_limit: Option<u64>,
    /// The real-time budget of its control group, file and value, where RT_GROUP_SCHED is built in.
    pub group_budget: Option<(String, String)>,
    /// The system-wide real-time budget in microseconds.
    pub runtime_us: Option<String>,
    /// The processors that it may run on, and those online, where they differ.
    pub bound: Option<(String, String)>,
}

impl Facts {
    /// The facts about the calling thread.
    pub fn read(root: &Root) -> Self {
        Self::of(root, "thread-self")
    }

    /// The facts about a thread by its folder in /proc.
    pub fn of(root: &Root, thread: impl fmt::Display) -> Self {
        let text = |file: &str| root.read(&format!("/proc/{thread}/{file}")).ok();
        let status = text("status").unwrap_or_default();
        let limit = text("limits").and_then(|limits| soft_limit(&limits, "Max realtime priority"));
        let groups = Cgroups::of(root, &format!("/proc/{thread}/cgroup")).ok();
        Self {
            has_sys_nice: capability(&status, CAP_SYS_NICE),
            in_user_namespace: text("uid_map").is_some_and(|map| !is_first_namespace(&map)),
            is_filtered: field(&status, "Seccomp:") == Some("2"),
            priority_limit: limit.and_then(|limit| number(&limit)),
            group_budget: groups.and_then(|groups| group_budget(root, &groups)),
            runtime_us: root.read("/proc/sys/kernel/sched_rt_runtime_us").ok().map(|value| value.trim().to_owned()),
            bound: root.read("/sys/devices/system/cpu/online").ok().and_then(|online| bound(&status, &online)),
        }
    }

    /// A refused policy with its reasons; `asked` as [`prazo_sys::scheduling::SchedAttr::in_a_record`] says it.
    pub fn refusal(&self, policy: Policy, asked: String, errno: i32) -> Refusal {
        Refusal { asked, errno, reasons: self.reasons(policy, errno) }
    }

    /// The likely reasons for a refused policy, most specific first, each with its remedy; never empty.
    pub fn reasons(&self, policy: Policy, errno: i32) -> Vec<String> {
        match (policy, errno) {
            (Policy::Deadline { .. }, libc::EBUSY) => vec![
                "the deadline tasks of this root domain leave no bandwidth for another deadline task (together they \
                 may use 95 % by default): give a smaller --runtime or a longer --period"
                    .into(),
            ],
            (_, libc::EINVAL) => vec![
                "this kernel does not know the policy or rejects its parameters: check --priority, --runtime and \
                 --period"
                    .into(),
            ],
            (_, libc::ENOSYS) => vec!["this kernel has no sched_setattr, or a seccomp filter hides the call".into()],
            (_, libc::EPERM) => self.no_permission(policy),
            _ => vec!["see sched_setattr(2) for this error".into()],
        }
    }

    fn no_permission(&self, policy: Policy) -> Vec<String> {
        let may_be = [
            self.group_without_budget(policy),
            self.no_runtime(),
            self.foreign_user_namespace(),
            self.limited(policy),
            self.outside(policy),
            self.filtered(),
        ];
        let mut reasons: Vec<String> = may_be.into_iter().flatten().collect();
        if reasons.is_empty() {
            reasons.push(
                "no cause of the refusal was found; a container or a security module may filter sched_setattr: start \
                 the container with --cap-add=SYS_NICE --ulimit rtprio=99, or measure outside the container"
                    .into(),
            );
        }
        reasons
    }

    fn group_without_budget(&self, policy: Policy) -> Option<String> {
        let (file, _) = self.group_budget.as_ref().filter(|(_, value)| value == "0")?;
        (!matches!(policy, Policy::Deadline { .. })).then(|| no_budget(file))
    }

    fn no_runtime(&self) -> Option<String> {
        (self.runtime_us.as_deref() == Some("0"))
            .then(|| "kernel.sched_rt_runtime_us is 0, so no real-time thread can run: set it to 950000".into())
    }

    fn foreign_user_namespace(&self) -> Option<String> {
        self.in_user_namespace.then(|| {
            "this process is in a user namespace (a rootless container), where root's capabilities have no effect: \
             measure outside the container"
                .into()
        })
    }

    fn limited(&self, policy: Policy) -> Option<String> {
        if self.has_sys_nice == Some(true) {
            return None;
        }
        let remedy = "run as root, or give the program CAP_SYS_NICE (setcap cap_sys_nice,cap_ipc_lock+ep)";
        match (policy, self.priority_limit) {
            (Policy::Fifo { priority } | Policy::Rr { priority }, Some(limit)) if limit < u64::from(priority) => {
                Some(format!(
                    "this process lacks CAP_SYS_NICE and its RLIMIT_RTPRIO is {limit}, below {priority}: {remedy}, or raise \
                     rtprio in /etc/security/limits.d"
                ))
            }
            (Policy::Fifo { .. } | Policy::Rr { .. }, Some(_)) => None,
            (Policy::Deadline { .. }, _) => Some(format!(
                "this process lacks CAP_SYS_NICE, which this policy requires (RLIMIT_RTPRIO does not replace it): \
                 {remedy}"
            )),
            _ => Some(format!("this process lacks CAP_SYS_NICE: {remedy}")),
        }
    }

    fn outside(&self, policy: Policy) -> Option<String> {
        let (allowed, online) = self.bound.as_ref()?;
        matches!(policy, Policy::Deadline { .. }).then(|| {
            format!(
                "a deadline thread must be allowed on every processor of its root domain, but this thread may use only processors {allowed} of {online}: remove the thread's affinity (taskset), use a cpuset with exclusive processors (cpuset.cpus.partition=root), or measure another policy"
            )
        })
    }

    fn filtered(&self) -> Option<String> {
        self.is_filtered
            .then(|| "a seccomp filter is active and may forbid sched_setattr: allow the call in the filter's profile (Docker's default profile allows it, but the container also needs --cap-add SYS_NICE)".into())
    }
}

/// The number of CAP_SYS_NICE.
pub(crate) const CAP_SYS_NICE: u32 = 23;

/// Whether this process has a capability that counts on the whole machine; `None` where it cannot be read.
pub(crate) fn has_capability(root: &Root, number: u32) -> Option<bool> {
    let has = capability(&root.read("/proc/self/status").ok()?, number)?;
    Some(has && root.read("/proc/self/uid_map").is_ok_and(|map| is_first_namespace(&map)))
}

/// The reason that RT_GROUP_SCHED gives for this process, without a look at anything else.
pub(crate) fn group_without_budget(root: &Root) -> Option<String> {
    let (file, value) = group_budget(root, &Cgroups::read(root).ok()?)?;
    (value == "0").then(|| no_budget(&file))
}

fn no_budget(file: &str) -> String {
    format!(
        "RT_GROUP_SCHED gives this control group no time for real-time threads ({file} is 0): write a budget such as 950000 to this file, move the shell to the root group, or, since Linux 6.16, boot with rt_group_sched=0"
    )
}

/// The budget file of the group in the `cpu` controller of version 1.
fn group_budget(root: &Root, groups: &Cgroups) -> Option<(String, String)> {
    let file = format!("{}/cpu.rt_runtime_us", groups.own_v1("cpu")?);
    let value = root.read(&file).ok()?.trim().to_owned();
    Some((file, value))
}

fn field<'s>(status: &'s str, name: &str) -> Option<&'s str> {
    status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

fn capability(status: &str, number: u32) -> Option<bool> {
    Some(u64::from_str_radix(field(status, "CapEff:")?, 16).ok()? >> number & 1 == 1)
}

/// A capability counts only in the first user name space, which maps every number to itself.
fn is_first_namespace(map: &str) -> bool {
    map.split_whitespace().eq(["0", "0", "4294967295"])
}

fn number(limit: &str) -> Option<u64> {
    if limit == "unlimited" { Some(u64::MAX) } else { limit.parse().ok() }
}

/// What a thread's status says of its processors, where it is not what is online.
fn bound(status: &str, online: &str) -> Option<(String, String)> {
    let (allowed, online) = (field(status, "Cpus_allowed_list:")?, online.trim());
    (allowed != online).then(|| (allowed.to_owned(), online.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree_of_files::tree;
    use prazo_core::time::Duration;

    const FIFO: Policy = Policy::Fifo { priority: 80 };
    const DEADLINE: Policy = Policy::Deadline { runtime: Duration::from_us(50) };

    fn as_root() -> Facts {
        Facts { has_sys_nice: Some(true), priority_limit: Some(0), ..Facts::default() }
    }

    #[test]
    fn a_group_without_budget_is_named_with_its_file() {
        let group_budget = Some(("/sys/fs/cgroup/cpu/x/cpu.rt_runtime_us".into(), "0".into()));
        let reasons = Facts { group_budget, ..as_root() }.reasons(FIFO, libc::EPERM);
        assert_eq!(reasons.len(), 1);
        assert!(reasons[0].contains("/sys/fs/cgroup/cpu/x/cpu.rt_runtime_us is 0"));
    }

    #[test]
    fn a_missing_privilege_names_the_limit() {
        let facts = Facts { has_sys_nice: Some(false), priority_limit: Some(10), ..Facts::default() };
        assert!(facts.reasons(FIFO, libc::EPERM)[0].contains("RLIMIT_RTPRIO is 10, below 80"));
        assert!(facts.reasons(DEADLINE, libc::EPERM)[0].contains("CAP_SYS_NICE"));
    }

    #[test]
    fn with_every_privilege_a_filter_is_suspected() {
        assert!(as_root().reasons(FIFO, libc::EPERM)[0].contains("container"));
    }

    #[test]
    fn a_deadline_thread_that_is_bound_to_less_than_its_root_domain_is_told_so() {
        let facts = Facts { bound: Some(("1".into(), "0-1".into())), ..as_root() };
        let reasons = facts.reasons(DEADLINE, libc::EPERM);
        assert!(reasons.len() == 1 && reasons[0].contains("may use only processors 1 of 0-1"), "{reasons:?}");
        assert!(facts.reasons(FIFO, libc::EPERM)[0].contains("container"), "other policies may be bound");
    }

    #[test]
    fn a_full_root_domain_asks_for_less() {
        assert!(as_root().reasons(DEADLINE, libc::EBUSY)[0].contains("--runtime"));
    }

    #[test]
    fn every_fact_is_read_from_a_copied_tree() {
        let (_folder, root) = tree(&[
            ("proc/30/status", "CapEff:\t0000000000000000\nSeccomp:\t2\nCpus_allowed_list:\t0\n"),
            ("proc/30/limits", "Max realtime priority     7                    0                    \n"),
            ("proc/30/uid_map", "         0       1000          1\n"),
            ("proc/30/cgroup", "3:cpuset:/a\n2:cpuacct,cpu:/box\n0::/\n"),
            ("proc/self/mountinfo", "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"),
            ("sys/fs/cgroup/cpu/box/cpu.rt_runtime_us", "0\n"),
            ("proc/sys/kernel/sched_rt_runtime_us", "0\n"),
            ("sys/devices/system/cpu/online", "0-3\n"),
        ]);
        let facts = Facts::of(&root, 30);
        let budget = ("/sys/fs/cgroup/cpu/box/cpu.rt_runtime_us".to_owned(), "0".to_owned());
        let all = Facts {
            has_sys_nice: Some(false),
            in_user_namespace: true,
            is_filtered: true,
            priority_limit: Some(7),
            group_budget: Some(budget),
            runtime_us: Some("0".into()),
            bound: Some(("0".into(), "0-3".into())),
        };
        assert_eq!(facts, all);
        let parts = [
            "cpu.rt_runtime_us is 0",
            "sched_rt_runtime_us is 0",
            "user namespace",
            "RLIMIT_RTPRIO is 7, below 80",
            "seccomp",
        ];
        let reasons = facts.reasons(FIFO, libc::EPERM);
        assert_eq!(reasons.len(), parts.len());
        parts.iter().zip(&reasons).for_each(|(part, reason)| assert!(reason.contains(part), "{part}: {reason}"));
        let reasons = facts.reasons(DEADLINE, libc::EPERM).join("; ");
        assert!(
            reasons.contains("which this policy requires") && reasons.contains("may use only processors 0 of 0-3"),
            "{reasons}"
        );
    }
}
