//! Small blocks written at random places of files on disk, past the page cache.

use super::super::kind::{Kind, Lasts, Measure, Rate, Scene, Side, StartsIn, Step, Workers, nothing, words};
use super::programs::STRESS_NG;

pub(super) const KIND: Kind = Kind {
    name: "disk-write",
    disturbs: "Every 4 KiB is a request of its own: many disk interrupts and completions, and the file system's journal.",
    source: "papers/001: block devices written at random places; papers/003: iozone",
    programs: &[STRESS_NG],
    rate: Rate::Workers { default: Workers::One },
    measure: Measure::DiskWrite,
    disk_mb_max: 64,
    network: false,
    starts_in: StartsIn::Work,
    prepare: nothing,
    steps,
};

fn steps(scene: &Scene) -> Vec<Step> {
    let files = format!("--hdd {} --hdd-bytes {}", scene.demand.workers, worker_bytes(scene.demand.workers));
    let how = "--hdd-write-size 4K --hdd-opts direct,wr-rnd --oomable --quiet --temp-path";
    let mut arguments = words(&format!("{files} {how}"));
    arguments.push(scene.work.display().to_string());
    vec![Step { program: "stress-ng", arguments, side: Side::Receiver, lasts: Lasts::ForEver }]
}

/// All workers share 64 MB; stress-ng wants at least 1 MiB each.
fn worker_bytes(workers: u32) -> u32 {
    (64_000_000 / workers).max(1 << 20)
}
