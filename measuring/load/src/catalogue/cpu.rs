//! Processors kept busy with arithmetic.

use super::super::load_kind::{Lasts, LoadKind, Measure, PLAIN, Rate, Scene, Side, Step, words};
use super::programs::STRESS_NG;

pub(super) const KIND: LoadKind = LoadKind {
    name: "cpu",
    disturbs: "Another thread is always ready to run, other threads use caches and floating-point registers, and the \
               clock frequency changes.",
    source: "Regnier 2008 (WSO), section 5.2: processing load; Marsal 2013: stress",
    programs: &[STRESS_NG],
    rate: Rate::Processors,
    measure: Measure::BusyProcessors,
    steps,
    ..PLAIN
};

fn steps(scene: &Scene) -> Vec<Step> {
    let arguments = words(&format!("--cpu {} --cpu-method all --oomable --quiet", scene.demand.workers));
    vec![Step { program: "stress-ng", arguments, side: Side::Receiver, lasts: Lasts::ForEver }]
}
