//! Task sets run as threads under Linux's own schedulers: EDF by SCHED_DEADLINE, fixed priorities by SCHED_FIFO.
//!
//! ```text
//! set plan ─► check ─► place (who shares processors) ─► a thread a task: sleep until the release, work, note ─► jobs, stretches
//! ```
//! All threads count from one instant of CLOCK_MONOTONIC. Work is processor time of the thread itself (CLOCK_THREAD_CPUTIME_ID), the
//! kernel's own account from which it charges budgets; the thread looks at it between small steps, and so notices when it was
//! preempted or moved, without any privilege. What a job notes goes into memory that was there before the start.

mod attributes;
mod caveats;
mod check;
mod cluster_placement;
mod crew;
mod error;
mod locks;
mod log;
mod refusal;
mod reserved;
mod session;
mod work;
mod worker;

pub use error::TasksError;
pub use session::{Request, execute};

use cluster_placement::ClusterPlacement;
use prazo_engine::StopFlag;
use prazo_platform::root::Root;
use prazo_platform::tunable::TunableRecord;
use prazo_run::Caveat;
use prazo_run::jobs::{SetPlan, SetRun};
use prazo_sys::scheduling;

/// One set that was run.
#[derive(Clone, Debug)]
pub struct RanSet {
    /// What its tasks did.
    pub set: SetRun,
    /// What was changed on the system for it.
    pub tunables: Vec<TunableRecord>,
    /// What others and the machine did meanwhile to its threads and processors.
    pub changes: Vec<Caveat>,
}

/// Runs one set, up to its end or the user's wish to stop.
pub fn run(plan: &SetPlan, root: &Root, stop: &StopFlag) -> Result<RanSet, TasksError> {
    let usable = scheduling::usable_cpus()
        .map_err(|source| TasksError::system("reading the list of usable processors", source))?;
    check::check(plan, &usable)?;
    let place = ClusterPlacement::make(plan, root, &usable)?;
    let outcome = crew::run(plan, &place, stop);
    reserved::wait(plan, stop);
    let tunables = place.release(&usable);
    let (set, changes) = outcome?;
    Ok(RanSet { set, tunables, changes })
}
