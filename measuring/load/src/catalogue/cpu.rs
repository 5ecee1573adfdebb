//! Processors kept busy with arithmetic.

use super::super::generator::Work;
use super::super::load_kind::{Invocation, LoadKind, Measure, PLAIN, Rate, Scene};

pub(super) const KIND: LoadKind = LoadKind {
    name: "cpu",
    disturbs: "Competing threads are always ready to run and use the caches and the floating-point registers; the \
               clock frequency of the processors changes.",
    source: "Regnier 2008 (WSO), section 5.2: processing load; Marsal 2013: stress",
    rate: Rate::Processors,
    measure: Measure::BusyProcessors,
    steps,
    ..PLAIN
};

fn steps(scene: &Scene) -> Vec<Invocation> {
    vec![Work::Processor { workers: scene.demand.workers }.endless(scene)]
}
