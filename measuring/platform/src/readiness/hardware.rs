//! Checks of what the hardware and its firmware do without asking: error polling, SMIs, microcode, shared caches, consoles.

use super::check::{Check, HARDWARE_GUIDE, KERNEL_GUIDE, Observation, TUNED};
use super::machine::Machine;
use crate::Severity::{High, Info, Medium};
use crate::fingerprint::field;
use crate::root::Root;
use crate::topology::CPUS;
use prazo_core::text::counted;
use std::os::unix::fs::FileExt;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "machine-check",
        title: "polling for corrected machine-check errors",
        severity: Medium,
        wanted: "ignore_ce 1 or check_interval 0",
        why: "every processor stops every five minutes to read its error registers",
        reference: TUNED,
        fix: "write 1 to /sys/devices/system/machinecheck/machinecheck0/ignore_ce (write 0 to undo), or boot with \
              mce=ignore_ce",
        look: machine_check,
    },
    Check {
        id: "edac-polling",
        title: "memory controller polling (EDAC)",
        severity: Medium,
        wanted: "no memory controller polled",
        why: "EDAC drivers read slow registers every second; memory scrubbing takes memory bandwidth",
        reference: HARDWARE_GUIDE,
        fix: "unload the *_edac module; if you need its error reports, poll less often (raise \
              /sys/module/edac_core/parameters/edac_mc_poll_msec), although this check then still reports the polling",
        look: edac_polling,
    },
    Check {
        id: "smi-count",
        title: "system management interrupts",
        severity: High,
        wanted: "none",
        why: "in a system management interrupt the firmware stops all processors for µs to ms, which no kernel can see \
              or prevent",
        reference: "cyclictest --smi; Intel SDM, MSR 34H",
        fix: "disable the causes of system management interrupts in the firmware setup (USB legacy support, power \
              capping, thermal control)",
        look: smi_count,
    },
    Check {
        id: "hardware-latency",
        title: "gaps caused by hardware",
        severity: High,
        wanted: "hwlat finds no gap longer than a tenth of the deadline",
        why: "time taken by firmware or a hypervisor is visible only as a gap in the clock readings",
        reference: HARDWARE_GUIDE,
        fix: "run hwlatdetect --duration=1h while no other measurement runs; hwlatdetect occupies one processor after \
              the other",
        look: hardware_latency,
    },
    Check {
        id: "microcode",
        title: "microcode version",
        severity: Info,
        wanted: "recorded in every run, and equal in runs that are compared",
        why: "a microcode update can change the duration of a kernel entry by 50 %",
        reference: "Documentation/arch/x86/microcode.rst",
        fix: "nothing to do if all processors have the same version; every run records the version. If the versions differ, load one microcode version early in the boot",
        look: microcode,
    },
    Check {
        id: "mitigations",
        title: "mitigations of processor vulnerabilities",
        severity: Info,
        wanted: "recorded in every run, and equal in runs that are compared",
        why: "mitigations make each kernel entry and each context switch slower",
        reference: "Documentation/admin-guide/hw-vuln",
        fix: "nothing to do; every run records the mitigations",
        look: mitigations,
    },
    Check {
        id: "cache-partition",
        title: "shared caches",
        severity: Info,
        wanted: "no cache shared between real-time and other processors, or part of the shared cache reserved \
                 (resctrl)",
        why: "other programs evict the task's data from shared caches: the execution time of the task grows although \
              no thread preempts it",
        reference: HARDWARE_GUIDE,
        fix: "if the processor supports it, reserve cache ways for the task with /sys/fs/resctrl",
        look: cache_partition,
    },
    Check {
        id: "console",
        title: "slow consoles",
        severity: Medium,
        wanted: "no serial or screen console, or loglevel 1",
        why: "a line on a serial console takes ms to print, with interrupts off, on the processor that caused the \
              message",
        reference: KERNEL_GUIDE,
        fix: "boot without console= for these consoles, or run dmesg -n 1 (to undo, run dmesg -n with the old level)",
        look: console,
    },
];

fn machine_check(machine: &Machine) -> Observation {
    const FOLDER: &str = "/sys/devices/system/machinecheck/machinecheck0";
    if let Some(word) = machine.parameter("mce").filter(|word| ["off", "ignore_ce"].contains(word)) {
        return Observation::ok("/proc/cmdline", format!("mce={word}"));
    }
    let read = |name: &str| machine.root.read(&format!("{FOLDER}/{name}"));
    match (read("ignore_ce"), read("check_interval")) {
        (Ok(ignored), Ok(interval)) => {
            let good = ignored == "1" || interval == "0";
            Observation::judged(good, FOLDER, format!("ignore_ce {ignored}, check_interval {interval}"))
        }
        (Err(error), _) | (_, Err(error)) => match machine.root.read("/proc/cpuinfo") {
            Ok(info) if field(&info, "flags").is_none() => {
                Observation::not_applicable("/proc/cpuinfo", "not an x86 processor")
            }
            _ => machine.absent(&error, Some("X86_MCE")),
        },
    }
}

fn edac_polling(machine: &Machine) -> Observation {
    const FOLDER: &str = "/sys/devices/system/edac/mc";
    const INTERVAL: &str = "/sys/module/edac_core/parameters/edac_mc_poll_msec";
    match machine.root.list(FOLDER) {
        Ok(names) => {
            let controllers = names.iter().filter(|name| name.starts_with("mc")).count();
            let interval = machine.root.read(INTERVAL).map(|ms| format!(" (every {ms} ms)")).unwrap_or_default();
            Observation::judged(controllers == 0, FOLDER, format!("memory controllers polled: {controllers}{interval}"))
        }
        Err(error) => machine.absent(&error, Some("EDAC")),
    }
}

fn smi_count(machine: &Machine) -> Observation {
    let source = "/dev/cpu/0/msr, register 0x34";
    let info = machine.root.read("/proc/cpuinfo").unwrap_or_default();
    match field(&info, "vendor_id").as_deref() {
        Some("GenuineIntel") => {}
        Some(vendor) => {
            return Observation::unknown(
                source,
                format!(
                    "prazo can count system management interrupts on Intel processors only; the vendor of this processor is {vendor}"
                ),
            );
        }
        None if info.is_empty() => {
            return Observation::unknown("/proc/cpuinfo", "/proc/cpuinfo is empty or cannot be read");
        }
        None => return Observation::not_applicable("/proc/cpuinfo", "not an x86 processor"),
    }
    if machine.is_guest() != Some(false) {
        return Observation::unknown(source, "a guest cannot see the host's system management interrupts");
    }
    match smi_since_reset(machine.root) {
        Ok(0) => Observation::ok(source, "0 interrupts since reset"),
        Ok(count) => Observation::finding(
            source,
            format!(
                "{} since reset; `prazo measure noise` shows whether more occur",
                counted(count.into(), "interrupt")
            ),
        ),
        Err(why) => Observation::unknown(source, why),
    }
}

fn smi_since_reset(root: &Root) -> Result<u32, String> {
    const MSR_SMI_COUNT: u64 = 0x34;
    if !root.is_live() {
        return Err("copied files do not contain the processor's registers".into());
    }
    let mut count = [0; 8];
    let device = std::fs::File::open("/dev/cpu/0/msr")
        .map_err(|error| format!("{error}; load the module msr (modprobe msr), and run prazo as root"))?;
    device.read_exact_at(&mut count, MSR_SMI_COUNT).map_err(|error| error.to_string())?;
    Ok(u64::from_ne_bytes(count) as u32)
}

/// Never ok: looking for gaps keeps the processors busy for minutes, which a check does not.
fn hardware_latency(machine: &Machine) -> Observation {
    const FILE: &str = "/sys/kernel/tracing/available_tracers";
    match machine.root.read(FILE) {
        Ok(text) if text.split_whitespace().any(|word| word == "hwlat") => {
            Observation::unknown(FILE, "the hwlat tracer is available but has not been run")
        }
        Ok(_) => Observation::unknown(FILE, "this kernel has no hwlat tracer"),
        Err(_) if machine.has_option("HWLAT_TRACER") == Some(false) => {
            Observation::unknown("CONFIG_HWLAT_TRACER", "the kernel was built without the hwlat tracer")
        }
        Err(error) => Observation::unreadable(&error),
    }
}

fn microcode(machine: &Machine) -> Observation {
    const INFO: &str = "/proc/cpuinfo";
    let info = match machine.root.read(INFO) {
        Ok(info) => info,
        Err(error) => return Observation::unreadable(&error),
    };
    let mut versions: Vec<&str> =
        info.lines().filter_map(|line| line.strip_prefix("microcode")?.split(':').nth(1)).collect();
    versions.sort_unstable();
    versions.dedup();
    match &versions[..] {
        [] => Observation::not_applicable(INFO, "this processor does not report its microcode version"),
        [one] => Observation::ok(INFO, one.trim()),
        several => Observation::finding(
            INFO,
            format!("the microcode versions of the processors differ: {}", several.join(",")),
        )
        .weighing(Medium),
    }
}

fn mitigations(machine: &Machine) -> Observation {
    let folder = format!("{CPUS}/vulnerabilities");
    let names = match machine.root.list(&folder) {
        Ok(names) => names,
        Err(error) => return Observation::unreadable(&error),
    };
    let states: Vec<String> =
        names.iter().filter_map(|name| machine.root.read(&format!("{folder}/{name}")).ok()).collect();
    let mitigated = states.iter().filter(|state| state.starts_with("Mitigation")).count();
    let vulnerable = states.iter().filter(|state| state.starts_with("Vulnerable")).count();
    let requested = machine.parameter("mitigations").unwrap_or("default");
    Observation::ok(
        folder,
        format!("{mitigated} of {} mitigated, {vulnerable} vulnerable, mitigations={requested}", states.len()),
    )
}

fn cache_partition(machine: &Machine) -> Observation {
    let source = format!("{CPUS}/cpu*/cache/index*, /sys/fs/resctrl");
    let (topology, parts) = match (&machine.topology, machine.parts()) {
        (Ok(topology), Ok(parts)) => (topology, parts),
        (Err(error), _) => return Observation::unreadable(error),
        (_, Err(seen)) => return seen,
    };
    let rt_places = topology.places.iter().filter(|place| parts.rt.contains(place.cpu));
    let caches: Vec<_> = rt_places.flat_map(|place| &place.caches).collect();
    if caches.is_empty() {
        return Observation::unknown(source, "the kernel reports no caches");
    }
    let shared =
        caches.iter().filter(|cache| cache.shared.difference(parts.rt).is_some()).map(|cache| cache.level).max();
    let groups = machine.root.list("/sys/fs/resctrl").unwrap_or_default();
    let partitions = groups.iter().filter(|name| !["info", "mon_data", "mon_groups"].contains(&name.as_str())).count();
    match shared {
        None if parts.housekeeping.is_none() => {
            let level = caches.iter().filter(|cache| cache.shared.count() > 1).map(|cache| cache.level).max();
            let caches = level.map_or("ordinary programs use the same caches".into(), |level| {
                format!("ordinary programs and other processors use the same level {level} cache")
            });
            let finding = format!("all processors are real-time processors ({}): {caches}", parts.origin);
            Observation::finding(source, finding)
        }
        None => Observation::ok(source, "no cache is shared with other processors"),
        Some(level) => {
            let reserved = if partitions > 0 { "resctrl is in use" } else { "nothing is reserved" };
            Observation::judged(
                partitions > 0,
                source,
                format!("the level {level} cache is shared with other processors; {reserved}"),
            )
        }
    }
}

fn console(machine: &Machine) -> Observation {
    const FILE: &str = "/proc/consoles";
    let text = match machine.root.read(FILE) {
        Ok(text) => text,
        Err(error) => return Observation::unreadable(&error),
    };
    let slow =
        |name: &&str| ["ttyS", "ttyAMA", "ttymxc", "ttyPS", "tty", "hvc"].iter().any(|start| name.starts_with(start));
    let consoles: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).filter(slow).collect();
    let level = machine.root.read("/proc/sys/kernel/printk").ok();
    let level = level.as_deref().and_then(|text| text.split_whitespace().next()).unwrap_or("unknown");
    let good = consoles.is_empty() || level.parse::<u32>().is_ok_and(|level| level <= 1);
    let shown = if consoles.is_empty() { "no slow console".to_owned() } else { consoles.join(", ") };
    Observation::judged(good, "/proc/consoles, /proc/sys/kernel/printk", format!("{shown}, loglevel {level}"))
}
