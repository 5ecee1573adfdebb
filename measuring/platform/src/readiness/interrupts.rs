//! Checks of who handles interrupts, where, and at which priority.

use super::check::{Check, Observation, TUNED};
use super::machine::Machine;
use crate::Severity::{High, Medium};
use crate::process::Process;
use crate::root::{Reading, Root};
use crate::tunable::Tunable;
use prazo_core::cpu::CpuSet;
use prazo_core::text::counted;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "irq-affinity",
        title: "device interrupts on the real-time processors",
        severity: High,
        wanted: "no device interrupts, except those that the task waits for",
        why: "each handler interrupts the task for a few µs and starts softirqs that take longer",
        reference: "tuned issue 364; Documentation/core-api/irq/irq-affinity.rst",
        fix: "write a mask without the real-time processors to /proc/irq/N/smp_affinity (an I/O APIC applies the mask \
              at the next interrupt), or boot with irqaffinity=; restore the old mask to undo",
        look: irq_affinity,
    },
    Check {
        id: "default-irq-affinity",
        title: "processors for new interrupts",
        severity: Medium,
        wanted: "no real-time processor in /proc/irq/default_smp_affinity",
        why: "interrupts of a driver that is loaded later are handled on the processors in this mask",
        reference: TUNED,
        fix: "write a mask without the real-time processors to /proc/irq/default_smp_affinity, or boot with \
              irqaffinity=; restore the old mask to undo",
        look: |machine| machine.keeps_off(Tunable::default_smp_affinity(), None),
    },
    Check {
        id: "irqbalance",
        title: "irqbalance",
        severity: Medium,
        wanted: "irqbalance not running, or IRQBALANCE_BANNED_CPULIST covers the real-time processors",
        why: "irqbalance moves interrupts to processors that look idle, such as those of the real-time tasks",
        reference: TUNED,
        fix: "systemctl stop irqbalance (start to undo), or list the real-time processors as IRQBALANCE_BANNED_CPULIST \
              in /etc/default/irqbalance",
        look: irqbalance,
    },
    Check {
        id: "priority-99",
        title: "threads at priority 99",
        severity: High,
        wanted: "only the kernel's threads migration, watchdog, stopper and idle_inject",
        why: "a thread at priority 99 preempts every real-time task below it; multipathd and clients of rtkit have \
              been seen at this priority",
        reference: "ros-realtime/ros-realtime-rpi4-image, issue 30",
        fix: "lower the priority of the thread with chrt -p, or stop the service that it belongs to",
        look: priority_99,
    },
    Check {
        id: "irq-threads",
        title: "priorities of interrupt threads",
        severity: High,
        wanted: "the interrupt thread of the task's device has a higher priority than those of unrelated devices; the task's priority is deliberately above or below 50",
        why: "threaded handlers start at priority 50: a task above 50 never waits for them, but they deliver no \
              packets while the task runs",
        reference: "rtirq; Documentation/core-api/real-time",
        fix: "run chrt -f -p PRIORITY PID for the irq/N threads that the task waits for",
        look: irq_threads,
    },
];

const FOLDER: &str = "/proc/irq";

/// An interrupt that has a handler.
struct Interrupt {
    number: u32,
    handler: String,
    cpus: CpuSet,
}

fn irq_affinity(machine: &Machine) -> Observation {
    let parts = match machine.parts() {
        Ok(parts) => parts,
        Err(seen) => return seen,
    };
    let (interrupts, hidden) = match interrupts(machine.root) {
        Ok(found) => found,
        Err(error) => return Observation::unreadable(&error),
    };
    let source = "/proc/irq/*/effective_affinity_list";
    if hidden > 0 {
        return Observation::unknown(
            source,
            format!(
                "the affinity of {hidden} of {} cannot be read",
                counted((hidden + interrupts.len()) as u64, "interrupt")
            ),
        );
    }
    let all = counted(interrupts.len() as u64, "interrupt");
    let on: Vec<Interrupt> = interrupts.into_iter().filter(|one| one.cpus.intersection(parts.rt).is_some()).collect();
    if on.is_empty() {
        return Observation::ok(source, format!("none of {all} on processors {}", parts.rt));
    }
    let named: Vec<String> =
        on.iter().take(4).map(|one| format!("{} {} on {}", one.number, one.handler, one.cpus)).collect();
    let more = if on.len() > named.len() { format!(" and {} more", on.len() - named.len()) } else { String::new() };
    let (count, named) = (on.len(), named.join(", "));
    let found = format!("{count} of {all} on real-time processors ({}): {named}{more}", parts.origin);
    let seen = Observation::finding(source, found);
    let Some(others) = parts.housekeeping else { return seen };
    on.iter().fold(seen, |seen, one| {
        let knob = Tunable::irq_affinity(one.number);
        let from = machine.root.read(knob.path()).unwrap_or_default();
        let to = knob.cpus_value(&others);
        seen.with_change(knob, &from, to)
    })
}

/// Those with a handler, and how many do not tell where they are handled.
fn interrupts(root: &Root) -> Reading<(Vec<Interrupt>, usize)> {
    let numbers: Vec<u32> = root.list(FOLDER)?.iter().filter_map(|name| name.parse().ok()).collect();
    let handled = numbers.into_iter().filter_map(|number| Some((number, handler(root, number)?)));
    let (mut named, mut hidden) = (Vec::new(), 0);
    for (number, handler) in handled {
        match handled_on(root, number) {
            Some(cpus) => named.push(Interrupt { number, handler, cpus }),
            None => hidden += 1,
        }
    }
    Ok((named, hidden))
}

/// A handler shows as a folder of its name beside the files.
fn handler(root: &Root, number: u32) -> Option<String> {
    const FILES: [&str; 8] = [
        "affinity_hint",
        "effective_affinity",
        "effective_affinity_list",
        "node",
        "smp_affinity",
        "smp_affinity_list",
        "spurious",
        "power",
    ];
    let names = root.list(&format!("{FOLDER}/{number}")).ok()?;
    let mut handlers = names.into_iter().filter(|name| !FILES.contains(&name.as_str()));
    handlers.next()
}

/// Where it is really handled; older kernels tell only where it may be.
fn handled_on(root: &Root, number: u32) -> Option<CpuSet> {
    let read = |name: &str| root.read_cpus(&format!("{FOLDER}/{number}/{name}")).ok().flatten();
    read("effective_affinity_list").or_else(|| read("smp_affinity_list"))
}

fn irqbalance(machine: &Machine) -> Observation {
    const SETTINGS: &str = "/etc/default/irqbalance";
    match machine.running(&["irqbalance"]) {
        Err(seen) => return seen,
        Ok(running) if running.is_empty() => return Observation::ok("/proc/*/stat", "not running"),
        Ok(_) => {}
    }
    let parts = match machine.parts() {
        Ok(parts) => parts,
        Err(seen) => return seen,
    };
    let settings = machine.root.read(SETTINGS).unwrap_or_default();
    let banned = settings.lines().find_map(|line| line.trim().strip_prefix("IRQBALANCE_BANNED_CPULIST="));
    let banned: Option<CpuSet> = banned.and_then(|list| list.trim_matches('"').parse().ok());
    match banned {
        Some(banned) => Observation::judged(
            parts.rt.difference(banned).is_none(),
            SETTINGS,
            format!("running, excludes processors {banned}"),
        ),
        None => Observation::finding(SETTINGS, "running, IRQBALANCE_BANNED_CPULIST not set"),
    }
}

/// Every thread, since daemons keep their real-time threads behind an ordinary first one.
fn threads(machine: &Machine) -> Result<Vec<Process>, Observation> {
    let processes = machine.processes.as_ref().map_err(Observation::unreadable)?;
    Ok(processes.iter().flat_map(|process| crate::process::threads(machine.root, process.pid)).collect())
}

/// Threads of the kernel that are meant to be above all.
fn is_kernels_own(thread: &Process) -> bool {
    ["migration/", "watchdog/", "stopper/", "idle_inject/"].iter().any(|start| thread.name.starts_with(start))
}

fn priority_99(machine: &Machine) -> Observation {
    let source = "/proc/*/task/*/stat";
    let threads = match threads(machine) {
        Ok(threads) => threads,
        Err(seen) => return seen,
    };
    let at_99: Vec<String> = threads
        .iter()
        .filter(|thread| thread.rt_priority == 99 && !is_kernels_own(thread))
        .map(|thread| format!("{} ({})", thread.name, thread.pid))
        .collect();
    match at_99.len() {
        0 => Observation::ok(
            source,
            format!("none of {} threads at priority 99, except the kernel's own", threads.len()),
        ),
        some => Observation::finding(source, format!("{some}: {}", at_99[..some.min(4)].join(", "))),
    }
}

fn irq_threads(machine: &Machine) -> Observation {
    let source = "/proc/*/stat";
    let processes = match &machine.processes {
        Ok(processes) => processes,
        Err(error) => return Observation::unreadable(error),
    };
    let handlers: Vec<String> = processes
        .iter()
        .filter(|process| process.name.starts_with("irq/"))
        .map(|process| format!("{} at {}", process.name, process.rt_priority))
        .collect();
    if handlers.is_empty() {
        return Observation::not_applicable(source, "no interrupt has a thread of its own");
    }
    let equal =
        processes.iter().filter(|process| process.name.starts_with("irq/") && process.rt_priority == 50).count();
    let found = format!(
        "{equal} of {} interrupt threads at the default priority of 50: {}",
        handlers.len(),
        handlers[..handlers.len().min(4)].join(", ")
    );
    // Which device the task waits for is not known here: all at 50 is a finding only for a task that waits for packets.
    Observation::judged(!machine.scenario.network || equal < handlers.len(), source, found)
}
