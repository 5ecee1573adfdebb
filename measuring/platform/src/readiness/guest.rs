//! Checks of what is below and beside us: a hypervisor, stolen time, foreign load.

use super::check::{Check, Observation};
use super::machine::Machine;
use crate::Severity::{High, Info, Medium};
use crate::virtualisation;
use prazo_core::text::counted;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "bare-metal",
        title: "hypervisor",
        severity: High,
        wanted: "bare metal, or virtual processors pinned one to one with real-time priority on the host",
        why: "the host can stop a virtual processor at any time for any length of time; the guest sees only a gap",
        reference: "Documentation/core-api/real-time/hardware.rst; tuned, profiles realtime-virtual-guest and -host",
        fix: "measure on bare metal, or pin the virtual processors and give them fifo priority on the host",
        look: bare_metal,
    },
    Check {
        id: "steal",
        title: "stolen time",
        severity: High,
        wanted: "0 ticks",
        why: "while time is stolen, the hypervisor runs something else although this guest has work to do",
        reference: "proc_stat(5)",
        fix: "dedicate host processors to the guest; each run records the time that was stolen during the measurement",
        look: steal,
    },
    Check {
        id: "foreign-load",
        title: "load of other programs",
        severity: Medium,
        wanted: "load average of at most half the number of processors",
        why: "other programs influence the result, and a later run without these programs gives a different result",
        reference: "proc_loadavg(5)",
        fix: "find the other programs with top, and stop them or wait until they end; to measure under load, let prazo \
              start the load (--load)",
        look: foreign_load,
    },
    Check {
        id: "pressure-accounting",
        title: "pressure accounting (PSI)",
        severity: Info,
        wanted: "off on real-time kernels if pressure accounting increases latencies",
        why: "pressure accounting makes each context switch and each wake-up slightly longer",
        reference: "Ubuntu real-time documentation, reduce latency; Documentation/accounting/psi.rst",
        fix: "boot with psi=0 and measure whether latencies change",
        look: pressure_accounting,
    },
];

fn bare_metal(machine: &Machine) -> Observation {
    match virtualisation::hypervisor(machine.root) {
        Ok(found) => {
            Observation::judged(found.name.is_none(), found.source, found.name.unwrap_or_else(|| "none".into()))
        }
        Err(error) => Observation::unreadable(&error),
    }
}

fn steal(machine: &Machine) -> Observation {
    const FILE: &str = "/proc/stat";
    if machine.is_guest() == Some(false) {
        return Observation::not_applicable(FILE, "bare metal");
    }
    let text = match machine.root.read(FILE) {
        Ok(text) => text,
        Err(error) => return Observation::unreadable(&error),
    };
    let ticks = text.lines().find_map(|line| line.strip_prefix("cpu ")?.split_whitespace().nth(7)?.parse::<u64>().ok());
    match ticks {
        // Only a hypervisor that tells steal can be believed when it says none.
        Some(0) if machine.has_option("PARAVIRT_TIME_ACCOUNTING") == Some(true) => Observation::unknown(
            FILE,
            "0 ticks since boot; a hypervisor that does not count stolen time also reports 0",
        ),
        Some(0) => Observation::unknown(FILE, "0 ticks since boot; whether this kernel counts stolen time is unknown"),
        Some(ticks) => Observation::finding(
            FILE,
            format!("{} of 10 ms stolen since boot, over all processors", counted(ticks, "tick")),
        ),
        None => Observation::unknown(FILE, "no field for stolen time"),
    }
}

fn foreign_load(machine: &Machine) -> Observation {
    const FILE: &str = "/proc/loadavg";
    let (text, topology) = match (machine.root.read(FILE), &machine.topology) {
        (Ok(text), Ok(topology)) => (text, topology),
        (Err(error), _) => return Observation::unreadable(&error),
        (_, Err(error)) => return Observation::unreadable(error),
    };
    let count = topology.online.count();
    match text.split_whitespace().next().and_then(|load| load.parse::<f64>().ok()) {
        Some(load) => {
            let found = format!("load average {load} over the last minute, processors: {count}");
            Observation::judged(load <= count as f64 / 2.0, FILE, found)
        }
        None => Observation::unknown(FILE, format!("'{text}' is not a load average")),
    }
}

fn pressure_accounting(machine: &Machine) -> Observation {
    const FILE: &str = "/proc/pressure/cpu";
    match machine.root.read(FILE) {
        Ok(text) => Observation::finding(
            FILE,
            text.lines().next().map_or("on".into(), |line| format!("pressure accounting on: {line}")),
        ),
        Err(_) if machine.parameter("psi") == Some("0") => Observation::ok("/proc/cmdline", "psi=0"),
        Err(error) => machine.absent(&error, Some("PSI")),
    }
}
