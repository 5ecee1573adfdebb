//! Which parts a split has, in the order in which a run file keeps them.

use super::parts::Parts;
use prazo_run::Plan;
use prazo_run::plan::{Policy, TimerMethod};
use prazo_run::run::Quantity;
use prazo_run::source::{Source, Station};

/// A part's quantity, and where its time is; a frame that polling found has nothing in front of its stamp.
pub(crate) type Part = (Quantity, fn(&Parts) -> Option<i64>);

const SLACK: Part = (Quantity::TimerSlack, |parts| Some(parts.slack_ns));
const FROM_HANDLER: [Part; 2] = [
    (Quantity::InterruptLatency, |parts| Some(parts.interrupt_ns)),
    (Quantity::ActivationLatency, |parts| Some(parts.activation_ns())),
];
const ALWAYS: [Part; 3] = [
    (Quantity::Handling, |parts| Some(parts.handling_ns)),
    (Quantity::WakeupLatency, |parts| Some(parts.wakeup_ns)),
    (Quantity::OwnStamp, |parts| Some(parts.own_stamp_ns)),
];
const IN_FRONT: [Part; 2] = [
    (Quantity::ThreadStart, |parts| parts.arrival.thread_start_ns),
    (Quantity::ReceivePath, |parts| parts.arrival.receive_path_ns),
];

/// The parts of a plan's latencies.
pub(super) fn of(plan: &Plan) -> Vec<Part> {
    match &plan.source {
        // A card's driver takes the receive stamp in its handler, so that no interrupt latency lies behind it.
        Source::Event(event) if event.station == Station::Remote => [&ALWAYS[..], &IN_FRONT].concat(),
        Source::Event(_) => [&FROM_HANDLER[..], &ALWAYS].concat(),
        Source::Timer
        | Source::Interrupt(_)
        | Source::Wakeup(_)
        | Source::Noise(_)
        | Source::Overheads(_)
        | Source::Xenomai(_)
        | Source::Watch(_) => of_timer(plan),
    }
}

/// The parts of a watched thread's latencies: what something else than a timer wakes is due when it is woken.
pub(crate) fn of_watched(has_timer: bool) -> Vec<Part> {
    match has_timer {
        true => [&[SLACK][..], &FROM_HANDLER, &ALWAYS].concat(),
        false => ALWAYS.into_iter().filter(|(quantity, _)| *quantity != Quantity::Handling).collect(),
    }
}

/// A real-time thread that sleeps until an instant has no slack.
fn of_timer(plan: &Plan) -> Vec<Part> {
    let is_relative = matches!(plan.method, TimerMethod::Nanosleep | TimerMethod::Setitimer);
    let has_slack = plan.policy == Policy::Other || is_relative;
    let slack = if has_slack { &[SLACK][..] } else { &[] };
    [slack, &FROM_HANDLER, &ALWAYS].concat()
}
