//! Checks of services and security modules, and of the application itself.

use super::check::{Check, Observation};
use super::machine::Machine;
use crate::Severity::{Info, Medium};
use prazo_core::cpu::CpuSet;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "security-modules",
        title: "security modules",
        severity: Info,
        wanted: "recorded",
        why: "each security module checks its rules at system calls that open files, send data or send signals",
        reference: "tuned, avc cache; Documentation/admin-guide/LSM",
        fix: "nothing to do; every run records the active security modules",
        look: security_modules,
    },
    Check {
        id: "audit",
        title: "system call auditing",
        severity: Info,
        wanted: "no auditd, or no rules for the task's system calls",
        why: "the kernel formats a record for each audited system call and can wait for auditd",
        reference: "audit(7)",
        fix: "run auditctl -e 0 (auditctl -e 1 to undo) and stop auditd, or boot with audit=0; this check reports auditd for as long as it runs",
        look: audit,
    },
    Check {
        id: "systemd-affinity",
        title: "processors for services",
        severity: Medium,
        wanted: "no real-time processor in CPUAffinity= of /etc/systemd/system.conf",
        why: "without CPUAffinity= any service can run on the real-time processors",
        reference: "systemd-system.conf(5); tuned, profile cpu-partitioning",
        fix: "list all but the real-time processors in CPUAffinity= of /etc/systemd/system.conf and reboot, or give each slice this list: systemctl set-property --runtime SLICE AllowedCPUs=LIST (this check reads system.conf only)",
        look: systemd_affinity,
    },
    Check {
        id: "timers-and-upgrades",
        title: "timers for upgrades and maintenance",
        severity: Medium,
        wanted: "no timer enabled for upgrades, indexing or scrubbing",
        why: "an upgrade at night reads and writes disks for minutes and can cause the maximum latency of a long run",
        reference: "systemd.timer(5)",
        fix: "systemctl disable --now apt-daily.timer apt-daily-upgrade.timer and similar timers before the run; \
              systemctl enable --now to undo",
        look: timers_and_upgrades,
    },
    Check {
        id: "application-monitor",
        title: "monitors for faults of the application (runtime verification, RV)",
        severity: Info,
        wanted: "the rtapp monitors are available and report no page fault and no unsuitable sleep",
        why: "most missed deadlines are caused by the application: a page fault, a lock without priority inheritance, \
              a wrong kind of sleep",
        reference: "Documentation/trace/rv/monitor_rtapp.rst; ELISA wg-aerospace issue 222",
        fix: "use a kernel with CONFIG_RV_MON_RTAPP (Linux 6.17 or later) and enable the monitors while the \
              application runs",
        look: application_monitor,
    },
];

fn security_modules(machine: &Machine) -> Observation {
    const FILE: &str = "/sys/kernel/security/lsm";
    match machine.root.read(FILE) {
        Ok(text) => Observation::ok(FILE, text),
        Err(error) => machine.absent(&error, Some("SECURITY")),
    }
}

fn audit(machine: &Machine) -> Observation {
    let source = "/proc/*/stat, /proc/cmdline";
    if machine.parameter("audit") == Some("0") {
        return Observation::ok("/proc/cmdline", "audit=0");
    }
    if machine.has_option("AUDIT") == Some(false) {
        return Observation::ok("CONFIG_AUDIT", "the kernel was built without system call auditing");
    }
    match machine.running(&["auditd"]) {
        Ok(running) => Observation::judged(
            running.is_empty(),
            source,
            if running.is_empty() { "no auditd" } else { "auditd runs" },
        ),
        Err(seen) => seen,
    }
}

fn systemd_affinity(machine: &Machine) -> Observation {
    const FILE: &str = "/etc/systemd/system.conf";
    if !machine.root.exists("/run/systemd/system") {
        return no_systemd(machine);
    }
    let parts = match machine.parts() {
        Ok(parts) => parts,
        Err(seen) => return seen,
    };
    let settings = match machine.root.read(FILE) {
        Ok(settings) => settings,
        Err(error) => return Observation::unreadable(&error),
    };
    let value = settings.lines().find_map(|line| line.trim().strip_prefix("CPUAffinity="));
    let cpus: Option<CpuSet> =
        value.and_then(|list| list.split_whitespace().collect::<Vec<_>>().join(",").parse().ok());
    match cpus {
        Some(cpus) => {
            let found = format!("services on processors {cpus}; real-time: {} ({})", parts.rt, parts.origin);
            Observation::judged(cpus.intersection(parts.rt).is_none(), FILE, found)
        }
        None => Observation::finding(FILE, "CPUAffinity= not set"),
    }
}

/// The first process shows whether there is a service manager; a container's first process shows nothing.
fn no_systemd(machine: &Machine) -> Observation {
    match (&machine.processes, &machine.root.read("/proc/1/comm")) {
        (Ok(_), Ok(name)) if name != "systemd" => {
            Observation::not_applicable("/proc/1/comm", format!("process 1 is {name}, not systemd"))
        }
        (Err(error), _) | (_, Err(error)) => Observation::unreadable(error),
        _ => Observation::unknown("/run/systemd/system", "systemd runs, but /run/systemd/system does not exist"),
    }
}

fn timers_and_upgrades(machine: &Machine) -> Observation {
    const FOLDER: &str = "/etc/systemd/system/timers.target.wants";
    const HEAVY: [&str; 9] =
        ["apt-daily", "dnf-", "unattended", "updatedb", "plocate", "man-db", "fstrim", "e2scrub", "mdcheck"];
    if !machine.root.exists("/run/systemd/system") {
        return no_systemd(machine);
    }
    let timers = match machine.root.list(FOLDER) {
        Ok(timers) => timers,
        Err(error) if error.is_absent() => return Observation::ok(FOLDER, "no timer enabled"),
        Err(error) => return Observation::unreadable(&error),
    };
    let heavy: Vec<&str> =
        timers.iter().map(String::as_str).filter(|timer| HEAVY.iter().any(|start| timer.starts_with(start))).collect();
    let shown = if heavy.is_empty() {
        format!("none of {} enabled timers is for upgrades or maintenance", timers.len())
    } else {
        heavy.join(", ")
    };
    Observation::judged(heavy.is_empty(), FOLDER, shown)
}

fn application_monitor(machine: &Machine) -> Observation {
    const FILE: &str = "/sys/kernel/tracing/rv/available_monitors";
    match machine.root.read(FILE) {
        Ok(text) if text.contains("rtapp") => {
            Observation::unknown(FILE, "rtapp monitors available; no application was monitored")
        }
        Ok(_) => Observation::not_applicable(FILE, "this kernel has no rtapp monitors"),
        Err(error) => machine.absent(&error, Some("RV")),
    }
}
