//! Facts that move by themselves: load, pressure, stolen time, uptime, frequency.

use super::capture::{Facts, one_line};
use crate::proc_stat;
use prazo_sys::clock;

pub(super) fn add(facts: &mut Facts) {
    facts.files(&[
        ("now.load", "/proc/loadavg"),
        ("now.uptime_s", "/proc/uptime"),
        ("now.frequency_khz", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"),
    ]);
    for resource in ["cpu", "io", "memory", "irq"] {
        facts.picked(&format!("now.pressure.{resource}"), &format!("/proc/pressure/{resource}"), |text| {
            Some(one_line(text))
        });
    }
    facts.picked("now.steal_ticks", "/proc/stat", steal_ticks);
    facts.picked("now.memory_available", "/proc/meminfo", |text| super::cpu::field(text, "MemAvailable"));
    suspended(facts);
}

/// Ticks that the hypervisor took, over all processors.
fn steal_ticks(text: &str) -> Option<String> {
    proc_stat::of_machine(text)?.stolen.map(|ticks| ticks.to_string())
}

/// How long the machine slept since boot.
fn suspended(facts: &mut Facts) {
    const SUSPENDED_MS: &str = "now.suspended_ms";
    if facts.root.is_live() {
        let ms = clock::suspended_ns() / 1_000_000;
        facts.put(SUSPENDED_MS, "CLOCK_BOOTTIME - CLOCK_MONOTONIC", Ok(ms.to_string()));
    } else {
        facts.missing(SUSPENDED_MS, "the time of suspension comes from two clocks, which copied files do not contain");
    }
}
