//! Hundreds of messages between dozens of threads, over pipes.

use super::super::generator::Work;
use super::super::load_kind::{Invocation, LoadKind, Scene};
use super::scheduler;

pub(super) const KIND: LoadKind = LoadKind {
    name: "scheduler-pipes",
    disturbs: "In each group, forty threads of one process wake each other continuously over pipes: long ready queues, \
               many wake-ups, and waits for the locks of the pipes and of the process's descriptors.",
    source: "hackbench --pipe --threads of rt-tests",
    steps,
    ..scheduler::KIND
};

/// A worker is a process with the twenty senders and twenty receivers of a group.
fn steps(scene: &Scene) -> Vec<Invocation> {
    vec![Work::PipeMessages { groups: scene.demand.workers }.endless(scene)]
}
