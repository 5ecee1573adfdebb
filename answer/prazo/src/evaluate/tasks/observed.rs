//! The chosen scheduler, run for real under load: the set's threads in their clusters while generators disturb them.

use crate::error::Error;
use crate::progress::Progress;
use crate::sched::{self, RunRequest, RunSet};
use prazo_load::{self as load, Options};
use prazo_run::Caveat;
use prazo_run::defaults;
use prazo_run::plan::LoadPlan;
use prazo_run::run::LoadRecord;
use prazo_study::builtin;
use std::thread::sleep;

/// The set as it ran.
pub(super) struct Observed {
    /// What was seen of it.
    pub(super) set: RunSet,
    /// What disturbed it.
    pub(super) loads: Vec<LoadRecord>,
    /// What threatens the load's validity.
    pub(super) caveats: Vec<Caveat>,
}

/// Runs a set whose tasks are placed already under `loads`.
pub(super) fn observe(
    placed: &RunRequest,
    loads: &[LoadPlan],
    seed: u64,
    progress: &mut dyn Progress,
) -> Result<Observed, Error> {
    let run = || Ok(sched::run(placed, progress)?.document);
    let (set, loads, caveats) = under(loads, seed, run)?;
    Ok(Observed { set, loads, caveats })
}

/// Does something while `loads` run, and reports what they reached and what threatens their validity.
pub(super) fn under<T>(
    loads: &[LoadPlan],
    seed: u64,
    measure: impl FnOnce() -> Result<T, Error>,
) -> Result<(T, Vec<LoadRecord>, Vec<Caveat>), Error> {
    if loads.is_empty() {
        return Ok((measure()?, Vec::new(), Vec::new()));
    }
    let running = load::start(loads, seed, &Options::default())?;
    sleep(std::time::Duration::from_nanos(defaults::LEAD_IN.as_ns()));
    let measured = measure();
    let (loads, caveats) = running.stop();
    Ok((measured?, loads, caveats))
}

/// The load under which `prazo evaluate` measures latencies.
pub(super) fn usual_load() -> Vec<LoadPlan> {
    let study = builtin::find("evaluate").expect("the program carries it");
    let loaded = study.loads.iter().find(|load| load.id.get_ref() == "loaded");
    loaded.map(|load| load.plans()).unwrap_or_default()
}
