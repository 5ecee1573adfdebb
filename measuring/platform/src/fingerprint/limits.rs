//! What this process is allowed to do to the scheduler and the memory.

use super::capture::Facts;

const LIMITS: &str = "/proc/self/limits";
const STATUS: &str = "/proc/self/status";

pub(super) fn add(facts: &mut Facts) {
    let limits = [
        ("limits.rtprio", "Max realtime priority"),
        ("limits.memlock_bytes", "Max locked memory"),
        ("limits.rttime_us", "Max realtime timeout"),
        ("limits.nice", "Max nice priority"),
        ("limits.open_files", "Max open files"),
    ];
    for (name, title) in limits {
        facts.picked(name, LIMITS, |text| soft_limit(text, title));
    }
    for (name, key) in [("limits.capabilities", "CapEff"), ("limits.seccomp", "Seccomp")] {
        facts.picked(name, STATUS, |text| super::cpu::field(text, key));
    }
    facts.files(&[
        ("limits.rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us"),
        ("limits.rt_period_us", "/proc/sys/kernel/sched_rt_period_us"),
        ("limits.rr_timeslice_ms", "/proc/sys/kernel/sched_rr_timeslice_ms"),
    ]);
}

/// The soft value of a limit, by the title that /proc/self/limits gives it.
pub(crate) fn soft_limit(text: &str, title: &str) -> Option<String> {
    let rest = text.lines().find_map(|line| line.strip_prefix(title))?;
    rest.split_whitespace().next().map(str::to_owned)
}
