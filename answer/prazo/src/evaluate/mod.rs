//! Will this machine make the deadline? Readiness, the built-in study of this machine, and a verdict over its runs.

mod durations;
mod penalties;
mod programs;
mod request;
pub mod tasks;

pub use request::{DEADLINE, EvaluateRequest, EvaluateTasksRequest, TASKS_DURATION};
pub use tasks::{EvaluatedTasks, evaluate_tasks};

use crate::error::Error;
use crate::progress::{Progress, Remark};
use crate::{evidence, files, study};
use prazo_platform::readiness::{self, CheckResult, Scenario};
use prazo_platform::root::Root;
use prazo_report::{Evidence, RunEvidence};
use prazo_run::plan::Policy;
use prazo_study::builtin;
use prazo_study::runner::Finished;

/// Checks, measures and judges. The evidence has no verdict where nothing could be measured.
pub fn evaluate(request: &EvaluateRequest, progress: &mut dyn Progress) -> Result<Evidence, Error> {
    files::make_folder(&request.folder)?;
    let stop = progress.stop().map_err(Error::failed)?;
    let here = study::here(None, Some(request.requirement.deadline))?;
    let mut study = builtin::find("evaluate").expect("the program carries it");
    progress.remark(&Remark::Text(durations::set(&mut study, &here, &request.requirement, request.duration)?));
    progress.remark(&Remark::Text("checking this machine's readiness".into()));
    let checks = readiness::check(&Root::system(), &Scenario { rt_cpus: Some(here.cpus), ..Scenario::default() });
    let finished = study::measure(&study, &here, &request.folder, &request.command, progress)?;
    for line in failures(&finished) {
        progress.remark(&Remark::Text(format!("not measured: {line}")));
    }
    let costs = request.with_cost.then(|| programs::costs(here.cpus, progress, || stop.is_set()));
    Ok(Evidence { costs: costs.into_iter().collect(), ..gather(&checks, finished, request) })
}

/// The report's evidence. The verdict rests on the fifo runs alone, the other cells being there for comparison; where fifo
/// could not be measured, it rests on whatever could.
fn gather(checks: &[CheckResult], finished: Finished, request: &EvaluateRequest) -> Evidence {
    let (requirement, claims) = (request.requirement, finished.result.claims.clone());
    let mut runs: Vec<RunEvidence> =
        finished.runs.into_values().flatten().map(|run| evidence::of_run(run, Some(requirement))).collect();
    mark_controls(&mut runs);
    let speaking: Vec<&RunEvidence> = runs.iter().filter(|run| !run.is_control).collect();
    let verdict = (!speaking.is_empty()).then(|| evidence::verdict(&speaking, checks, requirement));
    Evidence {
        title: "Will this machine make the deadline?".into(),
        verdict,
        readiness: checks.to_vec(),
        claims,
        command: request.command.clone(),
        made_at: files::made_at(),
        runs,
        ..Evidence::default()
    }
}

/// Cells without a run, with their reasons.
fn failures(finished: &Finished) -> Vec<String> {
    let without = finished.result.cells.iter().filter_map(|cell| Some((cell, cell.reason.as_ref()?)));
    without.map(|(cell, reason)| format!("{}: {reason}", cell.id)).collect()
}

fn mark_controls(runs: &mut [RunEvidence]) {
    let is_fifo = |evidence: &RunEvidence| {
        evidence.run.plan.as_ref().is_some_and(|plan| matches!(plan.policy, Policy::Fifo { .. }))
    };
    if runs.iter().any(is_fifo) {
        runs.iter_mut().for_each(|run| run.is_control = !is_fifo(run));
    }
}
