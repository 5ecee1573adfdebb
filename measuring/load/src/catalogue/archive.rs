//! Files read from all over the tree, compressed and written as an archive.

use super::super::load_kind::{Lasts, LoadKind, Measure, PLAIN, Rate, Scene, Side, Step, WORKERS_MAX, Workers};
use super::programs::{BZIP2, FIND, TAR};

pub(super) const KIND: LoadKind = LoadKind {
    name: "archive",
    disturbs: "Reads, computing, pipes and buffered writes at the same time, followed by bursts of write-back.",
    source: "Regnier 2008 and Regnier 2008 (WSO), section 5.2: tar -cjf /tmp/root.tbz2 /usr/src/linux-xenomai",
    programs: &[FIND, TAR, BZIP2],
    rate: Rate::Workers { default: Workers::One, most: WORKERS_MAX },
    measure: Measure::BusyProcessors,
    disk_mb_max: 128,
    steps,
    ..PLAIN
};

/// At most 2,000 files of at most 64 KiB bound the archive of all workers together.
fn steps(scene: &Scene) -> Vec<Step> {
    (0..scene.demand.workers).map(|worker| step(worker, 2_000 / scene.demand.workers.min(2_000))).collect()
}

/// tar answers 1 where a file changed while it was read.
fn step(worker: u32, files: u32) -> Step {
    let choose = format!("find /usr -xdev -type f -size -64k -print0 | head --zero-terminated --lines={files}");
    let pack = format!("tar --create --bzip2 --null --files-from=- --file=archive-{worker}.tar.bz2");
    let arguments = vec!["-c".into(), format!("{choose} | {pack}")];
    Step { program: "sh", arguments, side: Side::Receiver, lasts: Lasts::OnePass(&[0, 1]) }
}
