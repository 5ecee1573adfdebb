//! Files read from all over a tree, sorted as a compressor does and written as an archive.

use super::super::generator::{Work, tree};
use super::super::load_kind::{Invocation, LoadKind, Measure, PLAIN, Rate, Scene, Workers};

pub(super) const KIND: LoadKind = LoadKind {
    name: "archive",
    disturbs: "Reads, computing, pipes and buffered writes at the same time, followed by bursts of write-back.",
    source: "Regnier 2008 and Regnier 2008 (WSO), section 5.2: tar -cjf /tmp/root.tbz2 /usr/src/linux-xenomai",
    rate: Rate::Workers { default: Workers::One, most: WORKERS_MOST },
    measure: Measure::BusyProcessors,
    disk_mb_max: 128,
    prepare,
    steps,
    ..PLAIN
};

/// The archives of all workers together, at 2 MiB each, and the tree.
const WORKERS_MOST: u32 = 32;

fn prepare(scene: &Scene) -> std::io::Result<()> {
    tree::prepare(&scene.work, scene.seed)
}

fn steps(scene: &Scene) -> Vec<Invocation> {
    vec![Work::Archive { workers: scene.demand.workers }.endless(scene)]
}
