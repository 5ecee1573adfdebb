//! Checks of idle states, frequencies and sleeping devices.

use super::check::{Check, HARDWARE_GUIDE, KERNEL_GUIDE, Observation};
use super::machine::Machine;
use crate::Severity::{High, Info, Medium};
use crate::fingerprint::governors_by_name;
use crate::root::{Reading, Root, Unavailable};
use crate::topology::CPUS;
use crate::tunable::Tunable;
use prazo_core::cpu::Cpu;
use prazo_core::text::counted;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "idle-states",
        title: "exit latency of idle states",
        severity: High,
        wanted: "at most 2 µs on real-time processors, or /dev/cpu_dma_latency held at 2 µs or less",
        why: "leaving a deep idle state takes up to a few ms, which delays the timer interrupt",
        reference: "Documentation/core-api/real-time/kernel-configuration.rst; tuned, force_latency",
        fix: "write 0 as a 32-bit number to /dev/cpu_dma_latency and keep it open in the task, as prazo does while it measures; \
              or write 1 to 'disable' of each deep idle state (write 0 to undo); or boot with processor.max_cstate=1, on Intel also with intel_idle.max_cstate=0 (idle=poll heats the processor)",
        look: idle_states,
    },
    Check {
        id: "governor",
        title: "frequency governor",
        severity: High,
        wanted: "'performance' on the real-time processors",
        why: "a task wakes at a low frequency and runs slower until the governor raises the frequency",
        reference: KERNEL_GUIDE,
        fix: "cpupower frequency-set -g performance; restore the old governor to undo",
        look: governor,
    },
    Check {
        id: "turbo",
        title: "turbo frequencies",
        severity: Info,
        wanted: "turbo off if execution times must be constant",
        why: "with turbo, the speed of a task depends on the load and temperature of the other processors",
        reference: KERNEL_GUIDE,
        fix: "write 1 to intel_pstate/no_turbo or 0 to cpufreq/boost in /sys/devices/system/cpu; restore the old value \
              to undo",
        look: turbo,
    },
    Check {
        id: "pcie-power",
        title: "PCIe link power saving (ASPM)",
        severity: Medium,
        wanted: "pcie_aspm policy 'performance'",
        why: "a sleeping link adds a few µs to an interrupt and to each register read",
        reference: HARDWARE_GUIDE,
        fix: "write 'performance' to /sys/module/pcie_aspm/parameters/policy, or boot with pcie_aspm.policy=performance",
        look: pcie_power,
    },
    Check {
        id: "device-power",
        title: "PCI device power saving",
        severity: Medium,
        wanted: "power/control 'on' for the devices that the task uses",
        why: "a suspended device takes a few ms to resume",
        reference: "Documentation/core-api/real-time/hardware.rst; tuned issue 719",
        fix: "write 'on' to the device's power/control; write 'auto' to undo",
        look: device_power,
    },
    Check {
        id: "graphics",
        title: "graphics drivers",
        severity: Medium,
        wanted: "no graphics driver, or one known to be harmless",
        why: "graphics drivers switch power states, flush caches and occupy the memory bus in long bursts",
        reference: "Documentation/core-api/real-time/hardware.rst; tuned issue 719",
        fix: "run without a display (systemctl isolate multi-user.target; isolate graphical.target to undo); this check \
              reports the driver until it is unloaded",
        look: graphics,
    },
];

/// Exit latencies above this matter beside a wake-up of some microseconds.
const EXIT_US_MAX: i64 = 2;
const HOLD: &str = "/dev/cpu_dma_latency";
/// How many devices an observation names.
const NAMED: usize = 4;

fn idle_states(machine: &Machine) -> Observation {
    if machine.parameter("idle") == Some("poll") {
        return Observation::ok("/proc/cmdline", "idle=poll");
    }
    if let Some(us) = held_us(machine.root).filter(|us| *us <= EXIT_US_MAX) {
        return Observation::ok(HOLD, format!("/dev/cpu_dma_latency held at {us} µs"));
    }
    let parts = match machine.parts() {
        Ok(parts) => parts,
        Err(seen) => return seen,
    };
    let states: Reading<Vec<_>> = parts.rt.iter().map(|cpu| Ok((cpu, allowed_states(machine.root, cpu)?))).collect();
    let states = match states {
        Ok(states) => states,
        Err(error) => return no_idle_states(machine, &error),
    };
    let deep = states.iter().flat_map(|(cpu, states)| states.iter().map(move |state| (cpu, state)));
    let deep: Vec<_> = deep.filter(|(_, state)| state.exit_us > EXIT_US_MAX).collect();
    let source = format!("{CPUS}/cpu*/cpuidle/state*/{{latency,disable}}, {HOLD}");
    let Some((_, deepest)) = deep.iter().max_by_key(|(_, state)| state.exit_us) else {
        return shallow(machine, source);
    };
    let found = format!("idle state {} can be entered and takes {} µs to leave", deepest.name, deepest.exit_us);
    deep.iter().fold(Observation::finding(source, found), |seen, (cpu, state)| {
        seen.with_change(Tunable::idle_state_disable(**cpu, state.number), "0", "1")
    })
}

/// In a guest, the states that count are the host's.
fn shallow(machine: &Machine, source: String) -> Observation {
    match machine.is_guest() {
        Some(false) => {
            Observation::ok(source, format!("no enabled idle state takes more than {EXIT_US_MAX} µs to leave"))
        }
        _ => Observation::unknown(
            source,
            format!(
                "no enabled idle state takes more than {EXIT_US_MAX} µs to leave; this machine is or may be a guest, and a host's idle states are not visible"
            ),
        ),
    }
}

fn no_idle_states(machine: &Machine, error: &Unavailable) -> Observation {
    match machine.has_option("CPU_IDLE") {
        Some(false) if machine.is_guest() == Some(false) => {
            Observation::ok("CONFIG_CPU_IDLE", "the kernel was built without idle states")
        }
        _ => Observation::unreadable(error),
    }
}

/// The smallest latency that anybody holds now; readable as a signed number of 32 bits.
fn held_us(root: &Root) -> Option<i64> {
    let bytes = root.is_live().then(|| root.read_bytes(HOLD).ok())??;
    bytes.first_chunk::<4>().map(|bytes| i32::from_ne_bytes(*bytes).into())
}

struct IdleState {
    number: u32,
    name: String,
    exit_us: i64,
}

fn allowed_states(root: &Root, cpu: Cpu) -> Reading<Vec<IdleState>> {
    let folder = format!("{CPUS}/cpu{cpu}/cpuidle");
    let numbers = root.list(&folder)?.into_iter().filter_map(|name| name.strip_prefix("state")?.parse().ok());
    let states: Reading<Vec<_>> = numbers.map(|number| allowed_state(root, &folder, number)).collect();
    Ok(states?.into_iter().flatten().collect())
}

fn allowed_state(root: &Root, folder: &str, number: u32) -> Reading<Option<IdleState>> {
    if root.read_number(&format!("{folder}/state{number}/disable"))? != 0 {
        return Ok(None);
    }
    let exit_us = root.read_number(&format!("{folder}/state{number}/latency"))?;
    let name = root.read(&format!("{folder}/state{number}/name"))?;
    Ok(Some(IdleState { number, name, exit_us }))
}

fn governor(machine: &Machine) -> Observation {
    let source = format!("{CPUS}/cpu*/cpufreq/scaling_governor");
    let governors = match governors_by_name(machine.root) {
        Ok(governors) => governors,
        Err(error) if machine.is_guest() == Some(true) && error.is_absent() => {
            return Observation::unknown(
                source,
                "this guest has no frequency governor, and the host's governor is not visible",
            );
        }
        Err(error) => return machine.absent(&error, Some("CPU_FREQ")),
    };
    let parts = match machine.parts() {
        Ok(parts) => parts,
        Err(seen) => return seen,
    };
    let shown: Vec<String> = governors.iter().map(|(name, cpus)| format!("{name} on processors {cpus}")).collect();
    let on_rt = governors.iter().filter_map(|(name, cpus)| Some((name, cpus.intersection(parts.rt)?)));
    let wrong: Vec<_> = on_rt.filter(|(name, _)| *name != "performance").collect();
    wrong
        .iter()
        .flat_map(|(name, cpus)| cpus.iter().map(move |cpu| (name, cpu)))
        .fold(Observation::judged(wrong.is_empty(), source, shown.join(", ")), |seen, (name, cpu)| {
            seen.with_change(Tunable::governor(cpu), name, "performance")
        })
}

fn turbo(machine: &Machine) -> Observation {
    let (intel, boost) = (format!("{CPUS}/intel_pstate/no_turbo"), format!("{CPUS}/cpufreq/boost"));
    let driver = machine.root.read(&format!("{CPUS}/cpu0/cpufreq/scaling_driver")).unwrap_or_else(|_| "unnamed".into());
    match (machine.root.read_number(&intel), machine.root.read_number(&boost)) {
        (Ok(no_turbo), _) => Observation::judged(no_turbo == 1, intel, format!("no_turbo {no_turbo}, driver {driver}")),
        (_, Ok(on)) => Observation::judged(on == 0, boost, format!("boost {on}, driver {driver}")),
        (Err(_), Err(error)) => machine.absent(&error, Some("CPU_FREQ")),
    }
}

fn pcie_power(machine: &Machine) -> Observation {
    const FILE: &str = "/sys/module/pcie_aspm/parameters/policy";
    if machine.parameter("pcie_aspm") == Some("off") {
        let found = "pcie_aspm=off: Linux leaves the links as the firmware set them, which may be a power saving state";
        return Observation::unknown("/proc/cmdline", found);
    }
    let text = match machine.root.read(FILE) {
        Ok(text) => text,
        Err(error) => return machine.absent(&error, Some("PCIEASPM")),
    };
    let chosen = text.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']')).unwrap_or(&text);
    let seen = Observation::judged(chosen == "performance", FILE, chosen);
    match Tunable::file(FILE) {
        Some(knob) => seen.with_change(knob, chosen, "performance"),
        None => seen,
    }
}

fn device_power(machine: &Machine) -> Observation {
    const FOLDER: &str = "/sys/bus/pci/devices";
    let devices = match machine.root.list(FOLDER) {
        Ok(devices) => devices,
        Err(error) => return machine.absent(&error, Some("PCI")),
    };
    let controls = devices.iter().map(|name| (name, machine.root.read(&format!("{FOLDER}/{name}/power/control"))));
    let known: Vec<_> = controls.filter_map(|(name, control)| Some((name, control.ok()?))).collect();
    let auto: Vec<&str> =
        known.iter().filter(|(_, control)| control == "auto").map(|(name, _)| name.as_str()).collect();
    let source = format!("{FOLDER}/*/power/control");
    match (known.len(), auto.len()) {
        (0, _) => Observation::unknown(
            source,
            format!("none of {} reports power/control", counted(devices.len() as u64, "device")),
        ),
        (all, 0) => Observation::ok(source, format!("{} on, none can suspend", counted(all as u64, "device"))),
        (all, some) => {
            let more = if some > NAMED { format!(" and {} more", some - NAMED) } else { String::new() };
            let named = auto[..some.min(NAMED)].join(", ");
            Observation::finding(
                source,
                format!("{some} of {} can suspend: {named}{more}", counted(all as u64, "device")),
            )
        }
    }
}

fn graphics(machine: &Machine) -> Observation {
    const FOLDER: &str = "/sys/class/drm";
    match machine.root.list(FOLDER) {
        Ok(names) => {
            let cards: Vec<_> =
                names.into_iter().filter(|name| name.starts_with("card") && !name.contains('-')).collect();
            let drivers: Vec<String> = cards.iter().map(|card| driver(machine.root, card)).collect();
            Observation::judged(
                drivers.is_empty(),
                FOLDER,
                if drivers.is_empty() { "no graphics card".into() } else { drivers.join(", ") },
            )
        }
        Err(error) => machine.absent(&error, Some("DRM")),
    }
}

fn driver(root: &Root, card: &str) -> String {
    let link = root.link(&format!("/sys/class/drm/{card}/device/driver")).unwrap_or_default();
    let name = link.rsplit('/').next().filter(|name| !name.is_empty());
    name.map_or_else(|| card.to_owned(), |name| format!("{card} ({name})"))
}
