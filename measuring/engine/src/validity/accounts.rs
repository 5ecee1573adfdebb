//! Whether the run's own counts agree with each other, and what winning them cost.
//!
//! A loop counts what it served, the recorder what came out of the ring, and the clock how many points of the grid went by:
//! three accounts of one thing, kept apart. Where they differ, something vanished without a counter.

use super::{RunObservations, Worked, each};
use prazo_core::text::{counted, grouped};
use prazo_core::time::Duration;
use prazo_run::plan::WhenLate;
use prazo_run::{Caveat, Plan, Severity};

/// `counts-differ`.
pub(super) fn counts_differ(observed: &RunObservations<'_>) -> Option<Caveat> {
    let details = each(observed, |worked| lost_on_the_way(worked).or_else(|| not_on_the_grid(observed.plan, worked)))?;
    Some(Caveat::new(
        "counts-differ",
        Severity::Fatal,
        format!("the counts of activations disagree ({details}); no figure of this run can be trusted"),
        "this is a defect of prazo: keep the run file and report the defect",
    ))
}

/// Every activation that the loop served came out of the ring, or is counted as lost.
fn lost_on_the_way(worked: &Worked) -> Option<String> {
    let (served, recorded) = (worked.finished.served, worked.served());
    (served != recorded).then(|| format!("{} served, {} recorded", counted(served, "activation"), grouped(recorded)))
}

/// Every point of the grid, from the first served activation to the last, was served or skipped. A relative sleep has no grid,
/// and re-phasing begins another.
fn not_on_the_grid(plan: &Plan, worked: &Worked) -> Option<String> {
    let thread = plan.threads.iter().find(|thread| thread.cpu == worked.cpu)?;
    if !plan.has_due_grid() || plan.when_late == WhenLate::RePhase || worked.finished.served == 0 {
        return None;
    }
    let span = Duration::from_ns(worked.finished.last_due_ns.saturating_sub(worked.finished.first_due_ns));
    let (points, accounted) = (span.div_floor(thread.period)? + 1, worked.served() + worked.skipped());
    (points > accounted)
        .then(|| format!("{} due, {} served or skipped", counted(points, "activation"), grouped(accounted)))
}

/// `probe-cost`.
pub(super) fn probe_cost(observed: &RunObservations<'_>) -> Option<Caveat> {
    if observed.plan.source.is_busy() {
        return None;
    }
    let details = each(observed, cost)?;
    Some(Caveat::new(
        "probe-cost",
        Severity::Info,
        format!(
            "the measurement itself took processor time ({details}); latencies contain only the part of this time before the clock \
             is read"
        ),
        "add the processor time of the measurement to your processor budget",
    ))
}

/// What one activation took, by the kernel's accounts of the thread; `None` where nothing was served.
fn cost(worked: &Worked) -> Option<String> {
    let finished = worked.finished;
    let each = Duration::from_ns(finished.cpu_ns.checked_div(finished.served)?);
    let per_activation = |count: u64| count as f64 / finished.served as f64;
    Some(format!(
        "{each}, {:.3} sleep calls and {:.3} context switches per activation",
        per_activation(finished.waits),
        per_activation(finished.voluntary_switches)
    ))
}
