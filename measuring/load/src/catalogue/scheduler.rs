//! Hundreds of messages between dozens of processes.

use super::super::generator::Work;
use super::super::load_kind::{Invocation, LoadKind, Measure, PLAIN, Rate, Scene, WORKERS_MAX, Workers};

pub(super) const KIND: LoadKind = LoadKind {
    name: "scheduler",
    disturbs: "In each group, forty processes wake each other continuously: long ready queues, many wake-ups, and \
               interrupts between processors.",
    source: "Marsal 2013: hackbench; Blaess 2014: dozens or hundreds of processes at once",
    rate: Rate::Workers { default: Workers::PerCpu, most: WORKERS_MAX },
    measure: Measure::Switches,
    steps,
    ..PLAIN
};

/// A worker is a group of twenty senders and twenty receivers.
fn steps(scene: &Scene) -> Vec<Invocation> {
    vec![Work::Messages { groups: scene.demand.workers }.endless(scene)]
}
