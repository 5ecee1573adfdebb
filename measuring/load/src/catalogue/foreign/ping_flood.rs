//! Echo requests from one network namespace to another, each sent when the last was answered.

use super::super::super::load_kind::{Invocation, Lasts, LoadKind, Rate, Scene, Side, words};
use super::super::icmp_flood;
use prazo_platform::foreign_programs::PING;

pub(super) const KIND: LoadKind = LoadKind {
    name: "ping-flood",
    peer: Some(icmp_flood::KIND.name),
    programs: &[PING],
    rate: Rate::Paced { default: None, most: 1_000.0 },
    steps,
    ..icmp_flood::KIND
};

/// ping keeps to intervals of a millisecond and more; below, it sends as fast as answers come.
fn steps(scene: &Scene) -> Vec<Invocation> {
    let pace = scene.demand.paced.map_or("-f".into(), |rate| format!("-i {:.6}", 1.0 / rate));
    let arguments = words(&format!("-q -n {pace} {}", scene.receiver));
    vec![Invocation { program: "ping", arguments, side: Side::Sender, lasts: Lasts::ForEver }]
}
