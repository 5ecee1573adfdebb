//! A file read from disk, past the page cache, over and over.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use super::super::generator::{READ_FILE, Work};
use super::super::load_kind::{
    Invocation, LoadKind, Measure, PLAIN, Rate, Scene, WORKERS_MAX, Workers, reaches_a_disk,
};

pub(super) const KIND: LoadKind = LoadKind {
    name: "disk-read",
    disturbs: "Large reads keep the disk's driver, its interrupts and the block layer's softirq busy.",
    source: "Regnier 2008 and Regnier 2008 (WSO), section 5.2: dd if=/dev/hda2 of=/dev/null bs=1M",
    rate: Rate::Workers { default: Workers::One, most: WORKERS_MAX },
    measure: Measure::DiskRead,
    disk_mb_max: FILE_MB,
    prepare,
    steps,
    ..PLAIN
};

const FILE_MB: u32 = 128;

/// Every 8 bytes differ, so that no layer below can compress or merge what is read.
fn prepare(scene: &Scene) -> io::Result<()> {
    reaches_a_disk(scene)?;
    let mut file = BufWriter::with_capacity(1 << 20, File::create(scene.work.join(READ_FILE))?);
    for word in 1..=u64::from(FILE_MB) * 1_000_000 / 8 {
        file.write_all(&word.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes())?;
    }
    file.into_inner()?.sync_all()
}

/// The papers read the partition itself; a file of our own needs no privilege and no knowledge of the machine's disks.
fn steps(scene: &Scene) -> Vec<Invocation> {
    vec![Work::ReadBlocks { workers: scene.demand.workers }.endless(scene)]
}
