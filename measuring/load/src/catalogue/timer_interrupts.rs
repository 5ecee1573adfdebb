//! Timers that expire at a chosen rate.

use super::super::load_kind::{Lasts, LoadKind, Measure, PLAIN, Rate, Scene, Side, Step, words};
use super::programs::STRESS_NG;

pub(super) const KIND: LoadKind = LoadKind {
    name: "timer-interrupts",
    disturbs: "Every expiry causes a signal and an interrupt of the processor's timer, which also wakes the measured \
               threads.",
    source: "Blaess 2014: interrupt handlers loaded by a low-frequency generator; Regnier 2008 (WSO): interrupt load",
    programs: &[STRESS_NG],
    rate: Rate::Paced { default: Some(10_000.0), most: 1e6 },
    measure: Measure::TimerInterrupts,
    steps,
    ..PLAIN
};

/// One worker serves about this many expiries a second before its signals run into each other.
const WORKER_HZ: f64 = 5_000.0;

/// Of stress-ng's timer loads `--timer` is the one whose interrupts follow the rate that is asked: `--timerfd` polls, so that
/// its own counter runs away from /proc/interrupts, `--itimer` has the resolution of jiffies, `--hrtimers` has no rate.
fn steps(scene: &Scene) -> Vec<Step> {
    let rate = scene.demand.paced.unwrap_or(WORKER_HZ);
    let workers = (rate / WORKER_HZ).ceil().clamp(1.0, 64.0);
    let frequency = (rate / workers).ceil().max(1.0);
    let arguments = words(&format!("--timer {workers} --timer-freq {frequency} --oomable --quiet"));
    vec![Step { program: "stress-ng", arguments, side: Side::Receiver, lasts: Lasts::ForEver }]
}
