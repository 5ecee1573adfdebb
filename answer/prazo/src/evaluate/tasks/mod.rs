//! Does this task set meet its deadlines on this machine, and under which scheduler?
//!
//! ```text
//! overheads and latency under load ─► schedulers this machine has ─► each judged ─► the roomiest ─► run under load ─► bound beside observed
//! ```

mod document;
mod judged;
mod latency;
mod machine;
mod observed;
mod scheduler;
mod text;

pub use document::{EvaluatedTasks, SchedulerRow};
pub use latency::Latency;

use crate::error::Error;
use crate::evaluate::request::EvaluateTasksRequest;
use crate::progress::{Progress, Remark};
use crate::sched::{CpuOrder, RunOptions, RunRequest, ScheduleFiles, SchedulerOptions, Stage, check_plain};
use crate::{files, output};
use document::Findings;
use judged::{Chosen, Judged};
use machine::MachineCosts;
use observed::Observed;
use prazo_deploy::partition::Ground;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_scenario::{Scenario, read, write};
use prazo_sim::Variation;
use scheduler::Scheduler;
use std::path::{Path, PathBuf};

/// Measures what this machine costs, judges the set under each scheduler that it has, and runs it under the roomiest.
///
/// # Errors
/// The scenario cannot be read or run, or no overhead could be traced. That the latency could not be measured, or the set could not
/// be run, is in the answer.
pub fn evaluate_tasks(request: &EvaluateTasksRequest, progress: &mut dyn Progress) -> Result<EvaluatedTasks, Error> {
    output::make_folder(&request.folder)?;
    let scenario = read::file(&request.scenario).map_err(Error::refused)?;
    check_plain(&scenario)?;
    let root = Root::system();
    let topology = Topology::read(&root).map_err(Error::failed)?;
    let ground = Ground::read(&root).map_err(Error::failed)?;
    let machine = MachineCosts::measured(&scenario, topology.allowed.count() as u32, request, progress)?;
    let (available, unavailable) = scheduler::of(&topology, &ground);
    let (judged, chosen) = judge_all(&scenario, available, &machine)?;
    let placed =
        chosen.as_ref().map(|chosen| place(&machine, &scenario, &judged, chosen, &request.folder)).transpose()?;
    let order = chosen.as_ref().map(|chosen| judged[chosen.index].scheduler.order());
    let observed = placed.as_deref().zip(order.clone()).map(|(file, order)| observe(file, order, request, progress));
    Ok(EvaluatedTasks::new(Findings {
        scenario: &scenario,
        judged: &judged,
        unavailable: &unavailable,
        chosen: chosen.as_ref(),
        placed: placed.as_deref(),
        order: order.filter(|order| !order.is_usual(&ground)),
        overheads: &request.folder,
        machine,
        observed,
    }))
}

/// Every scheduler judged, and the one to deploy; where there is none, each one's distance from the edge.
fn judge_all(
    scenario: &Scenario,
    schedulers: Vec<Scheduler>,
    machine: &MachineCosts,
) -> Result<(Vec<Judged>, Option<Chosen>), Error> {
    let judged = schedulers.into_iter().map(|scheduler| {
        let costs = machine.costs(scheduler.is_edf);
        judged::judge(scenario, scheduler, costs)
    });
    let mut judged = judged.collect::<Result<Vec<Judged>, Error>>()?;
    let chosen = judged::choose(&judged);
    if chosen.is_none() {
        let each = |one: &mut Judged| judged::find_edge(scenario, one, machine.costs(one.scheduler.is_edf));
        judged.iter_mut().try_for_each(each)?;
    }
    Ok((judged, chosen))
}

fn observe(
    file: &Path,
    cpus: CpuOrder,
    request: &EvaluateTasksRequest,
    progress: &mut dyn Progress,
) -> Result<Observed, Error> {
    progress.remark(&Remark::Text(format!("running the set for {} under load", request.duration)));
    let placed = RunRequest {
        tasks: file.to_owned().into(),
        options: RunOptions {
            scheduler: SchedulerOptions::default(),
            variation: Variation { seed: 1, ..Variation::default() },
            duration: request.duration,
            step: None,
            reserve: None,
            stage: Stage::Here { cpus: Some(cpus.0) },
            file: Some(request.folder.join("observed.prazo")),
            command: request.command.clone(),
        },
        schedule: ScheduleFiles { gantt: Some(request.folder.join("observed.html")), ..ScheduleFiles::default() },
    };
    observed::observe(&placed, &observed::usual_load(), 1, progress)
}

/// The scenario as it shall be deployed, as a file.
fn place(
    machine: &MachineCosts,
    scenario: &Scenario,
    judged: &[Judged],
    chosen: &Chosen,
    folder: &Path,
) -> Result<PathBuf, Error> {
    let one = &judged[chosen.index];
    let placed = judged::placed(scenario, one, machine.costs(one.scheduler.is_edf), chosen);
    let file = folder.join(format!("{}.{}.toml", files::name_of(Path::new(&scenario.name)), one.scheduler.name));
    output::replace(&file, write::toml(&placed))?;
    Ok(file)
}
