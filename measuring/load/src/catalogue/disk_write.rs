//! Small blocks written at random places of files on disk, past the page cache.

use super::super::load_kind::{Lasts, LoadKind, Measure, PLAIN, Rate, Scene, Side, Step, Workers, words};
use super::programs::STRESS_NG;

pub(super) const KIND: LoadKind = LoadKind {
    name: "disk-write",
    disturbs: "Every 4 KiB is a separate request: many disk interrupts and completions, and work for the file system's \
               journal.",
    source: "Blaess 2014: block devices written at random places; Marsal 2013: iozone",
    programs: &[STRESS_NG],
    rate: Rate::Workers { default: Workers::One, most: 32 },
    measure: Measure::DiskWrite,
    disk_mb_max: 64,
    steps,
    ..PLAIN
};

fn steps(scene: &Scene) -> Vec<Step> {
    let files = format!("--hdd {} --hdd-bytes {}", scene.demand.workers, worker_bytes(scene.demand.workers));
    let how = "--hdd-write-size 4K --hdd-opts direct,wr-rnd --oomable --quiet --temp-path";
    let mut arguments = words(&format!("{files} {how}"));
    arguments.push(scene.work.display().to_string());
    vec![Step { program: "stress-ng", arguments, side: Side::Receiver, lasts: Lasts::ForEver }]
}

/// All workers share 60 MB, which leaves room for the folders and for a last block each. A file that does not end with a
/// whole block would have a write past the page cache refused.
fn worker_bytes(workers: u32) -> u32 {
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
