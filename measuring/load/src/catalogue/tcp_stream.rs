//! A TCP connection from one network namespace to another, at a chosen rate.

use super::super::generator::Work;
use super::super::load_kind::{Invocation, Lasts, LoadKind, Measure, PLAIN, Rate, Scene, Side};

pub(super) const KIND: LoadKind = LoadKind {
    name: "tcp-stream",
    disturbs: "Network softirqs with large segments, copies between kernel and user space, and TCP timers.",
    source: "Blaess 2014: dohell's nc to another machine; Marsal 2013: netperf",
    rate: Rate::Paced { default: Some(100.0), most: 1e5 },
    measure: Measure::NetworkBytes,
    network: true,
    steps,
    ..PLAIN
};

fn steps(scene: &Scene) -> Vec<Invocation> {
    let (to, rate) = (scene.receiver_port(), scene.demand.paced.map(|mb| mb * 1e6));
    let reads = Work::ReadStream { at: to }.step(scene, Side::Receiver, Lasts::ForEverListening(to.port()));
    vec![reads, Work::SendStream { to, rate }.step(scene, Side::Sender, Lasts::ForEver)]
}
