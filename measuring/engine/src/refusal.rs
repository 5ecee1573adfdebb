//! Why the kernel refused a scheduling policy, found out from the few things that can be the reason.
//!
//! EPERM alone does not say whether a privilege, a limit, a control group or a root domain is in the way; each has another
//! remedy. The facts are collected apart from the explanation, so that machines we do not have can be tested.

use prazo_run::plan::Policy;
use prazo_sys::scheduling::{Resource, limit};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// A refused policy, with the reasons that are likely and what to do about each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The processor of the thread.
    pub cpu: u32,
    /// The policy asked for, with its parameters.
    pub asked: String,
    /// The error number that came back.
    pub errno: i32,
    /// Likely reasons, each with its remedy; never empty.
    pub reasons: Vec<String>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let came_back = super::error::told(self.errno);
        write!(f, "policy {} was refused on processor {}: {came_back}; ", self.asked, self.cpu)?;
        f.write_str(&self.reasons.join("; or "))
    }
}

/// What can stand between a thread and a real-time policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The process has CAP_SYS_NICE in its effective set; `None` where that could not be read.
    pub has_sys_nice: Option<bool>,
    /// The soft RLIMIT_RTPRIO.
    pub priority_limit: Option<u64>,
    /// The real-time budget of this process's control group, file and value, where RT_GROUP_SCHED is built in.
    pub group_budget: Option<(String, String)>,
    /// The system-wide real-time budget in microseconds.
    pub runtime_us: Option<String>,
    /// The processors that this thread may run on, and those online, where they differ.
    pub bound: Option<(String, String)>,
}

impl Facts {
    /// The facts about the calling thread, read below `root` (`/` on the machine itself).
    pub fn read(root: &Path) -> Self {
        let text = |path: &str| std::fs::read_to_string(root.join(path)).ok();
        Self {
            has_sys_nice: text("proc/thread-self/status").as_deref().and_then(has_sys_nice),
            priority_limit: limit(Resource::RealTimePriority).ok().map(|(soft, _)| soft),
            group_budget: text("proc/thread-self/cgroup").and_then(|groups| group_budget(root, &groups)),
            runtime_us: text("proc/sys/kernel/sched_rt_runtime_us").map(|value| value.trim().to_owned()),
            bound: text("proc/thread-self/status").zip(text("sys/devices/system/cpu/online")).and_then(bound),
        }
    }
}

/// CAP_SYS_NICE is bit 23 of the effective set.
fn has_sys_nice(status: &str) -> Option<bool> {
    let set = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    Some(u64::from_str_radix(set.trim(), 16).ok()? >> 23 & 1 == 1)
}

/// What a thread's status tells of its processors, where it is not what is online.
fn bound((status, online): (String, String)) -> Option<(String, String)> {
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?.trim();
    let online = online.trim();
    (allowed != online).then(|| (allowed.to_owned(), online.to_owned()))
}

/// The budget file of the group that the `cpu` controller of version 1 put this process into.
fn group_budget(root: &Path, groups: &str) -> Option<(String, String)> {
    let of_cpu = |line: &str| {
        let mut parts = line.splitn(3, ':').skip(1);
        let has_cpu = parts.next()?.split(',').any(|controller| controller == "cpu");
        has_cpu.then(|| parts.next()).flatten().map(str::to_owned)
    };
    let group = groups.lines().find_map(of_cpu)?;
    let file = Path::new("sys/fs/cgroup/cpu").join(group.trim_start_matches('/')).join("cpu.rt_runtime_us");
    let value = std::fs::read_to_string(root.join(&file)).ok()?;
    Some((format!("/{}", file.display()), value.trim().to_owned()))
}

/// The likely reasons for a refused policy, most specific first; never empty.
pub fn reasons(policy: Policy, errno: i32, facts: &Facts) -> Vec<String> {
    match (policy, errno) {
        (Policy::Deadline { .. }, libc::EBUSY) => vec![
            "the deadline tasks of this root domain would need more processor time than its share (95 % by default): \
             give a smaller --runtime or a longer --period"
                .into(),
        ],
        (_, libc::EINVAL) => {
            vec!["this kernel does not take these parameters: check --priority, --runtime, --period".into()]
        }
        (_, libc::EPERM) => refused_permission(policy, facts),
        _ => vec!["see sched_setattr(2) for this error".into()],
    }
}

fn refused_permission(policy: Policy, facts: &Facts) -> Vec<String> {
    let may_be =
        [group_without_budget(policy, facts), no_runtime(facts), limited(policy, facts), outside(policy, facts)];
    let mut reasons: Vec<String> = may_be.into_iter().flatten().collect();
    if reasons.is_empty() {
        reasons.push(
            "a container or a security module filters sched_setattr: start the container with --cap-add=SYS_NICE \
             --ulimit rtprio=99, or measure outside of it"
                .into(),
        );
    }
    reasons
}

fn group_without_budget(policy: Policy, facts: &Facts) -> Option<String> {
    let (file, _) = facts.group_budget.as_ref().filter(|(_, value)| value == "0")?;
    (!matches!(policy, Policy::Deadline { .. })).then(|| {
        format!(
            "RT_GROUP_SCHED gives this control group no real-time time ({file} is 0): write a budget such as 950000 \
             there, move the shell to the root group, or boot with rt_group_sched=0"
        )
    })
}

fn no_runtime(facts: &Facts) -> Option<String> {
    (facts.runtime_us.as_deref() == Some("0"))
        .then(|| "kernel.sched_rt_runtime_us is 0, so no real-time thread may run: set it to 950000".into())
}

fn outside(policy: Policy, facts: &Facts) -> Option<String> {
    let (allowed, online) = facts.bound.as_ref()?;
    (matches!(policy, Policy::Deadline { .. }) && facts.has_sys_nice == Some(true)).then(|| {
        format!(
            "a deadline thread must be allowed on every processor of its root domain, and this one may run on {allowed} of {online}: \
             do not bind it (taskset, a cpuset that shares its processors), or measure another policy"
        )
    })
}

fn limited(policy: Policy, facts: &Facts) -> Option<String> {
    if facts.has_sys_nice == Some(true) {
        return None;
    }
    let remedy = "run as root, or give the program CAP_SYS_NICE (setcap cap_sys_nice,cap_ipc_lock+ep)";
    match (policy, facts.priority_limit) {
        (Policy::Fifo { priority } | Policy::Rr { priority }, Some(limit)) if limit < u64::from(priority) => {
            Some(format!(
                "this process lacks CAP_SYS_NICE and its RLIMIT_RTPRIO is {limit}, below {priority}: {remedy}, or raise \
             rtprio in /etc/security/limits.d"
            ))
        }
        (Policy::Fifo { .. } | Policy::Rr { .. }, Some(_)) => None,
        _ => Some(format!("this process lacks CAP_SYS_NICE: {remedy}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIFO: Policy = Policy::Fifo { priority: 80 };

    fn root() -> Facts {
        Facts { has_sys_nice: Some(true), priority_limit: Some(0), ..Facts::default() }
    }

    #[test]
    fn a_group_without_budget_is_named_with_its_file() {
        let facts =
            Facts { group_budget: Some(("/sys/fs/cgroup/cpu/x/cpu.rt_runtime_us".into(), "0".into())), ..root() };
        let told = reasons(FIFO, libc::EPERM, &facts);
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("/sys/fs/cgroup/cpu/x/cpu.rt_runtime_us is 0"));
    }

    #[test]
    fn a_missing_privilege_names_the_limit() {
        let facts = Facts { has_sys_nice: Some(false), priority_limit: Some(10), ..Facts::default() };
        assert!(reasons(FIFO, libc::EPERM, &facts)[0].contains("RLIMIT_RTPRIO is 10, below 80"));
        let deadline = Policy::Deadline { runtime: prazo_core::time::Duration::from_us(50) };
        assert!(reasons(deadline, libc::EPERM, &facts)[0].contains("CAP_SYS_NICE"));
    }

    #[test]
    fn with_every_privilege_a_filter_is_suspected() {
        assert!(reasons(FIFO, libc::EPERM, &root())[0].contains("container"));
    }

    #[test]
    fn a_deadline_thread_that_is_bound_to_less_than_its_root_domain_is_told_so() {
        let facts = Facts { bound: Some(("1".into(), "0-1".into())), ..root() };
        let deadline = Policy::Deadline { runtime: prazo_core::time::Duration::from_us(50) };
        let told = reasons(deadline, libc::EPERM, &facts);
        assert!(told.len() == 1 && told[0].contains("may run on 1 of 0-1"), "{told:?}");
        assert!(reasons(FIFO, libc::EPERM, &facts)[0].contains("container"), "other policies may be bound");
    }

    #[test]
    fn a_full_root_domain_asks_for_less() {
        let deadline = Policy::Deadline { runtime: prazo_core::time::Duration::from_us(50) };
        assert!(reasons(deadline, libc::EBUSY, &root())[0].contains("--runtime"));
    }

    #[test]
    fn facts_are_read_from_a_copied_tree() {
        let tree = tempfile::tempdir().unwrap();
        let group = tree.path().join("sys/fs/cgroup/cpu/user.slice");
        std::fs::create_dir_all(&group).unwrap();
        std::fs::create_dir_all(tree.path().join("proc/thread-self")).unwrap();
        std::fs::write(group.join("cpu.rt_runtime_us"), "0\n").unwrap();
        std::fs::write(
            tree.path().join("proc/thread-self/status"),
            "Name:\tx\nCapEff:\t0000000000800000\nCpus_allowed_list:\t1\n",
        )
        .unwrap();
        std::fs::write(tree.path().join("proc/thread-self/cgroup"), "3:cpuset:/a\n2:cpuacct,cpu:/user.slice\n0::/\n")
            .unwrap();
        std::fs::create_dir_all(tree.path().join("sys/devices/system/cpu")).unwrap();
        std::fs::write(tree.path().join("sys/devices/system/cpu/online"), "0-1\n").unwrap();
        let facts = Facts::read(tree.path());
        assert_eq!(facts.bound, Some(("1".into(), "0-1".into())));
        assert_eq!(facts.has_sys_nice, Some(true));
        assert_eq!(facts.group_budget.unwrap(), ("/sys/fs/cgroup/cpu/user.slice/cpu.rt_runtime_us".into(), "0".into()));
    }
}
