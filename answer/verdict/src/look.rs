//! One run as it is judged: its misses, its load, its extremes.

use crate::Requirement;
use crate::evidence;
use prazo_core::text::{Counted, counted};
use prazo_run::Run;
use prazo_stats::{MissRate, RunSummary, due_under_load, miss_rate};

/// One run as the judge sees it.
pub(crate) struct Look<'a> {
    pub run: &'a Run,
    pub misses: MissRate,
    pub is_loaded: bool,
    /// Due activations of the seconds that were under load; 0 where the run was not.
    pub due_loaded: u64,
    pub min_ns: Option<i64>,
    pub max_ns: Option<i64>,
}

impl<'a> Look<'a> {
    pub(crate) fn at(run: &'a Run, summary: &RunSummary, requirement: &Requirement) -> Self {
        let (min_ns, max_ns) = evidence::extremes(run, summary);
        let is_loaded = evidence::is_loaded(run);
        let due_loaded = if is_loaded { due_under_load(run) } else { 0 };
        Self { run, misses: miss_rate(run, requirement.deadline), is_loaded, due_loaded, min_ns, max_ns }
    }
}

/// A share as a percentage without rounding noise: 0.999 is `99.9`.
pub(crate) fn percent(share: f64) -> String {
    let text = format!("{:.7}", share * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `1 due activation`, `1,200 due activations`.
pub(crate) fn activations(count: u64) -> Counted<'static> {
    counted(count, "due activation")
}
