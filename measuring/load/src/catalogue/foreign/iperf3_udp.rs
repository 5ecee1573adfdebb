//! Frames of 64 bytes from one network namespace to another, at a chosen rate.

use super::super::super::generator::PAYLOAD_BYTES;
use super::super::super::load_kind::{Invocation, Lasts, LoadKind, Scene, Side, words};
use super::super::udp_flood;
use prazo_platform::foreign_programs::IPERF3;

pub(super) const KIND: LoadKind =
    LoadKind { name: "iperf3-udp", peer: Some(udp_flood::KIND.name), programs: &[IPERF3], steps, ..udp_flood::KIND };

/// Packets leave in bunches of 100 us; iperf3's own default is a millisecond.
fn steps(scene: &Scene) -> Vec<Invocation> {
    let bits = scene.demand.paced.map_or(0.0, |rate| (rate * PAYLOAD_BYTES as f64 * 8.0).round());
    let how = format!("--udp --length {PAYLOAD_BYTES} --bitrate {bits} --pacing-timer 100");
    vec![server(scene), client(scene, &how)]
}

pub(super) fn server(scene: &Scene) -> Invocation {
    let arguments = words(&format!("--server --bind {} --port {} --interval 0", scene.receiver, scene.port));
    Invocation { program: "iperf3", arguments, side: Side::Receiver, lasts: Lasts::ForEverListening(scene.port) }
}

/// iperf3 sends for at most a day; then it is started again.
pub(super) fn client(scene: &Scene, how: &str) -> Invocation {
    let whom = format!("--client {} --port {} --time 86400 --interval 0", scene.receiver, scene.port);
    Invocation {
        program: "iperf3",
        arguments: words(&format!("{whom} {how}")),
        side: Side::Sender,
        lasts: Lasts::OnePass(&[0]),
    }
}
