//! Task sets from their plans to a run file: platform before, each set in turn, platform after.

use super::RanSet;
use super::caveats::{Observed, caveats};
use super::error::TasksError;
use crate::session::platform_before::PlatformBefore;
use prazo_core::time::Duration;
use prazo_engine::StopFlag;
use prazo_platform::fingerprint::capture;
use prazo_platform::root::Root;
use prazo_platform::tunable::TunableRecord;
use prazo_run::jobs::{SetPlan, SetRun};
use prazo_run::run::Ending;
use prazo_run::store::{self, StoreError};
use prazo_run::{Caveat, Run};
use prazo_sys::{clock, memory};
use std::path::Path;
use std::time::Instant;

/// What shall be run into which file.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The sets, one after the other.
    pub plans: Vec<SetPlan>,
    /// The run file, which must not exist yet.
    pub file: &'a Path,
    /// The run's name.
    pub name: String,
    /// The command line that repeats it.
    pub command: String,
}

/// Runs every set, and gives the run back as it is in its file. One set alone that is refused is an error; of several, each says
/// for itself why it was refused.
pub fn execute(request: &Request<'_>, root: &Root, stop: &StopFlag) -> Result<Run, TasksError> {
    if request.file.exists() {
        return Err(StoreError::Exists { path: request.file.to_owned() }.into());
    }
    let (around, begun, started_at_unix_ns) = (PlatformBefore::capture(root), Instant::now(), clock::unix_ns());
    let memory_locked = memory::lock_current().is_ok();
    memory::unlock_all();
    let RanSets { sets, tunables, changes } = sets(&request.plans, root, stop)?;
    let elapsed = begun.elapsed();
    let after = capture(root);
    let runtime_us = root.read("/proc/sys/kernel/sched_rt_runtime_us").ok().map(|text| text.trim().to_owned());
    let observed = Observed { sets: &sets, runtime_us, memory_locked };
    let drift = around.drift(&after, &changes);
    let found: Vec<Caveat> = changes.into_iter().chain(caveats(&observed)).chain(drift).collect();
    let run = Run {
        name: request.name.clone(),
        command: request.command.clone(),
        started_at_unix_ns,
        elapsed: Some(Duration::from(elapsed)),
        ending: if stop.is_set() { Ending::Interrupted } else { Ending::Complete },
        caveats: around.caveats.iter().cloned().chain(found).collect(),
        platform_before: Some(around.fingerprint),
        platform_after: Some(after),
        sets,
        tunables,
        ..Run::default()
    };
    store::save(&run, request.file)?;
    Ok(store::open(request.file)?)
}

/// All sets together.
#[derive(Default)]
struct RanSets {
    sets: Vec<SetRun>,
    tunables: Vec<TunableRecord>,
    changes: Vec<Caveat>,
}

fn sets(plans: &[SetPlan], root: &Root, stop: &StopFlag) -> Result<RanSets, TasksError> {
    let mut all = RanSets::default();
    for plan in plans.iter().take_while(|_| !stop.is_set()) {
        match super::run(plan, root, stop) {
            Ok(RanSet { set, tunables, changes }) => {
                all.sets.push(set);
                all.tunables.extend(tunables);
                let named = changes.into_iter().map(|caveat| of_set(caveat, plan, plans.len()));
                all.changes.extend(named);
            }
            Err(error) if plans.len() == 1 => return Err(error),
            Err(error) => all.sets.push(SetRun::refused(plan.clone(), error.to_string())),
        }
    }
    Ok(all)
}

/// Of several sets, each caveat names its own.
fn of_set(caveat: Caveat, plan: &SetPlan, sets: usize) -> Caveat {
    if sets == 1 {
        return caveat;
    }
    Caveat { what: format!("set '{}': {}", plan.name, caveat.what), ..caveat }
}
