//! What a run's figures are about: its main quantity, its warm-up, its timer.

use prazo_run::run::{Origin, Quantity};
use prazo_run::{Run, Series, skipped};

/// The quantity that a deadline is about: the response latency, or what comes nearest to it in this run.
pub fn principal_quantity(run: &Run) -> Option<Quantity> {
    Quantity::VALUES.iter().copied().find(|quantity| run.of(*quantity).next().is_some())
}

/// The series that a deadline is about.
pub(crate) fn principal_series(run: &Run) -> Vec<&Series> {
    principal_quantity(run).map_or_else(Vec::new, |quantity| run.of(quantity).collect())
}

/// The tool that measured.
pub(crate) fn tool(run: &Run) -> &str {
    match &run.origin {
        Origin::Measured => "prazo",
        Origin::Imported { tool, .. } => tool,
        Origin::Synthetic => "synthetic",
    }
}

/// Activations of a series that were due and can be judged: an outstanding one is not yet.
pub(crate) fn due(series: &Series) -> u64 {
    served_count(series) + skipped::counted(series).unwrap_or(0)
}

/// Served activations: as counted, or all samples where the source does not count.
pub(crate) fn served_count(series: &Series) -> u64 {
    series.activations.served.max(series.histogram.total())
}

/// Served activations whose record was lost: nothing is known of their latency.
pub(crate) fn lost(series: &Series) -> u64 {
    served_count(series) - series.histogram.total()
}
