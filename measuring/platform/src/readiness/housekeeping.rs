//! Checks of the kernel's own chores: writing back, workqueues, watchdogs.

use super::check::{Check, KERNEL_GUIDE, Observation, TUNED};
use super::machine::Machine;
use crate::Severity::{High, Info, Medium};
use crate::tunable::Tunable;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "writeback",
        title: "processors for file write-back",
        severity: Medium,
        wanted: "no real-time processor in the mask for write-back",
        why: "write-back runs for several ms at a time, on a standard kernel mostly with preemption off",
        reference: TUNED,
        fix: "write a mask without the real-time processors to /sys/devices/virtual/workqueue/writeback/cpumask; \
              restore the old mask to undo",
        look: |machine| machine.keeps_off(Tunable::writeback_cpumask(), None),
    },
    Check {
        id: "workqueues",
        title: "processors for unbound kernel work",
        severity: Medium,
        wanted: "no real-time processor in the mask for unbound kernel work",
        why: "deferred work of any driver can run on the processors in this mask",
        reference: "tuned, profile cpu-partitioning; Documentation/core-api/real-time/hardware.rst",
        fix: "write a mask without the real-time processors to /sys/devices/virtual/workqueue/cpumask; restore the old \
              mask to undo",
        look: |machine| machine.keeps_off(Tunable::workqueue_cpumask(), None),
    },
    Check {
        id: "soft-watchdog",
        title: "lockup watchdog",
        severity: High,
        wanted: "off, or not on the real-time processors",
        why: "every few seconds the lockup watchdog wakes a thread of the highest priority on each processor that it \
              watches",
        reference: KERNEL_GUIDE,
        fix: "write a list without the real-time processors to /proc/sys/kernel/watchdog_cpumask, or boot with \
              nosoftlockup and use a hardware watchdog instead",
        look: soft_watchdog,
    },
    Check {
        id: "nmi-watchdog",
        title: "NMI watchdog",
        severity: High,
        wanted: "0",
        why: "interrupts of the NMI watchdog cannot be masked, and the watchdog occupies a performance counter",
        reference: KERNEL_GUIDE,
        fix: "sysctl kernel.nmi_watchdog=0; set 1 to undo",
        look: |machine| machine.number(Tunable::nmi_watchdog(), Some("LOCKUP_DETECTOR"), |value| value == 0, "0"),
    },
    Check {
        id: "hung-task",
        title: "hung-task timeout",
        severity: Info,
        wanted: "0 or at least 600 s",
        why: "khungtaskd walks through all tasks at each interval",
        reference: TUNED,
        fix: "sysctl kernel.hung_task_timeout_secs=600; set 120 to undo",
        look: |machine| {
            let knob = Tunable::hung_task_timeout();
            machine.number(knob, Some("DETECT_HUNG_TASK"), |value| value == 0 || value >= 600, "600").in_unit("s")
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
