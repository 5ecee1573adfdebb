//! Hundreds of messages between dozens of threads, over pipes.

use super::super::super::load_kind::{Invocation, Lasts, LoadKind, Scene, Side};
use super::super::scheduler_pipes;
use prazo_platform::foreign_programs::HACKBENCH;

pub(super) const KIND: LoadKind = LoadKind {
    name: "hackbench-pipes",
    peer: Some(scheduler_pipes::KIND.name),
    programs: &[HACKBENCH],
    steps,
    ..scheduler_pipes::KIND
};

/// All groups are threads of one process, with forty descriptors for each group: more than the usual limit of 1,024 where
/// there are many processors.
fn steps(scene: &Scene) -> Vec<Invocation> {
    let line = format!(
        "ulimit -n \"$(ulimit -H -n)\"; exec hackbench --pipe --threads --groups {} --loops 2000000000",
        scene.demand.workers
    );
    vec![Invocation { program: "sh", arguments: vec!["-c".into(), line], side: Side::Receiver, lasts: Lasts::ForEver }]
}
