//! Hundreds of messages between dozens of processes.

use super::super::load_kind::{Lasts, LoadKind, Measure, PLAIN, Rate, Scene, Side, Step, WORKERS_MAX, Workers, words};
use super::programs::HACKBENCH;

pub(super) const KIND: LoadKind = LoadKind {
    name: "scheduler",
    disturbs: "In each group forty processes wake each other continuously: long ready queues, wake-ups and interrupts \
               between processors.",
    source: "Marsal 2013: hackbench; Blaess 2014: dozens or hundreds of processes at once",
    programs: &[HACKBENCH],
    rate: Rate::Workers { default: Workers::PerCpu, most: WORKERS_MAX },
    measure: Measure::Switches,
    steps,
    ..PLAIN
};

/// A worker is a group of twenty senders and twenty receivers; the number of loops keeps them busy for longer than any run.
fn steps(scene: &Scene) -> Vec<Step> {
    let arguments = words(&format!("--groups {} --loops 2000000000", scene.demand.workers));
    vec![Step { program: "hackbench", arguments, side: Side::Receiver, lasts: Lasts::ForEver }]
}
