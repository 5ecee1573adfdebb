//! Timers that expire at a chosen rate.

use super::super::generator::Work;
use super::super::load_kind::{Invocation, LoadKind, Measure, PLAIN, Rate, Scene};

pub(super) const KIND: LoadKind = LoadKind {
    name: "timer-interrupts",
    disturbs: "Every expiry causes a signal and an interrupt of the processor's timer; the same timer wakes the \
               measured threads.",
    source: "Blaess 2014: interrupt handlers loaded by a low-frequency generator; Regnier 2008 (WSO): interrupt load",
    rate: Rate::Paced { default: Some(10_000.0), most: 1e6 },
    measure: Measure::TimerInterrupts,
    steps,
    ..PLAIN
};

/// One worker serves about this many expiries a second before its signals run into each other.
const WORKER_HZ: f64 = 5_000.0;

fn steps(scene: &Scene) -> Vec<Invocation> {
    let rate = scene.demand.paced.unwrap_or(WORKER_HZ);
    vec![Work::Timers { workers: workers(rate), rate }.endless(scene)]
}

/// As many as a rate takes.
pub(super) fn workers(rate: f64) -> u32 {
    (rate / WORKER_HZ).ceil().clamp(1.0, 64.0) as u32
}
