//! A tree of small files walked, and a word searched in them.

use super::super::generator::{Work, tree};
use super::super::load_kind::{Invocation, LoadKind, Measure, PLAIN, Rate, Scene, WORKERS_MAX, Workers};

pub(super) const KIND: LoadKind = LoadKind {
    name: "file-tree",
    disturbs: "Reading directories, inodes and small files, alternately from the disk and from the kernel's caches, keeps \
               the virtual file system busy.",
    source: "Regnier 2008 and Regnier 2008 (WSO), section 5.2: find / -name \"*.c\" | xargs egrep include; Blaess 2014: dohell's ls -lR /",
    rate: Rate::Workers { default: Workers::One, most: WORKERS_MAX },
    measure: Measure::BusyProcessors,
    disk_mb_max: tree::DISK_MB_MAX,
    prepare,
    steps,
    ..PLAIN
};

/// The machine's own tree would be another one on every machine.
fn prepare(scene: &Scene) -> std::io::Result<()> {
    tree::prepare(&scene.work, scene.seed)
}

fn steps(scene: &Scene) -> Vec<Invocation> {
    vec![Work::SearchTree { workers: scene.demand.workers }.endless(scene)]
}
