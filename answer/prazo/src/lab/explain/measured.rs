//! What a run says about its activations: their series, what they wait for, and which readings of the clock may end them.

use super::activation::EventInterrupt;
use crate::error::Error;
use prazo_lab::recording::{ClockReading, Recording};
use prazo_platform::co_kernel::{CORE_FACT, MERCURY};
use prazo_run::Run;
use prazo_run::run::{Quantity, Series, WorstSample};
use prazo_run::source::{Source, TaskSide};

/// The error for a run without an activation to look for in its boot.
pub(in crate::lab) fn no_latency(run: &Run, remedy: &'static str) -> Error {
    Error::refused(format!("run '{}' lists no activation with a response latency", run.name)).with_remedy(remedy)
}

/// The latencies of the first measured thread.
pub(in crate::lab) fn series(run: &Run) -> Option<&Series> {
    run.of(Quantity::ResponseLatency).next()
}

/// The activations that the run lists, worst first.
pub(super) fn listed(run: &Run) -> &[WorstSample] {
    series(run).map(|series| series.worst.as_slice()).unwrap_or_default()
}

/// True for a run that a core's own tool measured.
pub(in crate::lab) fn is_of_tool(run: &Run) -> bool {
    matches!(source(run), Some(Source::Xenomai(_)))
}

/// The interrupt that the activations of a run wait for. Mercury's timers are those of Linux.
pub(in crate::lab) fn awaited(run: &Run) -> EventInterrupt {
    let core = run.platform_before.as_ref().and_then(|facts| facts.get(CORE_FACT));
    match source(run) {
        Some(Source::Interrupt(_)) => EventInterrupt::Line,
        Some(Source::Xenomai(_)) if core != Some(MERCURY) => EventInterrupt::CoreTimer,
        _ => EventInterrupt::Timer,
    }
}

/// True where a thread of the kernel reads the clock that ends a latency.
pub(super) fn ends_in_kernel(run: &Run) -> bool {
    matches!(source(run), Some(Source::Interrupt(line)) if line.task == TaskSide::Kernel)
}

fn source(run: &Run) -> Option<&Source> {
    run.plan.as_ref().map(|plan| &plan.source)
}

/// The readings that may end an activation.
pub(super) fn clocks_of(run: &Run, recording: &Recording) -> Vec<ClockReading> {
    let may_end = |reading: &&ClockReading| reading.in_user_mode != ends_in_kernel(run);
    recording.clocks.iter().filter(may_end).copied().collect()
}
