//! A TCP connection from one network namespace to another, at a chosen rate.

use super::super::load_kind::{LoadKind, Measure, PLAIN, Rate, Scene, Step};
use super::programs::{IP, IPERF3};
use super::udp_flood::{client, server};

pub(super) const KIND: LoadKind = LoadKind {
    name: "tcp-stream",
    disturbs: "Network softirqs with large segments, copies between kernel and user space, and TCP timers.",
    source: "Blaess 2014: dohell's nc to another machine; Marsal 2013: netperf",
    programs: &[IPERF3, IP],
    rate: Rate::Paced { default: Some(100.0), most: 1e5 },
    measure: Measure::NetworkBytes,
    network: true,
    steps,
    ..PLAIN
};

fn steps(scene: &Scene) -> Vec<Step> {
    let bits = scene.demand.paced.map_or(0.0, |mb| (mb * 8e6).round());
    vec![server(scene), client(scene, &format!("--bitrate {bits}"))]
}
