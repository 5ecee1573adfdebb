//! Files read from all over the tree, compressed and written as an archive.

use super::super::super::load_kind::{Invocation, Lasts, LoadKind, Rate, Scene, Side, WORKERS_MAX, Workers, nothing};
use super::super::archive;
use prazo_platform::foreign_programs::{BZIP2, FIND, TAR};

pub(super) const KIND: LoadKind = LoadKind {
    name: "tar",
    peer: Some(archive::KIND.name),
    programs: &[FIND, TAR, BZIP2],
    rate: Rate::Workers { default: Workers::One, most: WORKERS_MAX },
    disk_mb_max: 128,
    prepare: nothing,
    steps,
    ..archive::KIND
};

/// At most 2,000 files of at most 64 KiB bound the archive of all workers together.
fn steps(scene: &Scene) -> Vec<Invocation> {
    (0..scene.demand.workers).map(|worker| step(worker, 2_000 / scene.demand.workers.min(2_000))).collect()
}

/// tar answers 1 where a file changed while it was read.
fn step(worker: u32, files: u32) -> Invocation {
    let choose = format!("find /usr -xdev -type f -size -64k -print0 | head --zero-terminated --lines={files}");
    let pack = format!("tar --create --bzip2 --null --files-from=- --file=archive-{worker}.tar.bz2");
    let arguments = vec!["-c".into(), format!("{choose} | {pack}")];
    Invocation { program: "sh", arguments, side: Side::Receiver, lasts: Lasts::OnePass(&[0, 1]) }
}
