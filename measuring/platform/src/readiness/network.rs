//! Checks of the way that a packet takes to a task.

use super::check::{Check, Observation, TUNED};
use super::machine::Machine;
use crate::Severity::{High, Info, Medium};
use crate::cpumask;
use crate::root::Reading;
use crate::tunable::Tunable;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "net-coalescing",
        title: "interrupt coalescing of network cards",
        severity: High,
        wanted: "rx-usecs 0, adaptive-rx off",
        why: "the card waits tens to hundreds of µs for more packets before it raises an interrupt",
        reference: "ethtool(8), -C; SOEM issues 426 and 612",
        fix: "ethtool -C DEV rx-usecs 0 tx-usecs 0 adaptive-rx off; ethtool --set-eee DEV eee off",
        look: coalescing,
    },
    Check {
        id: "net-threaded",
        title: "threaded packet reception (NAPI)",
        severity: High,
        wanted: "threaded 1, with the priority of the napi threads above the load and below the task",
        why: "without threaded reception, packets are received in softirqs, whose priority cannot be set",
        reference: "Documentation/networking/napi.rst, threaded NAPI; SOEM issue 612",
        fix: "write 1 to /sys/class/net/DEV/threaded, then set the priority of the napi/DEV-N threads with chrt; write \
              0 to undo",
        look: threaded,
    },
    Check {
        id: "net-deferral",
        title: "deferral of packet interrupts",
        severity: High,
        wanted: "napi_defer_hard_irqs 0 and gro_flush_timeout 0, unless the task polls",
        why: "with deferred interrupts a single packet waits until the timeout",
        reference: "Documentation/networking/napi.rst, IRQ mitigation",
        fix: "write 0 to napi_defer_hard_irqs and gro_flush_timeout in /sys/class/net/DEV; restore the old values to \
              undo",
        look: deferral,
    },
    Check {
        id: "net-busy-read",
        title: "busy polling of sockets",
        severity: Medium,
        wanted: "busy_read of 50 or more for tasks that poll, 0 for tasks that sleep",
        why: "a reader that polls the card avoids the interrupt and the wake-up, but keeps its processor busy",
        reference: TUNED,
        fix: "sysctl net.core.busy_read=50 for tasks that poll, 0 for tasks that sleep; restore the old value to undo",
        look: busy_read,
    },
    Check {
        id: "net-steering",
        title: "packet steering (RPS) to real-time processors",
        severity: Medium,
        wanted: "no real-time processor in rps_cpus",
        why: "the target processor is interrupted and handles the steered packets in a softirq",
        reference: "Documentation/networking/scaling.rst",
        fix: "write a mask without the real-time processors to /sys/class/net/*/queues/rx-*/rps_cpus; restore the old \
              mask to undo",
        look: steering,
    },
    Check {
        id: "net-timestamp-key",
        title: "packet time-stamping switched on and off",
        severity: Medium,
        wanted: "one process keeps a socket with time stamps open all the time",
        why: "the first socket to enable time stamps and the last to disable them make the kernel patch its code, \
              which interrupts every processor",
        reference: "realtime-setup, realtime-entsk; tuned, rtentsk",
        fix: "run realtime-entsk (or any process that keeps a socket with SO_TIMESTAMPING open) while the task runs",
        look: timestamp_key,
    },
];

const FOLDER: &str = "/sys/class/net";

/// Interfaces with a device behind them; loopback and virtual ones have none.
fn cards(machine: &Machine) -> Reading<Vec<String>> {
    let names = machine.root.list(FOLDER)?;
    Ok(names.into_iter().filter(|name| machine.root.exists(&format!("{FOLDER}/{name}/device"))).collect())
}

/// The cards, or why there is nothing to look at.
fn some_cards(machine: &Machine) -> Result<Vec<String>, Observation> {
    match cards(machine) {
        Ok(cards) if cards.is_empty() => Err(Observation::not_applicable(FOLDER, "no network card")),
        Ok(cards) => Ok(cards),
        Err(error) => Err(Observation::unreadable(&error)),
    }
}

/// Where no packet activates a task, the card matters as a source of load only.
fn weighed(machine: &Machine, seen: Observation) -> Observation {
    if machine.scenario.network { seen } else { seen.weighing(Info) }
}

/// One file of each card: its values shown, and whether all are good.
fn each(machine: &Machine, file: &str, is_good: impl Fn(i64) -> bool) -> Observation {
    let cards = match some_cards(machine) {
        Ok(cards) => cards,
        Err(seen) => return seen,
    };
    let values = cards.iter().map(|card| machine.root.read_number(&format!("{FOLDER}/{card}/{file}")));
    match values.collect::<Reading<Vec<i64>>>() {
        Ok(values) => {
            let shown: Vec<String> =
                cards.iter().zip(&values).map(|(card, value)| format!("{card} {file} {value}")).collect();
            let good = values.iter().all(|value| is_good(*value));
            weighed(machine, Observation::judged(good, format!("{FOLDER}/*/{file}"), shown.join(", ")))
        }
        Err(error) => weighed(machine, Observation::unreadable(&error)),
    }
}

fn coalescing(machine: &Machine) -> Observation {
    let source = "ethtool ioctl, ETHTOOL_GCOALESCE";
    let cards = match some_cards(machine) {
        Ok(cards) => cards,
        Err(seen) => return seen,
    };
    if !machine.root.is_live() {
        return weighed(machine, Observation::unknown(source, "network cards cannot be queried through copied files"));
    }
    let answers = cards.iter().map(|card| (card, prazo_sys::card::coalescing(card)));
    let (mut shown, mut good, mut silent) = (Vec::new(), true, 0);
    for (card, answer) in answers {
        match answer {
            Ok(found) => {
                good &= found.rx_us == 0 && !found.adaptive_rx;
                shown.push(format!(
                    "{card} rx-usecs {}, adaptive-rx {}",
                    found.rx_us,
                    if found.adaptive_rx { "on" } else { "off" }
                ));
            }
            Err(error) => {
                silent += 1;
                shown.push(format!("{card}: {error}"));
            }
        }
    }
    let seen = match (good, silent) {
        (true, 1..) => Observation::unknown(source, shown.join(", ")),
        _ => Observation::judged(good, source, shown.join(", ")),
    };
    weighed(machine, seen)
}

fn threaded(machine: &Machine) -> Observation {
    each(machine, "threaded", |value| value != 0)
}

fn deferral(machine: &Machine) -> Observation {
    let polls = machine.scenario.busy_poll;
    let defer = each(machine, "napi_defer_hard_irqs", |value| value == 0 || polls);
    if defer.is_finding() { defer } else { each(machine, "gro_flush_timeout", |value| value == 0 || polls) }
}

fn busy_read(machine: &Machine) -> Observation {
    if let Err(seen) = some_cards(machine) {
        return seen;
    }
    let polls = machine.scenario.busy_poll && machine.scenario.network;
    let better = if polls { "50" } else { "0" };
    let is_good = |value| if polls { value >= 50 } else { value == 0 };
    weighed(machine, machine.number(Tunable::busy_read(), Some("NET_RX_BUSY_POLL"), is_good, better))
}

fn steering(machine: &Machine) -> Observation {
    let (cards, parts) = match (some_cards(machine), machine.parts()) {
        (Ok(cards), Ok(parts)) => (cards, parts),
        (Err(seen), _) | (_, Err(seen)) => return seen,
    };
    let source = format!("{FOLDER}/*/queues/rx-*/rps_cpus");
    let (mut queues, mut steered) = (0, Vec::new());
    for card in cards {
        let folder = format!("{FOLDER}/{card}/queues");
        for queue in machine.root.list(&folder).unwrap_or_default().iter().filter(|queue| queue.starts_with("rx-")) {
            let Ok(mask) = machine.root.read(&format!("{folder}/{queue}/rps_cpus")) else { continue };
            queues += 1;
            if let Some(cpus) = cpumask::parse(&mask).and_then(|cpus| cpus.intersection(parts.rt)) {
                steered.push(format!("{card} {queue} steered to {cpus}"));
            }
        }
    }
    let seen = match (queues, steered.len()) {
        (0, _) => Observation::unknown(source, "no receive queue reports rps_cpus"),
        (_, 0) => Observation::ok(source, format!("none of {queues} receive queues")),
        _ => Observation::finding(source, steered.join(", ")),
    };
    weighed(machine, seen)
}

/// Which sockets have the option cannot be read; the daemons that hold one are known by name.
fn timestamp_key(machine: &Machine) -> Observation {
    let source = "/proc/*/stat";
    match machine.running(&["ptp4l", "realtime-entsk", "rtentsk", "phc2sys"]) {
        Ok(holders) if holders.is_empty() => Observation::unknown(
            source,
            "none of the programs known to keep a socket with time stamps open is running; other programs cannot be \
             detected",
        ),
        Ok(holders) => Observation::ok(source, format!("socket with time stamps kept open by {}", holders.join(", "))),
        Err(seen) => seen,
    }
}
