//! Echo requests from one network namespace to another, each sent when the last was answered.

use super::super::generator::Work;
use super::super::load_kind::{Invocation, Lasts, LoadKind, Measure, PLAIN, Rate, Scene, Side};

pub(super) const KIND: LoadKind = LoadKind {
    name: "icmp-flood",
    disturbs: "The kernel answers every echo request in the network softirq; no thread of a program is involved.",
    source: "Blaess 2014: ping in flood mode, to load the interrupt handlers",
    rate: Rate::Paced { default: None, most: 1e5 },
    measure: Measure::Packets,
    network: true,
    steps,
    ..PLAIN
};

fn steps(scene: &Scene) -> Vec<Invocation> {
    let (to, rate) = (scene.receiver, scene.demand.paced);
    vec![Work::Echo { to, rate }.step(scene, Side::Sender, Lasts::ForEver)]
}
