//! Hundreds of messages between dozens of processes.

use super::super::super::load_kind::{Invocation, Lasts, LoadKind, Scene, Side, words};
use super::super::scheduler;
use prazo_platform::foreign_programs::HACKBENCH;

pub(super) const KIND: LoadKind =
    LoadKind { name: "hackbench", peer: Some(scheduler::KIND.name), programs: &[HACKBENCH], steps, ..scheduler::KIND };

/// A worker is a group of twenty senders and twenty receivers; the number of loops keeps them busy for longer than any run.
fn steps(scene: &Scene) -> Vec<Invocation> {
    let arguments = words(&format!("--groups {} --loops 2000000000", scene.demand.workers));
    vec![Invocation { program: "hackbench", arguments, side: Side::Receiver, lasts: Lasts::ForEver }]
}
