//! A file read from disk, past the page cache, over and over.

use super::super::super::load_kind::{Invocation, Lasts, LoadKind, Scene, Side, words};
use super::super::disk_read;
use prazo_platform::foreign_programs::DD;

pub(super) const KIND: LoadKind =
    LoadKind { name: "dd", peer: Some(disk_read::KIND.name), programs: &[DD], steps, ..disk_read::KIND };

/// The papers read the partition itself; a file of our own needs no privilege and no knowledge of the machine's disks.
fn steps(scene: &Scene) -> Vec<Invocation> {
    let arguments = words("if=read of=/dev/null bs=1M iflag=direct status=none");
    let step = Invocation { program: "dd", arguments, side: Side::Receiver, lasts: Lasts::OnePass(&[0]) };
    vec![step; scene.demand.workers as usize]
}
