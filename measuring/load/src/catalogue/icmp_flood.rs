//! Echo requests from one network namespace to another, each sent when the last was answered.

use super::super::load_kind::{Lasts, LoadKind, Measure, PLAIN, Rate, Scene, Side, Step, words};
use super::programs::{IP, PING};

pub(super) const KIND: LoadKind = LoadKind {
    name: "icmp-flood",
    disturbs: "The kernel answers every packet in the network softirq, without a thread.",
    source: "Blaess 2014: ping in flood mode, for the interrupt handlers",
    programs: &[PING, IP],
    rate: Rate::Paced { default: None, most: 1_000.0 },
    measure: Measure::Packets,
    network: true,
    steps,
    ..PLAIN
};

/// ping keeps to intervals of a millisecond and more; below, it sends as fast as answers come.
fn steps(scene: &Scene) -> Vec<Step> {
    let pace = scene.demand.paced.map_or("-f".into(), |rate| format!("-i {:.6}", 1.0 / rate));
    let arguments = words(&format!("-q -n {pace} {}", scene.receiver));
    vec![Step { program: "ping", arguments, side: Side::Sender, lasts: Lasts::ForEver }]
}
