//! Memory mapped, written, checked and unmapped again.

use super::super::super::load_kind::{Invocation, Lasts, LoadKind, Scene, Side, words};
use super::super::memory;
use prazo_platform::foreign_programs::STRESS_NG;

pub(super) const KIND: LoadKind =
    LoadKind { name: "stress-ng-vm", peer: Some(memory::KIND.name), programs: &[STRESS_NG], steps, ..memory::KIND };

fn steps(scene: &Scene) -> Vec<Invocation> {
    let workers = scene.demand.workers;
    let arguments = words(&format!("--vm {workers} --vm-bytes {} --oomable --quiet", memory::worker_bytes(workers)));
    vec![Invocation { program: "stress-ng", arguments, side: Side::Receiver, lasts: Lasts::ForEver }]
}
