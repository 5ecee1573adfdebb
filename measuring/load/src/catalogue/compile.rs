//! Many short processes, each of which reads many files and writes one.

use super::super::generator::{Work, tree};
use super::super::load_kind::{Invocation, LoadKind, Measure, PLAIN, Rate, Scene, Workers};

pub(super) const KIND: LoadKind = LoadKind {
    name: "compile",
    disturbs: "Short-lived processes: fork, exec, page faults, many small files, and computations that fill the \
               caches.",
    source: "Regnier 2008 and Regnier 2008 (WSO), section 5.2: make clean; make in a kernel source tree",
    rate: Rate::Workers { default: Workers::PerCpu, most: WORKERS_MOST },
    measure: Measure::BusyProcessors,
    disk_mb_max: 32,
    prepare,
    steps,
    ..PLAIN
};

/// Objects of all workers together, at 24 KiB each, and the tree.
const WORKERS_MOST: u32 = 256;

fn prepare(scene: &Scene) -> std::io::Result<()> {
    tree::prepare(&scene.work, scene.seed)
}

fn steps(scene: &Scene) -> Vec<Invocation> {
    vec![Work::Compile { workers: scene.demand.workers }.endless(scene)]
}
