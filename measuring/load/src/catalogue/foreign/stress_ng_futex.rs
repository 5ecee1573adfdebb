//! Pairs of processes that wait for each other and wake each other with futexes.

use super::super::super::load_kind::{Invocation, Lasts, LoadKind, Rate, Scene, Side, WORKERS_MAX, Workers, words};
use super::super::scheduler_futexes;
use prazo_platform::foreign_programs::STRESS_NG;

pub(super) const KIND: LoadKind = LoadKind {
    name: "stress-ng-futex",
    peer: Some(scheduler_futexes::KIND.name),
    programs: &[STRESS_NG],
    rate: Rate::Workers { default: Workers::PerCpu, most: WORKERS_MAX / PAIRS },
    steps,
    ..scheduler_futexes::KIND
};

/// As many as a group of prazo's own load has senders and receivers.
const PAIRS: u32 = 20;

/// A worker of stress-ng is a process that waits, with a timeout, and one that wakes it.
fn steps(scene: &Scene) -> Vec<Invocation> {
    let arguments = words(&format!("--futex {} --oomable --quiet", scene.demand.workers * PAIRS));
    vec![Invocation { program: "stress-ng", arguments, side: Side::Receiver, lasts: Lasts::ForEver }]
}
