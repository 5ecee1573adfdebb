//! Checks of the kernel's own chores: writing back, workqueues, watchdogs.

use super::check::{Check, KERNEL_GUIDE, Observation, TUNED};
use super::machine::Machine;
use crate::Severity::{High, Info, Medium};
use crate::tunable::Tunable;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "writeback",
        title: "files are written back elsewhere",
        severity: Medium,
        wanted: "no real-time processor in writeback's mask",
        why: "writing back runs for milliseconds at a time, most of it with preemption off on a standard kernel",
        reference: TUNED,
        fix: "write the other processors' mask to /sys/devices/virtual/workqueue/writeback/cpumask; the old mask takes \
              it back",
        look: |machine| machine.keeps_off(Tunable::writeback_cpumask(), None),
    },
    Check {
        id: "workqueues",
        title: "unbound work runs elsewhere",
        severity: Medium,
        wanted: "no real-time processor in the mask of unbound workqueues",
        why: "any driver's deferred work may be put there",
        reference: "tuned, profile cpu-partitioning; Documentation/core-api/real-time/hardware.rst",
        fix: "write the other processors' mask to /sys/devices/virtual/workqueue/cpumask; the old mask takes it back",
        look: |machine| machine.keeps_off(Tunable::workqueue_cpumask(), None),
    },
    Check {
        id: "soft-watchdog",
        title: "no lockup watchdog on real-time processors",
        severity: High,
        wanted: "off, or not on real-time processors",
        why: "it wakes a thread at the highest priority on each of its processors every few seconds",
        reference: KERNEL_GUIDE,
        fix: "write the other processors to /proc/sys/kernel/watchdog_cpumask, or boot with nosoftlockup; use a hardware \
              watchdog instead",
        look: soft_watchdog,
    },
    Check {
        id: "nmi-watchdog",
        title: "no NMI watchdog",
        severity: High,
        wanted: "0",
        why: "its interrupts cannot be masked, and it takes a performance counter",
        reference: KERNEL_GUIDE,
        fix: "sysctl kernel.nmi_watchdog=0; 1 takes it back",
        look: |machine| machine.number(Tunable::nmi_watchdog(), Some("LOCKUP_DETECTOR"), |value| value == 0, "0"),
    },
    Check {
        id: "hung-task",
        title: "search for hung tasks seldom",
        severity: Info,
        wanted: "0 or at least 600 s",
        why: "khungtaskd walks through all tasks each time",
        reference: TUNED,
        fix: "sysctl kernel.hung_task_timeout_secs=600; 120 takes it back",
        look: |machine| {
            let knob = Tunable::hung_task_timeout();
            machine.number(knob, Some("DETECT_HUNG_TASK"), |value| value == 0 || value >= 600, "600")
        },
    },
];

fn soft_watchdog(machine: &Machine) -> Observation {
    const FILE: &str = "/proc/sys/kernel/soft_watchdog";
    match machine.root.read_number(FILE) {
        Ok(0) => Observation::ok(FILE, "0"),
        Ok(_) => machine.keeps_off(Tunable::watchdog_cpumask(), Some("LOCKUP_DETECTOR")),
        Err(error) => machine.absent(&error, Some("SOFTLOCKUP_DETECTOR")),
    }
}
