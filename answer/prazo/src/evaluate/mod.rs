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
use crate::report::{self, Form};
use crate::{dates, files, output, report_content, study};
use prazo_platform::co_kernel;
use prazo_platform::readiness::{self, CheckResult, Scenario};
use prazo_platform::root::Root;
use prazo_report::{ReportContent, RunEvidence};
use prazo_run::Plan;
use prazo_run::plan::Policy;
use prazo_run::source::Source;
use prazo_study::runner::Finished;
use prazo_study::{CellState, builtin};
use prazo_verdict::Verdict;
use std::path::{Path, PathBuf};

/// What an evaluation found.
#[derive(Debug)]
pub struct Evaluated {
    /// Checks, runs and verdict; without a verdict where nothing could be measured.
    pub content: ReportContent,
    /// The page that shows it.
    pub page: PathBuf,
}

impl Evaluated {
    /// The verdict.
    ///
    /// # Errors
    /// Nothing could be measured.
    pub fn verdict(&self) -> Result<&Verdict, Error> {
        self.content.verdict.as_ref().ok_or_else(|| {
            let page = self.page.display();
            Error::failed(format!("nothing could be measured, so there is no verdict; the reason is in {page}"))
        })
    }
}

/// A new folder among the results.
pub fn default_folder() -> PathBuf {
    Path::new(files::RESULTS).join(format!("evaluate-{}", dates::stamp()))
}

/// Checks, measures and judges, and writes the page into the folder.
///
/// # Errors
/// The machine cannot be looked at, or the folder not written.
pub fn evaluate(request: &EvaluateRequest, progress: &mut dyn Progress) -> Result<Evaluated, Error> {
    output::make_folder(&request.folder)?;
    let stop = progress.stop().map_err(Error::failed)?;
    let here = study::here(None, Some(request.requirement.deadline))?;
    let core = co_kernel::recognise(&Root::system());
    let mut study = builtin::evaluation(core.is_some_and(|core| core.is_beside_linux()));
    progress.remark(&Remark::Text(durations::set(&mut study, &here, &request.requirement, request.duration)?));
    progress.remark(&Remark::Text("checking this machine's readiness".into()));
    let checks = readiness::check(&Root::system(), &Scenario { rt_cpus: Some(here.cpus), ..Scenario::default() });
    let finished = study::measure(&study, &here, &request.folder, &request.command, progress)?;
    if !finished.result.complete && finished.runs.values().all(Vec::is_empty) {
        return Err(Error::Interrupted);
    }
    for line in failures(&finished) {
        progress.remark(&Remark::Text(format!("not measured: {line}")));
    }
    let costs = request.with_cost.then(|| programs::costs(here.cpus, progress, || stop.is_set()));
    let content = ReportContent { costs: costs.into_iter().collect(), ..gather(&checks, finished, request) };
    let page = request.folder.join("report.html");
    output::replace(&page, report::render(&content, Form::Html)?)?;
    Ok(Evaluated { content, page })
}

/// The report's evidence. The verdict rests on the fifo runs alone, the other cells being there for comparison; where fifo
/// could not be measured, it rests on whatever could. Beside a co-kernel it rests on the core's runs, and Linux's are there for
/// comparison.
fn gather(checks: &[CheckResult], finished: Finished, request: &EvaluateRequest) -> ReportContent {
    let (requirement, claims) = (request.requirement, finished.result.claims.clone());
    let mut runs: Vec<RunEvidence> =
        finished.runs.into_values().flatten().map(|run| report_content::of_run(run, Some(requirement))).collect();
    mark_controls(&mut runs);
    let speaking: Vec<&RunEvidence> = runs.iter().filter(|run| !run.is_control).collect();
    let verdict = (!speaking.is_empty()).then(|| report_content::verdict(&speaking, checks, requirement));
    ReportContent {
        title: "Will this machine make the deadline?".into(),
        verdict,
        readiness: checks.to_vec(),
        claims,
        command: request.command.clone(),
        made_at: dates::made_at(),
        runs,
        ..ReportContent::default()
    }
}

/// Cells that could not be measured, with their reasons.
fn failures(finished: &Finished) -> Vec<String> {
    let failed = finished.result.cells.iter().filter(|cell| cell.state == CellState::Failed);
    let without = failed.filter_map(|cell| Some((cell, cell.reason.as_ref()?)));
    without.map(|(cell, reason)| format!("{}: {reason}", cell.id)).collect()
}

fn mark_controls(runs: &mut [RunEvidence]) {
    type Speaks = fn(&Plan) -> bool;
    let of_core: Speaks = |plan| matches!(plan.source, Source::Xenomai(_));
    let is_fifo: Speaks = |plan| matches!(plan.policy, Policy::Fifo { .. });
    let any = |speaks: &Speaks, runs: &[RunEvidence]| runs.iter().any(|one| one.run.plan.as_ref().is_some_and(*speaks));
    if let Some(speaks) = [of_core, is_fifo].into_iter().find(|speaks| any(speaks, runs)) {
        runs.iter_mut().for_each(|one| one.is_control = !one.run.plan.as_ref().is_some_and(speaks));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::Run;
    use prazo_run::plan::Length;
    use prazo_run::source::{XenomaiContext, XenomaiSource};

    fn controls(plans: &[(Source, Policy)]) -> Vec<bool> {
        let length = Length::Activations { count: 1 };
        let run = |(source, policy): &(Source, Policy)| {
            let plan = Plan::new(source.clone(), *policy, Vec::new(), length);
            report_content::of_run(Run { plan: Some(plan), ..Run::default() }, None)
        };
        let mut runs: Vec<RunEvidence> = plans.iter().map(run).collect();
        mark_controls(&mut runs);
        runs.iter().map(|run| run.is_control).collect()
    }

    #[test]
    fn beside_a_co_kernel_the_core_s_runs_decide_and_linux_s_are_controls() {
        let fifo = Policy::Fifo { priority: 90 };
        let core = Source::Xenomai(XenomaiSource { tool: None, context: XenomaiContext::User });
        let linux = [(Source::Timer, fifo), (Source::Timer, Policy::Other)];
        assert_eq!(controls(&linux), [false, true]);
        assert_eq!(controls(&[linux[0].clone(), (core, fifo), linux[1].clone()]), [true, false, true]);
        assert_eq!(controls(&[(Source::Timer, Policy::Other)]), [false], "there is nothing better");
    }
}
