//! The machine's /proc read over and over, as monitors do.

use super::super::super::load_kind::{Invocation, Lasts, LoadKind, Scene, Side};
use super::super::proc_read;
use prazo_platform::foreign_programs::CAT;

pub(super) const KIND: LoadKind =
    LoadKind { name: "cat-proc", peer: Some(proc_read::KIND.name), programs: &[CAT], steps, ..proc_read::KIND };

/// A process that ends while it is read makes cat answer 1.
fn steps(scene: &Scene) -> Vec<Invocation> {
    let line = "exec cat interrupts softirqs stat meminfo vmstat slabinfo [0-9]*/stat [0-9]*/status [0-9]*/maps";
    let arguments = vec!["-c".into(), line.into()];
    let step = Invocation { program: "sh", arguments, side: Side::Receiver, lasts: Lasts::OnePass(&[0, 1]) };
    vec![step; scene.demand.workers as usize]
}
