//! Frames of 64 bytes from one network namespace to another, at a chosen rate.

use super::super::super::load_kind::{Lasts, LoadKind, Scene, Side, Step, words};
use super::super::udp_flood;
use prazo_platform::foreign_programs::IPERF3;

pub(super) const KIND: LoadKind =
    LoadKind { name: "iperf3-udp", peer: Some(udp_flood::KIND.name), programs: &[IPERF3], steps, ..udp_flood::KIND };

/// What UDP carries in the smallest frame: 64 bytes less Ethernet's header and check sequence, IP's and UDP's headers.
const PAYLOAD_BYTES: u32 = 64 - 14 - 4 - 20 - 8;

/// Packets leave in bunches of 100 us; iperf3's own default is a millisecond.
fn steps(scene: &Scene) -> Vec<Step> {
    let bits = scene.demand.paced.map_or(0.0, |rate| (rate * f64::from(PAYLOAD_BYTES) * 8.0).round());
    let how = format!("--udp --length {PAYLOAD_BYTES} --bitrate {bits} --pacing-timer 100");
    vec![server(scene), client(scene, &how)]
}

pub(super) fn server(scene: &Scene) -> Step {
    let arguments = words(&format!("--server --bind {} --port {} --interval 0", scene.receiver, scene.port));
    Step { program: "iperf3", arguments, side: Side::Receiver, lasts: Lasts::ForEverListening(scene.port) }
}

/// iperf3 sends for at most a day; then it is started again.
pub(super) fn client(scene: &Scene, how: &str) -> Step {
    let whom = format!("--client {} --port {} --time 86400 --interval 0", scene.receiver, scene.port);
    Step {
        program: "iperf3",
        arguments: words(&format!("{whom} {how}")),
        side: Side::Sender,
        lasts: Lasts::OnePass(&[0]),
    }
}
