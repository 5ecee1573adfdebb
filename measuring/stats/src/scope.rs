//! What a run's figures are about: its main quantity, its warm-up, its timer.

use prazo_run::plan::WhenLate;
use prazo_run::run::{Origin, Quantity};
use prazo_run::{Run, Series};

/// The quantity that a deadline is about: the response latency, or what comes nearest to it in this run.
pub fn principal_quantity(run: &Run) -> Option<Quantity> {
    Quantity::VALUES.iter().copied().find(|quantity| run.of(*quantity).next().is_some())
}

/// The series that a deadline is about.
pub(crate) fn principal_series(run: &Run) -> Vec<&Series> {
    principal_quantity(run).map_or_else(Vec::new, |quantity| run.of(quantity).collect())
}

/// False where activations have no instant at which they were due (a relative sleep).
pub(crate) fn has_due_grid(run: &Run) -> bool {
    run.plan.as_ref().is_none_or(|plan| plan.has_due_grid())
}

/// What the source does when it is late; `None` where neither the plan nor the tool tells.
pub(crate) fn when_late(run: &Run) -> Option<WhenLate> {
    match (&run.plan, &run.origin) {
        (_, Origin::Imported { tool, .. }) if tool == "jitterdebugger" => Some(WhenLate::CatchUp),
        (Some(plan), Origin::Measured | Origin::Synthetic) => Some(plan.when_late),
        _ => None,
    }
}

/// The tool that measured.
pub(crate) fn tool(run: &Run) -> &str {
    match &run.origin {
        Origin::Measured => "prazo",
        Origin::Imported { tool, .. } => tool,
        Origin::Synthetic => "synthetic",
    }
}

/// Activations of a series that were jumped over, where the source tells or due and served do.
pub(crate) fn skipped(series: &Series) -> Option<u64> {
    let counted = &series.activations;
    let from_due = || Some(counted.due?.saturating_sub(counted.served + counted.outstanding));
    counted.skipped.or_else(from_due)
}

/// Activations of a series that were due and can be judged: an outstanding one is not yet.
pub(crate) fn due(series: &Series) -> u64 {
    served_count(series) + skipped(series).unwrap_or(0)
}

/// Served activations: as counted, or all samples where the source does not count.
pub(crate) fn served_count(series: &Series) -> u64 {
    series.activations.served.max(series.histogram.total())
}

/// Served activations whose record was lost: nothing is known of their latency.
pub(crate) fn lost(series: &Series) -> u64 {
    served_count(series) - series.histogram.total()
}
