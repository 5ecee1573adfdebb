//! A file read from disk, past the page cache, over and over.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use super::super::load_kind::{Lasts, LoadKind, Measure, PLAIN, Rate, Scene, Side, Step, WORKERS_MAX, Workers, words};
use super::programs::DD;

pub(super) const KIND: LoadKind = LoadKind {
    name: "disk-read",
    disturbs: "Large reads keep the disk's driver, its interrupts and the block layer's softirq busy.",
    source: "Regnier 2008 and Regnier 2008 (WSO), section 5.2: dd if=/dev/hda2 of=/dev/null bs=1M",
    programs: &[DD],
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
    let mut file = BufWriter::with_capacity(1 << 20, File::create(scene.work.join("read"))?);
    for word in 1..=u64::from(FILE_MB) * 1_000_000 / 8 {
        file.write_all(&word.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes())?;
    }
    file.into_inner()?.sync_all()
}

/// The papers read the partition itself; a file of our own needs no privilege and no knowledge of the machine's disks.
fn steps(scene: &Scene) -> Vec<Step> {
    let arguments = words("if=read of=/dev/null bs=1M iflag=direct status=none");
    let step = Step { program: "dd", arguments, side: Side::Receiver, lasts: Lasts::OnePass(&[0]) };
    vec![step; scene.demand.workers as usize]
}
