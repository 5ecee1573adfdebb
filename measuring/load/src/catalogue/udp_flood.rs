//! Frames of 64 bytes from one network namespace to another, at a chosen rate.

use super::super::load_kind::{Lasts, LoadKind, Measure, PLAIN, Rate, Scene, Side, Step, words};
use super::programs::{IP, IPERF3};

pub(super) const KIND: LoadKind = LoadKind {
    name: "udp-flood",
    disturbs: "Every packet causes a network softirq, which runs before all threads and in wake-up paths.",
    source: "Regnier 2008 and Regnier 2008 (WSO), section 5.2: UDP packets of 64 bytes at 200 kHz, more than 100,000 interrupts a second",
    programs: &[IPERF3, IP],
    rate: Rate::Paced { default: Some(200_000.0), most: 1e7 },
    measure: Measure::Packets,
    network: true,
    steps,
    ..PLAIN
};

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
