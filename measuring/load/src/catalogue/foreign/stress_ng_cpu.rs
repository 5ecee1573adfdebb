//! Processors kept busy with arithmetic.

use super::super::super::load_kind::{Lasts, LoadKind, Scene, Side, Step, words};
use super::super::cpu;
use prazo_platform::foreign_programs::STRESS_NG;

pub(super) const KIND: LoadKind =
    LoadKind { name: "stress-ng-cpu", peer: Some(cpu::KIND.name), programs: &[STRESS_NG], steps, ..cpu::KIND };

fn steps(scene: &Scene) -> Vec<Step> {
    let arguments = words(&format!("--cpu {} --cpu-method all --oomable --quiet", scene.demand.workers));
    vec![Step { program: "stress-ng", arguments, side: Side::Receiver, lasts: Lasts::ForEver }]
}
