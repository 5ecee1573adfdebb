//! Facts that move by themselves: load, pressure, stolen time, uptime, frequency.

use super::capture::{Facts, one_line};

/// Ticks of 10 ms that the hypervisor took, over all processors.
pub(super) const STEAL: &str = "now.steal_ticks";
/// How long the machine slept since boot.
pub(super) const SUSPENDED_MS: &str = "now.suspended_ms";

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
    facts.picked(STEAL, "/proc/stat", steal_ticks);
    facts.picked("now.memory_available", "/proc/meminfo", |text| super::cpu::field(text, "MemAvailable"));
    suspended(facts);
}

/// The eighth number of the first line of /proc/stat.
fn steal_ticks(text: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix("cpu "))?.split_whitespace().nth(7).map(str::to_owned)
}

fn suspended(facts: &mut Facts) {
    const SOURCE: &str = "CLOCK_BOOTTIME - CLOCK_MONOTONIC";
    match prazo_sys::machine::suspended_ms() {
        _ if !facts.root.is_live() => facts.missing(SUSPENDED_MS, "a clock that a copied tree does not have"),
        Ok(ms) => facts.put(SUSPENDED_MS, SOURCE, Ok(ms.to_string())),
        Err(error) => facts.missing(SUSPENDED_MS, &format!("{SOURCE}: {error}")),
    }
}
