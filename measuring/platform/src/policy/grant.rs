//! The calling thread's policy: set with `sched_setattr(2)`, read back, and never silently another one.

use super::Policy;
use super::refusal::{Facts, Refusal};
use crate::root::Root;
use prazo_sys::scheduling;
use std::io;

/// Why the calling thread does not have the policy that was requested.
#[derive(Debug, thiserror::Error)]
pub enum NotGranted {
    /// The kernel refused it.
    #[error("{0}")]
    Refused(Refusal),
    /// The kernel accepted it, and another was in effect afterwards.
    #[error("requested policy {requested}, but the kernel set {effective}")]
    OtherInEffect {
        /// The policy requested.
        requested: String,
        /// The policy in effect.
        effective: String,
    },
    /// What is in effect could not be read.
    #[error("sched_getattr: {0}")]
    NotRead(#[source] io::Error),
}

/// Gives the calling thread a policy; answers what is in effect, which is what was requested.
pub fn grant(policy: Policy, period_ns: u64) -> Result<String, NotGranted> {
    let mut requested = policy.attributes(period_ns);
    if policy == Policy::Other {
        // Without privileges a nice value may rise and not fall, and whoever set it meant it.
        requested.nice = scheduling::attributes().map_or(0, |now| now.nice);
    }
    scheduling::set_attributes(&requested).map_err(|error| {
        let errno = error.raw_os_error().unwrap_or(0);
        NotGranted::Refused(Facts::read(&Root::system()).refusal(policy, requested.in_a_record(), errno))
    })?;
    let effective = scheduling::attributes().map_err(NotGranted::NotRead)?.in_a_record();
    let requested = requested.in_a_record();
    if effective == requested { Ok(effective) } else { Err(NotGranted::OtherInEffect { requested, effective }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_sys::process;
    use prazo_testing::{Need, skip};
    use std::path::Path;

    #[test]
    fn a_policy_out_of_range_is_an_error_that_says_so() {
        let error = grant(Policy::Fifo { priority: 200 }, 1_000_000).unwrap_err();
        assert!(error.to_string().starts_with("policy fifo priority 200 was refused"), "{error}");
    }

    #[test]
    fn other_is_granted_and_read_back() {
        let granted = std::thread::spawn(|| grant(Policy::Other, 1_000_000)).join().unwrap();
        assert_eq!(granted.unwrap(), "other");
    }

    #[test]
    fn without_the_privilege_a_policy_is_refused_and_the_reason_named() {
        let refused = std::thread::spawn(|| {
            process::drop_sys_nice();
            grant(Policy::Fifo { priority: 80 }, 1_000_000)
        });
        let error = refused.join().unwrap().unwrap_err().to_string();
        if !error.contains("Operation not permitted") {
            skip!(Need::Refusal, "RLIMIT_RTPRIO allows this user real-time policies: {error}");
        }
        assert!(error.contains("CAP_SYS_NICE"), "{error}");
        let other = std::thread::spawn(|| scheduling::attributes().unwrap().policy).join().unwrap();
        assert_eq!(other, scheduling::SCHED_OTHER);
    }

    #[test]
    fn a_control_group_without_real_time_budget_is_named_needs_root_and_cgroup_v1() {
        let group = format!("/sys/fs/cgroup/cpu/prazo-test-{}", std::process::id());
        if std::fs::create_dir(&group).is_err() || !Path::new(&group).join("cpu.rt_runtime_us").exists() {
            let _ = std::fs::remove_dir(&group);
            skip!(Need::RealTimeGroups, "no {group}/cpu.rt_runtime_us");
        }
        let tasks = format!("{group}/tasks");
        let refused = std::thread::spawn(move || {
            std::fs::write(tasks, process::thread_id().to_string()).unwrap();
            grant(Policy::Fifo { priority: 80 }, 1_000_000)
        });
        let error = refused.join().unwrap().unwrap_err().to_string();
        std::fs::remove_dir(&group).unwrap();
        assert!(error.contains(&format!("{group}/cpu.rt_runtime_us is 0")), "{error}");
    }
}
