//! The time between the loads' start and the first measured activation.

use prazo_core::time::Duration;
use prazo_engine::{Counted, Observer, Phase, Progress, StopFlag};
use prazo_run::{Histogram, Plan};
use std::time::Instant;

/// How soon a wish to stop is seen.
const STEP: std::time::Duration = std::time::Duration::from_millis(50);

/// Waits for the plan's lead-in, or until the user wants to stop.
pub(super) fn wait(plan: &Plan, observer: &mut dyn Observer, stop: &StopFlag) {
    let (begun, length) = (Instant::now(), std::time::Duration::from_nanos(plan.lead_in.as_ns()));
    let mut shown = None;
    while begun.elapsed() < length && !stop.is_set() {
        let (second, is_asked_for) = (begun.elapsed().as_secs(), stop.take_figures_request());
        if shown.replace(second) != Some(second) || is_asked_for {
            observer.progress(&Progress { is_asked_for, ..progress(plan, begun.elapsed()) });
        }
        std::thread::sleep(STEP.min(length.saturating_sub(begun.elapsed())));
    }
}

fn progress(plan: &Plan, elapsed: std::time::Duration) -> Progress {
    Progress {
        elapsed: Duration::from(elapsed),
        total: plan.lead_in,
        left_in_all: None,
        phase: Phase::LeadIn,
        counted: Counted::of(plan),
        cpus: Vec::new(),
        recent: Histogram::new(),
        is_asked_for: false,
    }
}
