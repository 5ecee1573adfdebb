//! Task sets in a guest of the lab: plans go in, one run with every set's jobs comes out.

use crate::guest::{self, GuestError};
use prazo_core::time::Duration;
use prazo_lab::{GuestJob, GuestLook, Lab, Machine, Platform};
use prazo_probe::guest_request::AgentRequest;
use prazo_run::Run;
use prazo_run::jobs::SetPlan;
use prazo_sys::clock;
use std::path::Path;

/// Which sets shall be run in which guest.
#[derive(Clone, Debug)]
pub struct TaskSetsRequest<'a> {
    /// The platform.
    pub platform: Platform,
    /// The machine, which has as many processors as the sets are for.
    pub machine: Machine,
    /// The sets, one after the other in one boot.
    pub plans: Vec<SetPlan>,
    /// The machine's seed.
    pub seed: u64,
    /// The run file, which must not exist yet.
    pub file: &'a Path,
    /// The run's name.
    pub name: String,
    /// The command line that repeats it.
    pub command: String,
    /// How long the guest may take in wall time; `None` is five minutes and one for each second of the sets.
    pub limit: Option<Duration>,
}

/// Runs them, and gives the finished run back as it is in its file. After an error, no file is left.
/// `look` hears how far the guest is, and returns true to end it.
pub fn run(
    request: &TaskSetsRequest<'_>,
    lab: &Lab,
    look: &mut dyn FnMut(GuestLook) -> bool,
) -> Result<Run, GuestError> {
    let started_at_unix_ns = clock::unix_ns();
    let job = job(request)?;
    let brought = job.run(lab, look)?;
    let name = guest::Named { name: request.name.clone(), command: request.command.clone(), started_at_unix_ns };
    guest::kept(request.file, brought, &job.machine, name)
}

fn job(request: &TaskSetsRequest<'_>) -> Result<GuestJob, GuestError> {
    let seed = (request.seed & u64::from(u32::MAX)) as u32;
    let limit = request.limit.map(|limit| std::time::Duration::from_nanos(limit.as_ns()));
    Ok(GuestJob {
        machine: request.machine.clone().with_seed(seed),
        limit: limit.unwrap_or_else(|| usual_limit(&request.plans)),
        ..GuestJob::new(request.platform.clone(), AgentRequest::TaskSets(request.plans.clone()).to_json())?
    })
}

fn usual_limit(plans: &[SetPlan]) -> std::time::Duration {
    let length_ns: u64 = plans.iter().map(|plan| plan.length_ns).sum();
    std::time::Duration::from_secs(300) + 60 * std::time::Duration::from_nanos(length_ns)
}
