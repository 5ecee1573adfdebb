//! What a verdict rests on: runs with their summaries, what the platform's check found, and the requirement.

use crate::Requirement;
use prazo_run::plan::Policy;
use prazo_run::run::{Ending, Origin, Quantity};
use prazo_run::{Run, Severity};
use prazo_stats::{Per, RunSummary, principal_quantity};

/// What a verdict rests on.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The runs that speak for the requirement, with their summaries. Every one of them is judged: leave out those that were
    /// measured for comparison only, such as a run under `other` beside one under `fifo`.
    pub runs: &'a [(&'a Run, &'a RunSummary)],
    /// What the check of the platform found.
    pub findings: &'a [Finding],
    /// The requirement.
    pub requirement: Requirement,
}

/// A finding of the platform's check, as far as a verdict needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its stable name.
    pub id: String,
    /// Its severity.
    pub severity: Severity,
    /// What was found and what is wanted: one sentence.
    pub text: String,
}

/// True where the run was disturbed on purpose, or ran beside the user's own application, and that did something.
pub(crate) fn is_loaded(run: &Run) -> bool {
    let measured = run.origin == Origin::Measured;
    run.loads.iter().any(|load| {
        let was_on = load.on_s.iter().any(|(from, to)| to > from && *to > 0.0);
        load.reached.is_none_or(|reached| reached > 0.0) && (was_on || (!measured && load.on_s.is_empty()))
    })
}

/// True where the run's policy is known to be a real-time one, false where it is known not to be.
pub(crate) fn is_real_time(run: &Run) -> Option<bool> {
    let of_plan = run.plan.as_ref().map(|plan| plan.policy != Policy::Other);
    // A kernel behind a serial line says it itself.
    of_plan.or_else(|| run.platform_before.as_ref()?.get("serial.policy").map(|policy| policy != "other"))
}

/// True where the run ended before it could finish its records.
pub(crate) fn died(run: &Run) -> bool {
    run.ending == Ending::Died
}

/// True where the samples go all the way from due, or from another thread's call, to running, or further; a part of that way cannot show that a deadline is met.
pub(crate) fn covers_the_response(run: &Run) -> bool {
    use Quantity as Q;
    let whole = |quantity| matches!(quantity, Q::ResponseTime | Q::ResponseLatency | Q::ReturnToUser | Q::WakeToTask);
    principal_quantity(run).is_some_and(whole)
}

/// True where the samples are gaps in a busy loop: no thread waits there, so that nothing is due.
pub(crate) fn is_noise(run: &Run) -> bool {
    principal_quantity(run) == Some(Quantity::Noise)
}

/// Smallest and largest latency served by any processor.
pub(crate) fn extremes(run: &Run, summary: &RunSummary) -> (Option<i64>, Option<i64>) {
    let quantity = principal_quantity(run);
    let all = summary
        .summaries
        .iter()
        .find(|one| one.is_of_all() && Some(one.quantity) == quantity && one.per == Per::ServedWakeUp);
    all.map_or((None, None), |all| (all.min_ns, all.max_ns))
}

/// The coarsest resolution of the run's series, in nanoseconds.
pub(crate) fn resolution_ns(run: &Run) -> u64 {
    run.series.iter().map(|series| series.resolution.as_ns()).max().unwrap_or(0)
}
