//! Timers that expire at a chosen rate.

use super::super::super::load_kind::{Invocation, Lasts, LoadKind, Scene, Side, words};
use super::super::timer_interrupts;
use prazo_platform::foreign_programs::STRESS_NG;

pub(super) const KIND: LoadKind = LoadKind {
    name: "stress-ng-timer",
    peer: Some(timer_interrupts::KIND.name),
    programs: &[STRESS_NG],
    steps,
    ..timer_interrupts::KIND
};

/// Of stress-ng's timer loads `--timer` is the one whose interrupts follow the rate that is asked: `--timerfd` polls, so that
/// its own counter runs away from /proc/interrupts, `--itimer` has the resolution of jiffies, `--hrtimers` has no rate.
fn steps(scene: &Scene) -> Vec<Invocation> {
    let rate = scene.demand.paced.unwrap_or(5_000.0);
    let workers = timer_interrupts::workers(rate);
    let frequency = (rate / f64::from(workers)).ceil().max(1.0);
    let arguments = words(&format!("--timer {workers} --timer-freq {frequency} --oomable --quiet"));
    vec![Invocation { program: "stress-ng", arguments, side: Side::Receiver, lasts: Lasts::ForEver }]
}
