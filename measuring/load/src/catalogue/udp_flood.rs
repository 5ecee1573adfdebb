//! Frames of 64 bytes from one network namespace to another, at a chosen rate.

use super::super::generator::Work;
use super::super::load_kind::{Invocation, Lasts, LoadKind, Measure, PLAIN, Rate, Scene, Side};

pub(super) const KIND: LoadKind = LoadKind {
    name: "udp-flood",
    disturbs: "Every packet causes a network softirq. Without PREEMPT_RT, softirqs run before all threads, even \
               between an interrupt and the thread that the interrupt wakes.",
    source: "Regnier 2008 and Regnier 2008 (WSO), section 5.2: UDP packets of 64 bytes at 200 kHz, more than 100,000 interrupts a second",
    rate: Rate::Paced { default: Some(200_000.0), most: 1e7 },
    measure: Measure::Packets,
    network: true,
    steps,
    ..PLAIN
};

/// The receiver starts before the sender: the kernel would answer packets to a closed port.
fn steps(scene: &Scene) -> Vec<Invocation> {
    let (to, rate) = (scene.receiver_port(), scene.demand.paced);
    let reads = Work::ReadDatagrams { at: to }.endless(scene);
    vec![reads, Work::SendDatagrams { to, rate }.step(scene, Side::Sender, Lasts::ForEver)]
}
