//! Checks of clocks, ticks and timers.

use super::check::{Check, KERNEL_GUIDE, Observation, RHEL, TUNED};
use super::machine::Machine;
use crate::Severity::{Fatal, High, Info, Medium};
use crate::fingerprint::field;
use crate::tunable::Tunable;
use prazo_core::cpu::CpuSet;
use prazo_core::text::counted;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "clocksource",
        title: "clock source",
        severity: High,
        wanted: "the processor's counter: tsc, arch_sys_counter, riscv_clocksource or timebase",
        why: "any other clock source is slower; a device such as hpet takes about 1 µs to read, needs a system call and can take a lock",
        reference: RHEL,
        fix: "find out in dmesg why the kernel does not use the counter; then boot with tsc=reliable, or write the \
              counter's name to /sys/devices/system/clocksource/clocksource0/current_clocksource; restore the old name \
              to undo",
        look: clocksource,
    },
    Check {
        id: "tsc-stable",
        title: "time-stamp counter stability",
        severity: High,
        wanted: "flags constant_tsc and nonstop_tsc, and no 'Marking TSC unstable' in the kernel's log",
        why: "a counter that stops or changes its rate makes every latency measured with it wrong",
        reference: TUNED,
        fix: "update the firmware; boot with tsc=reliable only if the counter is known to be stable",
        look: tsc_stable,
    },
    Check {
        id: "high-res-timers",
        title: "high-resolution timers",
        severity: Fatal,
        wanted: "high-resolution timers active, with a resolution of 1 ns",
        why: "without high-resolution timers, every timer waits for the next tick, which comes every 1 to 10 ms",
        reference: KERNEL_GUIDE,
        fix: "use a kernel with CONFIG_HIGH_RES_TIMERS and boot without highres=off",
        look: high_res_timers,
    },
    Check {
        id: "tick-model",
        title: "tick model",
        severity: Medium,
        wanted: "no full dynticks for periodic tasks; full dynticks for tasks that poll",
        why: "full dynticks make each kernel entry slower, and a periodic task enters the kernel twice in each \
              activation; without full dynticks, each tick interrupts a task that never sleeps",
        reference: KERNEL_GUIDE,
        fix: "boot without nohz_full= for periodic tasks, with nohz_full=<real-time processors> for tasks that poll",
        look: tick_model,
    },
    Check {
        id: "timer-migration",
        title: "timer migration",
        severity: Medium,
        wanted: "0",
        why: "the kernel moves timers of idle processors to busy processors, where the timers interrupt tasks",
        reference: TUNED,
        fix: "sysctl kernel.timer_migration=0; set 1 to undo",
        look: |machine| machine.number(Tunable::timer_migration(), None, |value| value == 0, "0"),
    },
    Check {
        id: "skew-tick",
        title: "skew between the processors' ticks",
        severity: Info,
        wanted: "skew_tick=1 on eight or more processors",
        why: "ticks at the same instant compete for the same locks",
        reference: TUNED,
        fix: "boot with skew_tick=1",
        look: skew_tick,
    },
    Check {
        id: "time-sync",
        title: "time-of-day steps",
        severity: Medium,
        wanted: "no daemon that steps the clock (chrony and ptp slew it)",
        why: "a step of CLOCK_REALTIME moves absolute timers of that clock; slewing changes the rate of CLOCK_REALTIME and \
              CLOCK_MONOTONIC by parts per million",
        reference: "xeno-test stops systemd-timesyncd; clock_settime(2)",
        fix: "use CLOCK_MONOTONIC in the task, or stop the daemon while the task runs (systemctl stop; systemctl start \
              to undo)",
        look: time_sync,
    },
];

fn clocksource(machine: &Machine) -> Observation {
    const FILE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    match machine.root.read(FILE) {
        Ok(name) => match name.as_str() {
            "tsc" | "arch_sys_counter" | "riscv_clocksource" | "timebase" => Observation::ok(FILE, name),
            // A hypervisor's page around the same counter: dearer to read, but no device.
            "kvm-clock" | "hyperv_clocksource_tsc_page" | "xen" => Observation::finding(FILE, name).weighing(Medium),
            _ => Observation::finding(FILE, name),
        },
        Err(error) => Observation::unreadable(&error),
    }
}

fn tsc_stable(machine: &Machine) -> Observation {
    const INFO: &str = "/proc/cpuinfo";
    let info = match machine.root.read(INFO) {
        Ok(info) => info,
        Err(error) => return Observation::unreadable(&error),
    };
    let Some(flags) = field(&info, "flags") else {
        return Observation::not_applicable(INFO, "not an x86 processor");
    };
    let missing: Vec<&str> = ["constant_tsc", "nonstop_tsc"]
        .into_iter()
        .filter(|flag| !flags.split(' ').any(|word| word == *flag))
        .collect();
    if !missing.is_empty() {
        return Observation::finding(INFO, format!("{} missing", missing.join(" and ")));
    }
    let log = match machine.root.kernel_log() {
        Ok(log) => log,
        Err(error) => {
            return Observation::unknown(
                INFO,
                format!("constant_tsc and nonstop_tsc set, but the kernel's log cannot be read: {error}"),
            );
        }
    };
    let source = "/proc/cpuinfo and the kernel's log";
    if let Some(line) = log.lines().find(|line| line.contains("Marking TSC unstable")) {
        return Observation::finding(source, without_level(line));
    }
    match log.lines().find(|line| line.contains("Firmware Bug") && line.contains("TSC")) {
        Some(line) => Observation::finding(
            source,
            format!("constant_tsc and nonstop_tsc set, but the kernel's log says: {}", without_level(line)),
        )
        .weighing(Medium),
        None if !log.contains("Linux version") => Observation::unknown(
            source,
            "constant_tsc and nonstop_tsc set, but the beginning of the kernel's log is lost",
        ),
        None => Observation::ok(source, "constant_tsc and nonstop_tsc set, no warning in the kernel's log"),
    }
}

/// A line of the log without the level (`<4>`) that the ring keeps before it.
fn without_level(line: &str) -> &str {
    line.trim_start().strip_prefix('<').and_then(|rest| rest.split_once('>')).map_or(line, |(_, text)| text).trim()
}

fn high_res_timers(machine: &Machine) -> Observation {
    const LIST: &str = "/proc/timer_list";
    if let Ok(text) = machine.root.read(LIST) {
        let active = text.lines().filter_map(|line| line.trim().strip_prefix(".hres_active")?.split(':').nth(1));
        let active: Vec<&str> = active.map(str::trim).collect();
        if !active.is_empty() {
            let good = active.iter().all(|value| *value == "1");
            let on = active.iter().filter(|value| **value == "1");
            return Observation::judged(
                good,
                LIST,
                format!("hres_active 1 on {} of {}", on.count(), counted(active.len() as u64, "processor")),
            );
        }
    }
    if !machine.root.is_live() {
        return Observation::unknown(
            LIST,
            "/proc/timer_list does not show whether high-resolution timers are active, and the timer resolution cannot \
             be queried through copied files",
        );
    }
    match prazo_sys::clock::clock_resolution_ns() {
        Ok(ns) => Observation::judged(ns == 1, "clock_getres(CLOCK_MONOTONIC)", format!("{ns} ns")),
        Err(error) => Observation::unknown("clock_getres(CLOCK_MONOTONIC)", error.to_string()),
    }
}

fn tick_model(machine: &Machine) -> Observation {
    const FILE: &str = "/sys/devices/system/cpu/nohz_full";
    let parts = match machine.parts() {
        Ok(parts) => parts,
        Err(seen) => return seen,
    };
    let full = match machine.root.read_cpus(FILE) {
        Ok(full) => full,
        Err(error) if error.is_absent() && machine.has_option("NO_HZ_FULL") == Some(false) => None,
        Err(error) => return Observation::unreadable(&error),
    };
    let shown = full.map_or("none".to_owned(), |cpus| cpus.to_string());
    let found = format!("full dynticks on {shown}; real-time: {} ({})", parts.rt, parts.origin);
    if machine.scenario.busy_poll {
        let covered = full.is_some_and(|full| parts.rt.difference(full).is_none());
        return Observation::judged(covered, FILE, found);
    }
    Observation::judged(full.and_then(|full: CpuSet| full.intersection(parts.rt)).is_none(), FILE, found)
}

fn skew_tick(machine: &Machine) -> Observation {
    let (topology, line) = match (&machine.topology, &machine.cmdline) {
        (Ok(topology), Ok(line)) => (topology, line),
        (Err(error), _) | (_, Err(error)) => return Observation::unreadable(error),
    };
    let count = topology.online.count();
    if count < 8 {
        return Observation::not_applicable(
            "/sys/devices/system/cpu/online",
            format!("fewer than eight processors: {count}"),
        );
    }
    let value = line.value("skew_tick").unwrap_or("not given");
    Observation::judged(value == "1", PARAMETER_SOURCE, format!("skew_tick {value}, processors: {count}"))
}

const PARAMETER_SOURCE: &str = "/proc/cmdline, skew_tick";

fn time_sync(machine: &Machine) -> Observation {
    let source = "/proc/*/stat";
    let stepping = machine.running(&["systemd-timesyncd", "ntpd", "openntpd", "sntp"]);
    let slewing = machine.running(&["chronyd", "ptp4l", "phc2sys"]);
    match (stepping, slewing) {
        (Err(seen), _) | (_, Err(seen)) => seen,
        (Ok(stepping), _) if !stepping.is_empty() => {
            Observation::finding(source, format!("{} runs", stepping.join(", ")))
        }
        (_, Ok(slewing)) if slewing.is_empty() => Observation::ok(source, "no known time daemon runs"),
        (_, Ok(slewing)) => Observation::ok(source, format!("{} slews", slewing.join(", "))),
    }
}
