//! The measuring thread's policy: set with `sched_setattr(2)`, read back, and never silently another one.

use super::error::SetupError;
use super::refusal::{Facts, Refusal, reasons};
use super::sys::scheduling;
use prazo_run::plan::Policy;
use std::io;
use std::path::Path;

const SCHED_DEADLINE: u32 = 6;

/// The kernel's attributes for a policy; a deadline thread's deadline is its period.
pub fn attributes(policy: Policy, period_ns: u64) -> libc::sched_attr {
    let mut attributes = scheduling::no_attributes();
    match policy {
        Policy::Other => attributes.sched_policy = libc::SCHED_OTHER as u32,
        Policy::Fifo { priority } => {
            attributes.sched_policy = libc::SCHED_FIFO as u32;
            attributes.sched_priority = priority.into();
        }
        Policy::Rr { priority } => {
            attributes.sched_policy = libc::SCHED_RR as u32;
            attributes.sched_priority = priority.into();
        }
        Policy::Deadline { runtime } => {
            attributes.sched_policy = SCHED_DEADLINE;
            attributes.sched_runtime = runtime.as_ns();
            attributes.sched_deadline = period_ns;
            attributes.sched_period = period_ns;
        }
    }
    attributes
}

/// The words for attributes, as they stand in tunables and errors.
pub fn told(attributes: &libc::sched_attr) -> String {
    match attributes.sched_policy as i32 {
        libc::SCHED_OTHER => "other".into(),
        libc::SCHED_FIFO => format!("fifo priority {}", attributes.sched_priority),
        libc::SCHED_RR => format!("rr priority {}", attributes.sched_priority),
        _ if attributes.sched_policy == SCHED_DEADLINE => format!(
            "deadline runtime {} ns, deadline {} ns, period {} ns",
            attributes.sched_runtime, attributes.sched_deadline, attributes.sched_period
        ),
        number => format!("policy number {number}"),
    }
}

/// Gives the calling thread its policy; answers what is in effect, which is what was asked.
pub fn set(cpu: u32, policy: Policy, period_ns: u64) -> Result<String, SetupError> {
    let mut asked = attributes(policy, period_ns);
    if policy == Policy::Other {
        // Without privileges a nice value may rise and not fall, and whoever set it meant it.
        asked.sched_nice = scheduling::attributes().map_or(0, |now| now.sched_nice);
    }
    scheduling::set_attributes(&asked).map_err(|error| refused(cpu, policy, &asked, &error))?;
    let effective = scheduling::attributes().map_err(|error| SetupError::call(cpu, "sched_getattr", &error))?;
    if told(&effective) != told(&asked) {
        return Err(SetupError::PolicyNotEffective { cpu, asked: told(&asked), effective: told(&effective) });
    }
    Ok(told(&effective))
}

fn refused(cpu: u32, policy: Policy, asked: &libc::sched_attr, error: &io::Error) -> SetupError {
    let errno = error.raw_os_error().unwrap_or(0);
    let reasons = reasons(policy, errno, &Facts::read(Path::new("/")));
    SetupError::Policy(Refusal { cpu, asked: told(asked), errno, reasons })
}

#[cfg(test)]
mod tests {
    use super::super::sys::process;
    use super::*;
    use prazo_core::time::Duration;
    use prazo_testing::{Need, skip};

    #[test]
    fn a_deadline_is_the_period() {
        let attributes = attributes(Policy::Deadline { runtime: Duration::from_us(50) }, 1_000_000);
        assert_eq!(told(&attributes), "deadline runtime 50000 ns, deadline 1000000 ns, period 1000000 ns");
    }

    #[test]
    fn a_policy_out_of_range_is_an_error_that_says_so() {
        let error = set(0, Policy::Fifo { priority: 200 }, 1_000_000).unwrap_err();
        assert!(error.to_string().starts_with("policy fifo priority 200 was refused on processor 0"), "{error}");
    }

    #[test]
    fn other_is_granted_and_read_back() {
        let granted = std::thread::spawn(|| set(0, Policy::Other, 1_000_000)).join().unwrap();
        assert_eq!(granted.unwrap(), "other");
    }

    #[test]
    fn without_the_privilege_a_policy_is_refused_and_the_reason_named() {
        let refused = std::thread::spawn(|| {
            process::drop_sys_nice();
            set(0, Policy::Fifo { priority: 80 }, 1_000_000)
        });
        let error = refused.join().unwrap().unwrap_err().to_string();
        if !error.contains("Operation not permitted") {
            skip!(Need::Refusal, "RLIMIT_RTPRIO allows this user real-time policies: {error}");
        }
        assert!(error.contains("CAP_SYS_NICE"), "{error}");
        let other = std::thread::spawn(|| scheduling::attributes().unwrap().sched_policy).join().unwrap();
        assert_eq!(other, libc::SCHED_OTHER as u32);
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
            set(0, Policy::Fifo { priority: 80 }, 1_000_000)
        });
        let error = refused.join().unwrap().unwrap_err().to_string();
        std::fs::remove_dir(&group).unwrap();
        assert!(error.contains(&format!("{group}/cpu.rt_runtime_us is 0")), "{error}");
    }
}
