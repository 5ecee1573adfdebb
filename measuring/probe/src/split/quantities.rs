//! Which parts a split has, in the order in which a run file keeps them.

use super::join::Parts;
use prazo_run::Plan;
use prazo_run::plan::{Policy, TimerMethod};
use prazo_run::run::Quantity;

/// A part's quantity, and where its time is.
pub type Part = (Quantity, fn(&Parts) -> i64);

const ALWAYS: [Part; 5] = [
    (Quantity::InterruptLatency, |parts| parts.interrupt_ns),
    (Quantity::ActivationLatency, |parts| parts.activation_ns()),
    (Quantity::Handling, |parts| parts.handling_ns),
    (Quantity::WakeupLatency, |parts| parts.wakeup_ns),
    (Quantity::OwnStamp, |parts| parts.own_stamp_ns),
];

/// The parts of a plan's latencies: a real-time thread that sleeps until an instant has no slack.
pub fn of(plan: &Plan) -> Vec<Part> {
    let is_relative = matches!(plan.method, TimerMethod::Nanosleep | TimerMethod::Setitimer);
    let has_slack = plan.policy == Policy::Other || is_relative;
    let slack: Part = (Quantity::TimerSlack, |parts| parts.slack_ns);
    has_slack.then_some(slack).into_iter().chain(ALWAYS).collect()
}
