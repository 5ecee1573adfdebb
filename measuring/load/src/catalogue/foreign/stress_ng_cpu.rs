//! Processors kept busy with arithmetic.

use super::super::super::load_kind::{Invocation, Lasts, LoadKind, Scene, Side, words};
use super::super::cpu;
use prazo_platform::foreign_programs::STRESS_NG;

pub(super) const KIND: LoadKind =
    LoadKind { name: "stress-ng-cpu", peer: Some(cpu::KIND.name), programs: &[STRESS_NG], steps, ..cpu::KIND };

fn steps(scene: &Scene) -> Vec<Invocation> {
    let arguments = words(&format!("--cpu {} --cpu-method all --oomable --quiet", scene.demand.workers));
    vec![Invocation { program: "stress-ng", arguments, side: Side::Receiver, lasts: Lasts::ForEver }]
}
