//! Checks of the kernel itself: preemption, RCU, firmware calls.

use super::check::{Check, KERNEL_GUIDE, Observation, PARAMETERS, TUNED};
use super::machine::Machine;
use crate::Severity::{Fatal, High, Info, Medium};
use crate::kernel_release::version;
use crate::preemption::{self, Model};
use prazo_core::cpu::CpuSet;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "preempt-rt",
        title: "PREEMPT_RT kernel",
        severity: Fatal,
        wanted: "a kernel built with PREEMPT_RT ('-rt' in the release name proves nothing)",
        why: "other kernels have non-preemptible sections of unbounded length: no deadline below a few ms can be \
              justified",
        reference: KERNEL_GUIDE,
        fix: "install the distribution's real-time kernel (Debian: linux-image-rt-amd64; Ubuntu: pro enable \
              realtime-kernel) and boot it; the old kernel stays installed",
        look: preempt_rt,
    },
    Check {
        id: "preemption-model",
        title: "preemption model of a standard kernel",
        severity: High,
        wanted: "full",
        why: "with model none or voluntary, a task waits for the next preemption point of the kernel; with model lazy, \
              fair-class tasks wait for a tick",
        reference: PARAMETERS,
        fix: "boot with preempt=full, or write 'full' to /sys/kernel/debug/sched/preempt (restore the old value to undo); \
              a kernel without CONFIG_PREEMPT_DYNAMIC must be built with CONFIG_PREEMPT instead",
        look: preemption_model,
    },
    Check {
        id: "rcu-offload",
        title: "RCU callbacks on the real-time processors",
        severity: Medium,
        wanted: "none: rcu_nocbs= covers the real-time processors",
        why: "RCU callbacks run in the softirq of the processor that queued them and delay its tasks",
        reference: TUNED,
        fix: "boot with rcu_nocbs=<real-time processors> rcu_nocb_poll, on a kernel with CONFIG_RCU_NOCB_CPU",
        look: rcu_offload,
    },
    Check {
        id: "rcu-expedited",
        title: "expedited RCU grace periods",
        severity: Medium,
        wanted: "no expedited grace periods: rcu_normal is 1 (rcupdate.rcu_normal_after_boot=1)",
        why: "an expedited grace period interrupts every processor at once",
        reference: TUNED,
        fix: "boot with rcupdate.rcu_normal_after_boot=1, or write 1 to /sys/kernel/rcu_normal; write 0 to undo",
        look: rcu_expedited,
    },
    Check {
        id: "rcu-boost",
        title: "RCU priority boosting",
        severity: Info,
        wanted: "CONFIG_RCU_BOOST on a PREEMPT_RT kernel",
        why: "while real-time tasks prevent a preempted RCU reader from running, its grace period cannot end, and \
              memory can run out",
        reference: KERNEL_GUIDE,
        fix: "use a kernel with CONFIG_RCU_BOOST and set rcutree.kthread_prio above the priority of the tasks that can \
              starve RCU readers",
        look: rcu_boost,
    },
    Check {
        id: "efi-runtime",
        title: "EFI runtime services",
        severity: Medium,
        wanted: "off (efi=noruntime or CONFIG_EFI_DISABLE_RUNTIME)",
        why: "a firmware call runs with preemption off for an unbounded time",
        reference: KERNEL_GUIDE,
        fix: "boot with efi=noruntime",
        look: efi_runtime,
    },
    Check {
        id: "time-64-bit",
        title: "64-bit system time",
        severity: Info,
        wanted: "a kernel for a 64-bit processor, or Linux 5.6 or later",
        why: "on 32-bit processors, kernels before 5.1 offer programs only 32-bit times; some drivers and file systems \
              used them until 5.6; these times overflow in January 2038, and then dates of runs and logs become wrong; \
              latencies stay correct, because they use the monotonic clock",
        reference: "Linux 5.1, clock_gettime64 and related system calls; Linux 5.6, last drivers and file systems with \
                    32-bit times",
        fix: "use Linux 5.6 or later",
        look: time_64_bit,
    },
];

fn preempt_rt(machine: &Machine) -> Observation {
    match preemption::model(machine.root) {
        Ok(found) => {
            let release = machine.root.read("/proc/sys/kernel/osrelease").unwrap_or_default();
            Observation::judged(
                found.model == Model::Rt,
                found.source,
                format!("preemption model {} in {release}", found.model.name()),
            )
        }
        Err(error) => Observation::unreadable(&error),
    }
}

fn preemption_model(machine: &Machine) -> Observation {
    match preemption::model(machine.root) {
        Ok(found) if found.model == Model::Rt => Observation::not_applicable(found.source, "a PREEMPT_RT kernel"),
        Ok(found) if !found.is_effective => {
            let why = format!("{} by default; the model in force cannot be read", found.model.name());
            Observation::unknown(found.source, why)
        }
        Ok(found) => Observation::judged(found.model == Model::Full, found.source, found.model.name()),
        Err(error) => Observation::unreadable(&error),
    }
}

fn rcu_offload(machine: &Machine) -> Observation {
    let source = "/proc/cmdline, rcu_nocbs";
    let (parts, line) = match (machine.parts(), &machine.cmdline) {
        (Ok(parts), Ok(line)) => (parts, line),
        (Err(seen), _) => return seen,
        (_, Err(error)) => return Observation::unreadable(error),
    };
    if machine.has_option("RCU_NOCB_CPU") == Some(false) {
        return Observation::finding(source, "the kernel was built without CONFIG_RCU_NOCB_CPU");
    }
    // Given without a list, and with full dynticks, it means all and those processors.
    let everywhere = machine.has_option("RCU_NOCB_CPU_DEFAULT_ALL") == Some(true);
    let given = line.value("rcu_nocbs").or(line.value("nohz_full"));
    match given {
        None if everywhere || line.has("rcu_nocbs") => Observation::ok(source, "all processors"),
        Some("all") => Observation::ok(source, "all processors"),
        None => Observation::finding(source, "not given"),
        Some(list) => match list.parse::<CpuSet>() {
            Ok(cpus) => Observation::judged(
                parts.rt.difference(cpus).is_none(),
                source,
                format!("offloaded: {cpus}, real-time: {}", parts.rt),
            ),
            Err(_) => Observation::unknown(source, format!("'{list}' is not a list of processors")),
        },
    }
}

fn rcu_expedited(machine: &Machine) -> Observation {
    const FILE: &str = "/sys/kernel/rcu_normal";
    match machine.root.read_number(FILE) {
        Ok(1) => Observation::ok(FILE, "1"),
        Ok(value) if machine.parameter("rcupdate.rcu_normal_after_boot") == Some("1") => {
            Observation::finding(FILE, format!("{value}, although rcupdate.rcu_normal_after_boot=1 is given"))
        }
        Ok(value) => {
            let seen = Observation::finding(FILE, value.to_string());
            match crate::tunable::Tunable::file(FILE) {
                Some(knob) => seen.with_change(knob, &value.to_string(), "1"),
                None => seen,
            }
        }
        Err(error) => Observation::unreadable(&error),
    }
}

fn rcu_boost(machine: &Machine) -> Observation {
    let config = match &machine.config {
        Ok(config) => config,
        Err(error) => return Observation::unreadable(error),
    };
    if !config.is_on("PREEMPT_RT") {
        return Observation::not_applicable(&config.source, "not a PREEMPT_RT kernel");
    }
    let priority = machine.parameter("rcutree.kthread_prio").unwrap_or("default");
    let on = config.is_on("RCU_BOOST");
    Observation::judged(
        on,
        &config.source,
        format!("RCU_BOOST {}, rcutree.kthread_prio {priority}", if on { "on" } else { "not set" }),
    )
}

fn time_64_bit(machine: &Machine) -> Observation {
    const FILE: &str = "/proc/sys/kernel/osrelease";
    let release = match machine.root.read(FILE) {
        Ok(release) => release,
        Err(error) => return Observation::unreadable(&error),
    };
    let is_old = version(&release).map(|version| version < (5, 6));
    // The configuration is the kernel's; uname(2) of a live machine is as good.
    let live = || machine.root.is_live().then(|| is_64_bit(&prazo_sys::machine::kernel_machine()));
    match (is_old, machine.has_option("64BIT").or_else(live)) {
        (Some(false), _) => {
            Observation::not_applicable(FILE, format!("kernel {release} has 64-bit time on every processor"))
        }
        (_, Some(true)) => Observation::not_applicable(FILE, "a kernel for a 64-bit processor"),
        (Some(true), Some(false)) => {
            Observation::finding(FILE, format!("kernel {release} for a 32-bit processor still has 32-bit times"))
        }
        (None, _) => Observation::unknown(FILE, format!("the release '{release}' does not begin with a version")),
        (Some(true), None) => Observation::unknown(
            FILE,
            format!(
                "kernel {release}; its configuration, which shows whether its processor is 32-bit or 64-bit, cannot be \
                 read"
            ),
        ),
    }
}

/// By the processor's name as uname(2) has it.
fn is_64_bit(machine: &str) -> bool {
    // armv8l is a 64-bit kernel that answers a 32-bit program.
    machine.contains("64") || ["armv8l", "s390x", "alpha"].contains(&machine)
}

fn efi_runtime(machine: &Machine) -> Observation {
    const FOLDER: &str = "/sys/firmware/efi";
    if !machine.root.exists("/sys/firmware") {
        return Observation::unknown("/sys/firmware", "/sys/firmware does not exist");
    }
    if !machine.root.exists(FOLDER) {
        return Observation::not_applicable(FOLDER, "not booted by EFI");
    }
    let requested = machine.parameter("efi").is_some_and(|value| value.split(',').any(|word| word == "noruntime"));
    let built = machine.has_option("EFI_DISABLE_RUNTIME");
    let kept = machine.parameter("efi").is_some_and(|value| value.split(',').any(|word| word == "runtime"));
    match (requested, built, kept) {
        (true, _, _) => Observation::ok("/proc/cmdline", "efi=noruntime"),
        (_, Some(true), false) => Observation::ok("CONFIG_EFI_DISABLE_RUNTIME", "disabled when the kernel was built"),
        (_, None, false) => Observation::unknown(
            "/proc/config.gz",
            "efi=noruntime is not on the kernel's command line, and the kernel's configuration cannot be read",
        ),
        _ => Observation::finding("/proc/cmdline", "on"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_has_64_bits_by_its_name() {
        assert!(["x86_64", "aarch64", "riscv64", "ppc64le", "armv8l", "s390x"].into_iter().all(is_64_bit));
        assert!(!["armv7l", "armv6l", "i686", "ppc", "riscv32", "mips"].into_iter().any(is_64_bit));
    }
}
