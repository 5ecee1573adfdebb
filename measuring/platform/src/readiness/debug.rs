//! Checks of debugging aids that were built in, or left switched on.

use super::check::{Check, KERNEL_GUIDE, Observation};
use super::machine::Machine;
use crate::Severity::{High, Medium};
use crate::root::Root;
use crate::tracefs::tracing_folder;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "debug-options",
        title: "debugging options of the kernel",
        severity: High,
        wanted: "no debugging options that slow down the kernel",
        why: "debugging options check every lock or every memory access, which slows down the whole kernel; some \
              options stop all processors for a while",
        reference: KERNEL_GUIDE,
        fix: "use a kernel without these debugging options; DEBUG_INFO and DEBUG_ATOMIC_SLEEP do no harm",
        look: debug_options,
    },
    Check {
        id: "latency-tracers",
        title: "latency tracers of the kernel",
        severity: High,
        wanted: "neither IRQSOFF_TRACER nor PREEMPT_TRACER built in",
        why: "latency tracers add a call each time interrupts or preemption are disabled or enabled, even when no \
              tracer is active",
        reference: KERNEL_GUIDE,
        fix: "use a kernel without latency tracers; prazo uses BPF to find the causes of latencies",
        look: latency_tracers,
    },
    Check {
        id: "tracing-left-on",
        title: "active tracing",
        severity: High,
        wanted: "tracer nop, no events, probes, filters or instances",
        why: "each traced function or event takes time in the measured path",
        reference: KERNEL_GUIDE,
        fix: "in /sys/kernel/tracing, write nop to current_tracer and 0 to events/enable, empty kprobe_events and set_ftrace_filter, and remove the folders in instances",
        look: tracing_left_on,
    },
    Check {
        id: "bpf-programs",
        title: "BPF programs of other tools",
        severity: Medium,
        wanted: "no process except systemd has a BPF program open",
        why: "a BPF program attached to a scheduler or interrupt tracepoint runs at each wake-up",
        reference: "bpf(2); bpftool prog",
        fix: "stop the tool that loaded the BPF program; bpftool prog also lists programs held by systemd or the \
              kernel",
        look: bpf_programs,
    },
];

const COSTLY: [&str; 14] = [
    "PROVE_LOCKING",
    "DEBUG_LOCK_ALLOC",
    "LOCK_STAT",
    "DEBUG_PREEMPT",
    "DEBUG_OBJECTS",
    "SLUB_DEBUG_ON",
    "DEBUG_PAGEALLOC",
    "DEBUG_KMEMLEAK",
    "KASAN",
    "KCSAN",
    "UBSAN",
    "DEBUG_MUTEXES",
    "DEBUG_SPINLOCK",
    "LATENCYTOP",
];

fn debug_options(machine: &Machine) -> Observation {
    options(machine, &COSTLY)
}

fn latency_tracers(machine: &Machine) -> Observation {
    options(machine, &["IRQSOFF_TRACER", "PREEMPT_TRACER"])
}

fn options(machine: &Machine, unwanted: &[&str]) -> Observation {
    match &machine.config {
        Ok(config) => {
            let on: Vec<&str> = unwanted.iter().copied().filter(|option| config.is_on(option)).collect();
            let shown =
                if on.is_empty() { format!("none of {} options built in", unwanted.len()) } else { on.join(", ") };
            Observation::judged(on.is_empty(), &config.source, shown)
        }
        Err(error) => Observation::unreadable(error),
    }
}

fn tracing_left_on(machine: &Machine) -> Observation {
    let Some(folder) = tracing_folder(machine.root) else {
        return match machine.has_option("FTRACE") {
            Some(false) => Observation::not_applicable("CONFIG_FTRACE", "the kernel was built without tracing"),
            _ => Observation::unknown("/sys/kernel/tracing", "tracefs is not mounted or not visible"),
        };
    };
    let read = |name: &str| machine.root.read(&format!("{folder}/{name}"));
    let (tracer, events) = match (read("current_tracer"), read("events/enable")) {
        (Ok(tracer), Ok(events)) => (tracer, events),
        (Err(error), _) | (_, Err(error)) => return Observation::unreadable(&error),
    };
    let probes = read("kprobe_events").map_or(0, |text| text.lines().count());
    let filters =
        read("set_ftrace_filter").map_or(0, |text| text.lines().filter(|line| !line.starts_with('#')).count());
    let instances = machine.root.list(&format!("{folder}/instances")).map_or(0, |names| names.len());
    // X stands for "some are on".
    let clean = tracer == "nop" && events == "0" && probes == 0 && filters == 0 && instances == 0;
    let found =
        format!("tracer {tracer}; events: {events}, probes: {probes}, filters: {filters}, instances: {instances}");
    Observation::judged(clean, folder, found)
}

fn bpf_programs(machine: &Machine) -> Observation {
    let source = "/proc/*/fd";
    let processes = match &machine.processes {
        Ok(processes) => processes,
        Err(error) => return Observation::unreadable(error),
    };
    if machine.root.list("/proc/1/fd").is_err() {
        return Observation::unknown(source, "the open files of other users' processes cannot be read; run as root");
    }
    let holders = processes
        .iter()
        .filter(|process| process.pid != std::process::id() && holds_program(machine.root, process.pid));
    let names: Vec<String> = holders.map(|process| process.name.clone()).collect();
    let shown = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    // systemd holds filters for devices and addresses, which are not in the path of a wake-up.
    Observation::judged(names.iter().all(|name| name == "systemd"), source, shown)
}

fn holds_program(root: &Root, pid: u32) -> bool {
    let folder = format!("/proc/{pid}/fd");
    let open = root.list(&folder).unwrap_or_default();
    open.iter().any(|number| root.link(&format!("{folder}/{number}")).is_ok_and(|target| target.contains("bpf-prog")))
}
