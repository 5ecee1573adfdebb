//! Hundreds of messages between dozens of threads, with locks and condition variables.

use super::super::generator::Work;
use super::super::load_kind::{Invocation, LoadKind, Scene};
use super::scheduler;

pub(super) const KIND: LoadKind = LoadKind {
    name: "scheduler-futexes",
    disturbs: "In each group, forty threads of one process wake each other continuously with locks and condition \
               variables: the kernel's futexes, long ready queues and many wake-ups, without files or sockets.",
    source: "the pattern of hackbench on futexes; stress-ng --futex",
    steps,
    ..scheduler::KIND
};

/// A worker is a process with the twenty senders and twenty receivers of a group.
fn steps(scene: &Scene) -> Vec<Invocation> {
    vec![Work::FutexMessages { groups: scene.demand.workers }.endless(scene)]
}
