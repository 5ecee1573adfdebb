//! Priority inversions that priority inheritance ends, many in a second.

use super::super::generator::{INVERSION_PRIORITIES, Work, prepare_inversions};
use super::super::load_kind::{Invocation, LoadKind, Measure, PLAIN, Rate, Scene, Workers};

/// A round of a group takes tens of microseconds, whatever its share of a processor.
pub(super) const GROUPS_MAX: u32 = 64;

pub(super) const KIND: LoadKind = LoadKind {
    name: "priority-inversion",
    disturbs: "In each group, three real-time threads of different priorities cause priority inversions on two mutexes \
               with priority inheritance: the kernel raises and lowers priorities along a chain of waiting threads.",
    source: "pi_stress of rt-tests",
    rate: Rate::Workers { default: Workers::PerCpu, most: GROUPS_MAX },
    measure: Measure::Switches,
    real_time: Some(INVERSION_PRIORITIES[2]),
    prepare,
    steps,
    ..PLAIN
};

fn prepare(scene: &Scene) -> std::io::Result<()> {
    prepare_inversions(&scene.work, scene.demand.workers)
}

/// A worker is a group of three threads.
fn steps(scene: &Scene) -> Vec<Invocation> {
    vec![Work::Invert { groups: scene.demand.workers }.endless(scene)]
}
