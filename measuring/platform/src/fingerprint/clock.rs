//! How this machine keeps time.

use super::capture::Facts;

const SOURCES: &str = "/sys/devices/system/clocksource/clocksource0";

pub(super) fn add(facts: &mut Facts) {
    facts.files(&[
        ("clock.source", &format!("{SOURCES}/current_clocksource")),
        ("clock.available", &format!("{SOURCES}/available_clocksource")),
        ("clock.event_device", "/sys/devices/system/clockevents/clockevent0/current_device"),
        ("clock.timer_migration", "/proc/sys/kernel/timer_migration"),
        ("clock.timer_slack_ns", "/proc/self/timerslack_ns"),
    ]);
    if !facts.root.is_live() {
        return facts.missing(
            "clock.resolution_ns",
            "the resolution comes from a system call, which copied files cannot answer",
        );
    }
    let resolution = prazo_sys::clock::clock_resolution_ns().map(|ns| ns.to_string());
    let resolution = resolution.map_err(|error| crate::root::Unavailable::Failed {
        path: "clock_getres(CLOCK_MONOTONIC)".into(),
        why: error.to_string(),
    });
    facts.put("clock.resolution_ns", "clock_getres(CLOCK_MONOTONIC)", resolution);
}
