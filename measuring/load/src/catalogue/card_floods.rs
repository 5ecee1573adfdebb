//! Floods from one network card of a machine to another, at a rate that an emulated machine sustains.
//!
//! Two namespaces joined by virtual interfaces raise no device interrupt, and a generator that shares its processor with what
//! it disturbs sends as much as that leaves it. So a guest's floods cross real cards and are paced by a real-time sender.

use super::super::generator::{Packet, Work};
use super::super::load_kind::{Invocation, Lasts, LoadKind, Measure, PLAIN, Rate, Scene, Side};

/// Twice as many leave an idle PREEMPT_RT guest, at eight nanoseconds per instruction, a sixth of its processor, a
/// standard one two thirds.
const UDP_HZ: f64 = 1_000.0;
/// Every request has an answer, and both cards see both.
const ICMP_HZ: f64 = 500.0;
const MOST_HZ: f64 = 50_000.0;

pub(super) const UDP: LoadKind = LoadKind {
    name: "udp-flood",
    disturbs: "Every packet causes interrupts of two cards and a network softirq.",
    source: "Regnier 2008 and Regnier 2008 (WSO), section 5.2: UDP packets of 64 bytes from another station to a second card",
    rate: Rate::Paced { default: Some(UDP_HZ), most: MOST_HZ },
    measure: Measure::Packets,
    network: true,
    steps: udp,
    ..PLAIN
};

pub(super) const ICMP: LoadKind = LoadKind {
    name: "icmp-flood",
    disturbs: "Every echo request causes interrupts of two cards and a network softirq, in which the kernel answers \
               the request.",
    source: "Blaess 2014: ping in flood mode, to load the interrupt handlers",
    rate: Rate::Paced { default: Some(ICMP_HZ), most: MOST_HZ },
    steps: icmp,
    ..UDP
};

/// The receiver starts before the sender: the kernel would answer packets to a closed port. Another machine's sender is that machine's business.
fn udp(scene: &Scene) -> Vec<Invocation> {
    let reads = Work::ReadDatagrams { at: scene.receiver_port() }.endless(scene);
    std::iter::once(reads).chain(send(Packet::Udp, scene)).collect()
}

fn icmp(scene: &Scene) -> Vec<Invocation> {
    send(Packet::Echo, scene).into_iter().collect()
}

/// The sender of `packet`, where it is this machine's.
fn send(packet: Packet, scene: &Scene) -> Option<Invocation> {
    let cards = scene.cards.as_ref()?;
    let (through, to_card) = (cards.sending.clone()?, cards.receiving.clone());
    let (to, rate) = (scene.receiver_port(), scene.demand.paced.unwrap_or(1.0));
    let work = Work::SendFrames { packet, through, to_card, to, rate };
    Some(work.step(scene, Side::Sender, Lasts::ForEver))
}
