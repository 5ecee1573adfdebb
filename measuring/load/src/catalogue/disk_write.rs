//! Small blocks written at random places of files on disk, past the page cache.

use super::super::generator::Work;
use super::super::load_kind::{Invocation, LoadKind, Measure, PLAIN, Rate, Scene, Workers, reaches_a_disk};

pub(super) const KIND: LoadKind = LoadKind {
    name: "disk-write",
    disturbs: "Every write of 4 KiB is a separate request: many disk interrupts and completions, and work for the file \
               system's journal.",
    source: "Blaess 2014: block devices written at random places; Marsal 2013: iozone",
    rate: Rate::Workers { default: Workers::One, most: 32 },
    measure: Measure::DiskWrite,
    disk_mb_max: 64,
    prepare: reaches_a_disk,
    steps,
    ..PLAIN
};

fn steps(scene: &Scene) -> Vec<Invocation> {
    let workers = scene.demand.workers;
    vec![Work::WriteBlocks { workers, bytes: worker_bytes(workers) }.endless(scene)]
}

/// All workers share 60 MB, which leaves room for the folders and for a last block each. A file that does not end with a
/// whole block would have a write past the page cache refused.
pub(super) fn worker_bytes(workers: u32) -> u32 {
    60_000_000 / workers / BLOCK_BYTES * BLOCK_BYTES
}

const BLOCK_BYTES: u32 = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_whole_blocks_and_stay_inside_the_bound() {
        for workers in 1..=32 {
            let bytes = worker_bytes(workers);
            assert!(
                bytes.is_multiple_of(BLOCK_BYTES) && bytes >= 1 << 20 && bytes * workers < KIND.disk_mb_max * 1_000_000
            );
        }
    }
}
