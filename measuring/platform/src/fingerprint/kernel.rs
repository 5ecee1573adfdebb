//! Which kernel, how it was built and how it was started.

use super::capture::Facts;
use crate::cmdline::{self, Cmdline};
use crate::kernel_config::KernelConfig;
use crate::preemption;

/// Options that change how soon a task runs, or what can be seen of it.
const OPTIONS: [&str; 46] = [
    "PREEMPT_RT",
    "PREEMPT_DYNAMIC",
    "PREEMPT_NONE",
    "PREEMPT_VOLUNTARY",
    "PREEMPT",
    "PREEMPT_LAZY",
    "HZ",
    "HZ_PERIODIC",
    "NO_HZ_IDLE",
    "NO_HZ_FULL",
    "HIGH_RES_TIMERS",
    "RT_GROUP_SCHED",
    "RT_GROUP_SCHED_DEFAULT_DISABLED",
    "CFS_BANDWIDTH",
    "FAIR_GROUP_SCHED",
    "CPUSETS",
    "SCHED_CORE",
    "RCU_NOCB_CPU",
    "RCU_BOOST",
    "RCU_LAZY",
    "IRQ_FORCED_THREADING",
    "LOCKUP_DETECTOR",
    "HARDLOCKUP_DETECTOR",
    "PSI",
    "NUMA_BALANCING",
    "TRANSPARENT_HUGEPAGE",
    "KSM",
    "CPU_FREQ",
    "CPU_IDLE",
    "PARAVIRT",
    "EFI",
    "EFI_DISABLE_RUNTIME",
    "EDAC",
    "DRM",
    "PROVE_LOCKING",
    "DEBUG_LOCK_ALLOC",
    "DEBUG_PREEMPT",
    "KASAN",
    "SLUB_DEBUG_ON",
    "IRQSOFF_TRACER",
    "PREEMPT_TRACER",
    "HWLAT_TRACER",
    "OSNOISE_TRACER",
    "TIMERLAT_TRACER",
    "DEBUG_INFO_BTF",
    "VIRT_CPU_ACCOUNTING_GEN",
];

pub(super) fn add(facts: &mut Facts) {
    facts.files(&[
        ("kernel.release", "/proc/sys/kernel/osrelease"),
        ("kernel.version", "/proc/sys/kernel/version"),
        ("kernel.realtime", "/sys/kernel/realtime"),
        ("kernel.tainted", "/proc/sys/kernel/tainted"),
    ]);
    machine(facts);
    command_line(facts);
    configuration(facts);
    match preemption::model(facts.root) {
        Ok(found) => facts.put("kernel.preemption", &found.source, Ok(found.model.name().to_owned())),
        Err(error) => facts.missing("kernel.preemption", &error.to_string()),
    }
}

/// The kernel says it in a file since 6.1; before that this program's own architecture is close enough.
fn machine(facts: &mut Facts) {
    const FILE: &str = "/proc/sys/kernel/arch";
    match facts.root.read(FILE) {
        Err(error) if error.is_absent() && facts.root.is_live() => {
            facts.put(
                "kernel.machine",
                "the architecture for which prazo was built",
                Ok(std::env::consts::ARCH.into()),
            );
        }
        found => facts.put("kernel.machine", FILE, found),
    }
}

fn command_line(facts: &mut Facts) {
    let line = Cmdline::read(facts.root).map(|line| line.without_private_data());
    facts.put("cmdline", cmdline::FILE, line);
}

fn configuration(facts: &mut Facts) {
    let config = KernelConfig::read(facts.root);
    for option in OPTIONS {
        let name = format!("kernel.config.{option}");
        match &config {
            Ok(config) => facts.put(&name, &config.source, Ok(config.value(option).unwrap_or("not set").to_owned())),
            Err(error) => facts.missing(&name, &error.to_string()),
        }
    }
}
