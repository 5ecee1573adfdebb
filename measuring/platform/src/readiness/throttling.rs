//! Checks of what the scheduler grants to real-time tasks: budgets, groups, policies, limits.

use super::check::{Check, Observation};
use super::machine::Machine;
use crate::Severity::{High, Info, Medium};
use crate::fingerprint::soft_limit;
use crate::has_fair_server;
use crate::policy::{self, CAP_SYS_NICE, Policy, TRIED_DEADLINE, Trial, group_without_budget, try_policy};
use crate::root_domain::{Mechanism, RootDomain, RootDomainError};
use crate::tunable::Tunable;
use prazo_core::cpu::Cpu;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "rt-throttling",
        title: "real-time throttling",
        severity: Medium,
        wanted: "sched_rt_runtime_us -1 (or equal to the period) and a watchdog against tasks that never sleep; \
                 otherwise a limit that the tasks are known not to exceed",
        why: "real-time tasks that use up their share of a processor wait until the period ends, by default 50 ms in a second; since Linux 6.12 only with RT_GROUP_SCHED",
        reference: "tuned, profile realtime (-1); against it: Dobby issue 272, CachyOS issue 111, perf-addon issue 481",
        fix: "sysctl kernel.sched_rt_runtime_us=-1, only with a watchdog or stalld, because without throttling a task \
              that never sleeps hangs its processor; set 950000 to undo",
        look: rt_throttling,
    },
    Check {
        id: "fair-server",
        title: "fair server",
        severity: Info,
        wanted: "runtime 0 on every processor",
        why: "since Linux 6.12 a deadline server reserves 5 % of each processor for the fair class, even if real-time \
              tasks never sleep; with full dynticks this server restarts the tick",
        reference: "Documentation/scheduler/sched-deadline.rst; patch RT_SUPPRESS_FAIR_SERVER",
        fix: "write 0 to /sys/kernel/debug/sched/fair_server/cpuN/runtime; write 50000000 to undo",
        look: fair_server,
    },
    Check {
        id: "rt-group-sched",
        title: "real-time group scheduling (RT_GROUP_SCHED)",
        severity: High,
        wanted: "off, or a real-time budget for this process's control group",
        why: "in a control group without a real-time budget the kernel refuses fifo and rr even to root; the error \
              says only 'not permitted'",
        reference: "moby issue 45361; Red Hat solution 2860951",
        fix: "give the control group a budget (cpu.rt_runtime_us), move the shell to the root group, or boot with \
              rt_group_sched=0",
        look: rt_group_sched,
    },
    Check {
        id: "policy-fifo",
        title: "policy fifo",
        severity: High,
        wanted: "granted at priority 80",
        why: "without a real-time policy the task shares the processor with every other task of the machine",
        reference: "sched(7)",
        fix: "run as root, with CAP_SYS_NICE, or with RLIMIT_RTPRIO of 80 or more (/etc/security/limits.d)",
        look: |machine| tried(machine, Policy::Fifo { priority: 80 }, None),
    },
    Check {
        id: "policy-rr",
        title: "policy rr",
        severity: Medium,
        wanted: "granted at priority 80",
        why: "under rr, real-time tasks of equal priority take turns on a processor",
        reference: "sched(7)",
        fix: "run as root, with CAP_SYS_NICE, or with RLIMIT_RTPRIO of 80 or more (/etc/security/limits.d)",
        look: |machine| tried(machine, Policy::Rr { priority: 80 }, None),
    },
    Check {
        id: "policy-deadline",
        title: "policy deadline",
        severity: Medium,
        wanted: "policy deadline granted with 1 % of a processor",
        why: "policy deadline schedules by earliest deadline first, with a budget that the kernel enforces",
        reference: "Documentation/scheduler/sched-deadline.rst; rt-app issue 38",
        fix: "run as root or with CAP_SYS_NICE, and with an affinity to all processors of the root domain",
        look: |machine| tried(machine, TRIED_DEADLINE, None),
    },
    Check {
        id: "policy-deadline-pinned",
        title: "policy deadline for a task bound to one processor",
        severity: Info,
        wanted: "policy deadline granted to a task bound to one processor, or a root domain for that processor can be \
                 made",
        why: "a deadline task must be allowed on all processors of its root domain; a task bound to one processor \
              therefore needs a root domain of that processor alone",
        reference: "Documentation/scheduler/sched-deadline.rst, section 5",
        fix: "run as root where the cpuset controller is mounted; prazo then makes a root domain for the run",
        look: deadline_pinned,
    },
    Check {
        id: "privileges",
        title: "privilege for real-time priorities",
        severity: High,
        wanted: "CAP_SYS_NICE, or RLIMIT_RTPRIO 99",
        why: "without CAP_SYS_NICE or RLIMIT_RTPRIO the kernel refuses real-time policies",
        reference: "realtime-setup, limits.d/realtime.conf; sched(7)",
        fix: "add '@realtime - rtprio 99' to a file in /etc/security/limits.d, add the user to the group realtime, and \
              log in again",
        look: privileges,
    },
];

fn rt_throttling(machine: &Machine) -> Observation {
    const RISK: &str = "without throttling, a real-time task that never sleeps hangs its processor";
    let release = machine.root.read("/proc/sys/kernel/osrelease").unwrap_or_default();
    if has_fair_server(&release) == Some(true) && has_group_budgets(machine) == Some(false) {
        return Observation::not_applicable(
            "/proc/sys/kernel/osrelease",
            format!(
                "kernel {release} does not throttle real-time tasks; sched_rt_runtime_us limits deadline tasks only"
            ),
        );
    }
    let knob = Tunable::rt_runtime_us();
    let period = machine.root.read_number("/proc/sys/kernel/sched_rt_period_us");
    match (machine.root.read_number(knob.path()), period) {
        (Ok(runtime), Ok(period)) if runtime < 0 || runtime >= period => Observation::ok(
            knob.path(),
            format!("{runtime} of {period} µs: no throttling; a task that never sleeps hangs its processor"),
        ),
        (Ok(runtime), Ok(period)) => {
            let percent = runtime * 100 / period.max(1);
            let seen = Observation::finding(knob.path(), format!("{runtime} of {period} µs: {percent} %"));
            seen.with_risky_change(knob, &runtime.to_string(), "-1", RISK)
        }
        (Err(error), _) | (_, Err(error)) => Observation::unreadable(&error),
    }
}

fn fair_server(machine: &Machine) -> Observation {
    const FOLDER: &str = "/sys/kernel/debug/sched/fair_server";
    let release = machine.root.read("/proc/sys/kernel/osrelease").unwrap_or_default();
    if has_fair_server(&release) == Some(false) {
        return Observation::not_applicable(
            "/proc/sys/kernel/osrelease",
            format!("kernel {release} is older than 6.12, which introduced the fair server"),
        );
    }
    let cpus = match machine.root.list(FOLDER) {
        Ok(cpus) => cpus,
        Err(error) => return Observation::unknown(FOLDER, format!("{error}; mount debugfs and run as root")),
    };
    let runtimes = cpus.iter().map(|cpu| machine.root.read_number(&format!("{FOLDER}/{cpu}/runtime")));
    match runtimes.collect::<Result<Vec<i64>, _>>() {
        Ok(runtimes) => {
            let most = runtimes.iter().max().copied().unwrap_or(0);
            Observation::judged(
                most == 0,
                FOLDER,
                format!("up to {} µs in each period for the fair class", most / 1_000),
            )
        }
        Err(error) => Observation::unreadable(&error),
    }
}

/// Whether real-time tasks have budgets by control group (RT_GROUP_SCHED); `None` where the kernel's options are not known.
fn has_group_budgets(machine: &Machine) -> Option<bool> {
    let config = machine.config.as_ref().ok()?;
    let by_default = !config.is_on("RT_GROUP_SCHED_DEFAULT_DISABLED");
    let is_on = machine.parameter("rt_group_sched").map_or(by_default, |value| value != "0");
    Some(config.is_on("RT_GROUP_SCHED") && is_on)
}

fn rt_group_sched(machine: &Machine) -> Observation {
    let config = match &machine.config {
        Ok(config) => config,
        Err(error) => return Observation::unreadable(error),
    };
    if !config.is_on("RT_GROUP_SCHED") {
        return Observation::ok(&config.source, "the kernel was built without RT_GROUP_SCHED");
    }
    if has_group_budgets(machine) == Some(false) {
        return Observation::ok("/proc/cmdline, rt_group_sched", "built in, switched off");
    }
    if let Some(why) = group_without_budget(machine.root) {
        return Observation::finding("cpu.rt_runtime_us", why);
    }
    if !machine.root.is_live() {
        return Observation::unknown(
            &config.source,
            "built in; copied files do not show whether this control group has a budget",
        );
    }
    match try_policy(Policy::Fifo { priority: 1 }, None) {
        Trial::Granted => {
            Observation::ok("trial of sched_setattr(2)", "built in, and this process's control group has a budget")
        }
        why => Observation::unknown(
            "trial of sched_setattr(2)",
            format!("built in, but the budget is unknown, because fifo is refused: {why}"),
        ),
    }
}

fn tried(machine: &Machine, policy: Policy, bound_to: Option<Cpu>) -> Observation {
    let source = "trial of sched_setattr(2)";
    if !machine.root.is_live() {
        return Observation::unknown(source, "policies cannot be tried on the copied files of another machine");
    }
    match try_policy(policy, bound_to) {
        Trial::Granted => Observation::ok(source, "granted"),
        why => Observation::finding(source, why.to_string()),
    }
}

/// The trial; and if only the affinity stands in its way, whether the files that make a root domain can be written.
/// No domain is made, since that moves the load of the whole machine for a moment.
fn deadline_pinned(machine: &Machine) -> Observation {
    let topology = match &machine.topology {
        Ok(topology) => topology,
        Err(error) => return Observation::unreadable(error),
    };
    let cpu = machine.scenario.rt_cpus.unwrap_or(topology.allowed).first();
    let seen = tried(machine, TRIED_DEADLINE, Some(cpu));
    let is_privileged = policy::has_capability(machine.root, CAP_SYS_NICE) == Some(true);
    if !seen.is_finding() || !is_privileged || tried(machine, TRIED_DEADLINE, None).is_finding() {
        return seen;
    }
    in_a_root_domain(RootDomain::writable_mechanism(machine.root))
}

/// The kernel grants the policy, but not to a task that is bound to one processor of a larger root domain.
fn in_a_root_domain(mechanism: Result<Mechanism, RootDomainError>) -> Observation {
    const SOURCE: &str = "trial of sched_setattr(2); /proc/self/mountinfo";
    let made = match mechanism {
        Ok(Mechanism::Cpusets(mount)) => format!("with the cpusets at {mount}"),
        Ok(Mechanism::Partition(mount)) => format!("as a partition under {mount}"),
        Err(error) => return Observation::finding(SOURCE, format!("policy deadline refused; {error}")),
    };
    Observation::ok(SOURCE, format!("a root domain is necessary; prazo can write the files that make one {made}"))
}

fn privileges(machine: &Machine) -> Observation {
    const LIMITS: &str = "/proc/self/limits";
    let source = "/proc/self/status, /proc/self/limits";
    if !machine.root.is_live() {
        return Observation::unknown(source, "copied files describe the process that copied them, not this process");
    }
    let limit = machine.root.read(LIMITS).ok().and_then(|text| soft_limit(&text, "Max realtime priority"));
    let limit = limit.unwrap_or_else(|| "unreadable".into());
    match policy::has_capability(machine.root, CAP_SYS_NICE) {
        Some(true) => Observation::ok(source, format!("CAP_SYS_NICE, RLIMIT_RTPRIO {limit}")),
        Some(false) => {
            let enough = limit == "unlimited" || limit.parse::<u32>().is_ok_and(|limit| limit >= 99);
            Observation::judged(enough, source, format!("no effective CAP_SYS_NICE, RLIMIT_RTPRIO {limit}"))
        }
        None => Observation::unknown(source, "this process's capabilities cannot be read"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_domain_whose_files_can_be_written_is_as_good_as_one_that_is_there() {
        for mechanism in [Mechanism::Cpusets("/a".into()), Mechanism::Partition("/a".into())] {
            assert!(!in_a_root_domain(Ok(mechanism)).is_finding());
        }
        for why in ["no cpuset controller", "/sys/fs/cgroup: Read-only file system (os error 30)"] {
            assert!(in_a_root_domain(Err(RootDomainError::NoWay { why: why.into() })).is_finding());
        }
    }
}
