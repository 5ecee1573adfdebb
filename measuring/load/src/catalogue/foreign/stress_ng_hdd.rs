//! Small blocks written at random places of files on disk, past the page cache.

use super::super::super::load_kind::{Invocation, Lasts, LoadKind, Scene, Side, words};
use super::super::disk_write;
use prazo_platform::foreign_programs::STRESS_NG;

pub(super) const KIND: LoadKind = LoadKind {
    name: "stress-ng-hdd",
    peer: Some(disk_write::KIND.name),
    programs: &[STRESS_NG],
    steps,
    ..disk_write::KIND
};

fn steps(scene: &Scene) -> Vec<Invocation> {
    let files =
        format!("--hdd {} --hdd-bytes {}", scene.demand.workers, disk_write::worker_bytes(scene.demand.workers));
    let how = "--hdd-write-size 4K --hdd-opts direct,wr-rnd --oomable --quiet --temp-path";
    let mut arguments = words(&format!("{files} {how}"));
    arguments.push(scene.work.display().to_string());
    vec![Invocation { program: "stress-ng", arguments, side: Side::Receiver, lasts: Lasts::ForEver }]
}
