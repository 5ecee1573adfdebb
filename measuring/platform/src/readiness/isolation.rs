//! Checks of what else may run on the real-time processors, and of what this process may use.

use super::check::{Check, Observation, RHEL};
use super::machine::{Machine, PartsOrigin};
use crate::Severity::{Fatal, High, Medium};
use crate::topology;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "cpus-allowed",
        title: "usable real-time processors",
        severity: Fatal,
        wanted: "all real-time processors online and allowed by affinity and cpuset",
        why: "a task cannot run on a processor that its process may not use",
        reference: "sched_setaffinity(2), cpuset(7)",
        fix: "bring the processor online, or start prazo from a shell that may use it (taskset, AllowedCPUs=)",
        look: cpus_allowed,
    },
    Check {
        id: "smt",
        title: "hardware threads of the same cores (SMT)",
        severity: Medium,
        wanted: "each hardware thread that shares a core with a real-time processor is idle, offline or real-time as \
                 well",
        why: "two hardware threads of a core share its execution units and first-level caches: one slows down the \
              other by a third or more",
        reference: RHEL,
        fix: "boot with nosmt, or take the sibling offline (write 0 to /sys/devices/system/cpu/cpuN/online; write 1 to \
              undo)",
        look: smt,
    },
    Check {
        id: "isolation",
        title: "isolation of the real-time processors",
        severity: Medium,
        wanted: "isolcpus=domain,managed_irq or an isolated cpuset partition covers the real-time processors",
        why: "without isolation the load balancer moves other tasks to the real-time processors, where their \
              unfinished work in the kernel delays real-time tasks",
        reference: "tuned, profile cpu-partitioning; qitech issue 1470",
        fix: "boot with isolcpus=domain,managed_irq,<real-time processors>, or write isolated to cpuset.cpus.partition of a control group that owns these processors",
        look: isolation,
    },
    Check {
        id: "cgroup-quota",
        title: "processor quota of the control group",
        severity: High,
        wanted: "no processor quota in this process's control group or any group above it",
        why: "fair-class tasks of a control group that has used up its quota do not run until the next period, even if \
              a deadline passes",
        reference: "Documentation/admin-guide/cgroup-v2.rst, cpu.max",
        fix: "remove the quota (systemctl set-property UNIT CPUQuota=; docker run without --cpus)",
        look: quota,
    },
    Check {
        id: "cgroup-uclamp",
        title: "frequency clamp of the control group",
        severity: Medium,
        wanted: "cpu.uclamp.max is max in this process's control group",
        why: "a clamp makes the governor choose a low frequency for the task",
        reference: "Documentation/admin-guide/cgroup-v2.rst, cpu.uclamp.max",
        fix: "write max to cpu.uclamp.max of the control group; restore the old value to undo",
        look: uclamp,
    },
];

fn cpus_allowed(machine: &Machine) -> Observation {
    let source = "/sys/devices/system/cpu/online, /proc/self/status, cpuset.cpus.effective";
    let topology = match &machine.topology {
        Ok(topology) => topology,
        Err(error) => return Observation::unreadable(error),
    };
    let usable = topology.cpuset.and_then(|cpuset| cpuset.intersection(topology.online)).unwrap_or(topology.online);
    let Some(rt) = machine.scenario.rt_cpus else {
        let all = topology.allowed == topology.online;
        let found = format!("allowed processors: {}, online: {}", topology.allowed, topology.online);
        return if all { Observation::ok(source, found) } else { Observation::finding(source, found).weighing(Medium) };
    };
    match rt.difference(usable) {
        None => Observation::ok(source, format!("real-time processors {rt}; usable: {usable}")),
        Some(missing) => {
            Observation::finding(source, format!("real-time processors {missing} cannot be used; usable: {usable}"))
        }
    }
}

fn smt(machine: &Machine) -> Observation {
    const FILE: &str = "/sys/devices/system/cpu/smt/active";
    let active = match machine.root.read_number(FILE) {
        Ok(active) => active != 0,
        Err(error) => return Observation::unreadable(&error),
    };
    let (topology, parts) = match (&machine.topology, machine.parts()) {
        (Ok(topology), Ok(parts)) => (topology, parts),
        (Err(error), _) => return Observation::unreadable(error),
        (_, Err(seen)) => return seen,
    };
    if !active && machine.is_guest() != Some(false) {
        return Observation::unknown(
            FILE,
            "0 (SMT inactive); this machine is or may be a guest, whose virtual processors can still be threads of one core",
        );
    }
    match topology.siblings_outside(parts.rt) {
        _ if !active => Observation::ok(FILE, "0"),
        Some(beside) => Observation::finding(
            FILE,
            format!("processors {beside} share cores with the real-time processors ({})", parts.rt),
        ),
        None if parts.origin != PartsOrigin::All => Observation::ok(
            FILE,
            format!(
                "1 (SMT active), and all hardware threads of the real-time cores are real-time processors ({})",
                parts.rt
            ),
        ),
        None => Observation::finding(FILE, "1 (SMT active), and no processors are named as real-time; give --cpus"),
    }
}

fn isolation(machine: &Machine) -> Observation {
    const FILE: &str = topology::ISOLATED;
    let isolated = match topology::isolated(machine.root) {
        Ok(isolated) => isolated,
        Err(error) => return Observation::unreadable(&error),
    };
    let flags = machine.parameter("isolcpus").unwrap_or("not given");
    match (isolated, machine.scenario.rt_cpus) {
        (None, _) => Observation::finding(FILE, "none"),
        (Some(isolated), Some(rt)) => {
            let found = format!("isolated: {isolated}, real-time: {rt}, isolcpus={flags}");
            Observation::judged(rt.difference(isolated).is_none(), FILE, found)
        }
        (Some(isolated), None) => Observation::ok(FILE, format!("isolated: {isolated}, isolcpus={flags}")),
    }
}

fn quota(machine: &Machine) -> Observation {
    let groups = match &machine.groups {
        Ok(groups) => groups,
        Err(error) => return Observation::unreadable(error),
    };
    if let Some(folder) = groups.own_v1("cpu") {
        let file = format!("{folder}/cpu.cfs_quota_us");
        return match machine.root.read_number(&file) {
            Ok(quota) if quota < 0 => Observation::ok(file, "no quota"),
            Ok(quota) => Observation::finding(file, format!("{quota} µs in each period")),
            Err(error) => machine.absent(&error, Some("CFS_BANDWIDTH")),
        };
    }
    // The root of version 2 has no cpu.max and no limit; inside a container the root is the container's, and its limit
    // stands in a folder that cannot be seen.
    let files: Vec<String> = groups.own_and_above_v2().iter().map(|folder| format!("{folder}/cpu.max")).collect();
    let limits = files.iter().filter_map(|file| Some((file, machine.root.read(file).ok()?)));
    match limits.clone().find(|(_, limit)| !limit.starts_with("max")) {
        Some((file, limit)) => Observation::finding(file, limit),
        None if limits.count() > 0 => Observation::ok(&files[0], "max"),
        None if groups.version() == "none" => {
            Observation::not_applicable("/proc/self/mountinfo", "no control groups are mounted")
        }
        None if machine.processes.is_ok() && files.is_empty() => {
            Observation::ok("/proc/self/cgroup", "this process is in the root control group")
        }
        None => Observation::unknown("cpu.max", "the control groups that this process can see have no cpu.max"),
    }
}

fn uclamp(machine: &Machine) -> Observation {
    let groups = match &machine.groups {
        Ok(groups) => groups,
        Err(error) => return Observation::unreadable(error),
    };
    if machine.has_option("UCLAMP_TASK_GROUP") == Some(false) || machine.has_option("UCLAMP_TASK") == Some(false) {
        return Observation::not_applicable(
            "CONFIG_UCLAMP_TASK_GROUP",
            "the kernel was built without frequency clamps for control groups",
        );
    }
    let Some(folder) = groups.own_v1("cpu").or(groups.own_v2()) else {
        return Observation::not_applicable(
            "/proc/self/mountinfo",
            "no control groups are mounted that offer the cpu controller",
        );
    };
    let file = format!("{folder}/cpu.uclamp.max");
    match machine.root.read(&file) {
        Ok(value) => Observation::judged(value == "max" || value.starts_with("100"), file, value),
        Err(error) => Observation::unreadable(&error),
    }
}
