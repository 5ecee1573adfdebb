//! `prazo evaluate`: the built-in study of this machine, its verdict and its report.

mod cost;
mod price;
pub(super) mod tasks;

use super::{files, study};
use crate::exit::{Exit, Failure};
use crate::flags::requirement::RequirementFlags;
use crate::paper::{self, Form};
use crate::{evidence, out};
use prazo_core::time::Duration;
use prazo_platform::readiness::{self, CheckResult, Scenario};
use prazo_platform::root::Root;
use prazo_probe::StopFlag;
use prazo_report::{Evidence, RunEvidence};
use prazo_run::plan::Policy;
use prazo_study::builtin;
use prazo_study::runner::Finished;
use prazo_verdict::Requirement;
use std::path::PathBuf;

/// Readiness, latency with and without load, a verdict and an HTML report.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo evaluate                                   1 ms, firm, 99.9 %
  prazo evaluate --deadline 200us --kind hard
  prazo evaluate -o board-7 --json
  prazo evaluate --tasks scenarios/robot.toml      a task set: which shape to deploy here, and whether it holds
  prazo evaluate --cost                            and what a real-time task costs the other programs

Measures for about three minutes: every scheduling policy, without and with loads. Interrupted, it goes on from
there when the same -o is given again; what --cost adds is measured anew.")]
pub struct Args {
    #[command(flatten)]
    requirement: RequirementFlags,
    /// Folder for the run files and the report [default: prazo-results/evaluate-DATE]
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Evaluate this task set instead: overheads measured, each way of sharing the processors judged, the best run under load
    #[arg(long, value_name = "SCENARIO", conflicts_with_all = ["deadline", "kind", "cost"])]
    tasks: Option<PathBuf>,
    /// How long that set runs under load; no step before takes longer
    #[arg(long, value_name = "TIME", default_value = "60s", requires = "tasks")]
    length: Duration,
    /// Also cost five workloads alone and beside a real-time task, a minute and a half more
    #[arg(long)]
    cost: bool,
    /// One progress line instead of the live view
    #[arg(long)]
    plain: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Judged where the user names no deadline.
const DEADLINE: Duration = Duration::from_ms(1);

impl Args {
    /// Checks, measures, judges, reports.
    pub fn run(self) -> Result<Exit, Failure> {
        let folder = self
            .out
            .clone()
            .unwrap_or_else(|| PathBuf::from(files::RESULTS).join(format!("evaluate-{}", files::stamp())));
        files::make_folder(&folder)?;
        if let Some(file) = &self.tasks {
            let (length, json) = (self.length, self.json);
            return tasks::run(&tasks::Asked { file, folder: &folder, length, json });
        }
        let requirement = self.requirement.or(DEADLINE)?;
        let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
        let here = study::here(None, Some(requirement.deadline))?;
        eprintln!("checking this machine's readiness");
        let checks = readiness::check(&Root::system(), &Scenario { rt_cpus: Some(here.cpus), ..Scenario::default() });
        let study = builtin::find("evaluate").expect("the program carries it");
        let finished = study::run(&study, &here, &folder, self.plain, stop)?;
        failures(&finished).iter().for_each(|line| eprintln!("not measured: {line}"));
        let costs = self.cost.then(|| cost::costs(here.cpus, || stop.is_set()));
        let evidence = Evidence { costs: costs.into_iter().collect(), ..gather(&checks, finished, requirement) };
        self.tell(&evidence, &folder)
    }

    fn tell(&self, evidence: &Evidence, folder: &std::path::Path) -> Result<Exit, Failure> {
        let page = folder.join("report.html");
        paper::write(evidence, Form::Html, &page)?;
        if self.json {
            out::text_line(&paper::render(evidence, Form::Json)?)?;
        } else {
            paper::print(evidence)?;
        }
        let Some(verdict) = &evidence.verdict else {
            return Err(Failure::world(format!(
                "nothing could be measured, so there is no verdict; why is in {}",
                page.display()
            )));
        };
        eprintln!("\nverdict: {}\nreport:  {}", verdict.sentence, page.display());
        Ok(verdict.outcome.into())
    }
}

/// The report's evidence. The verdict rests on the fifo runs alone, the other cells being there for comparison; where fifo
/// could not be measured, it rests on whatever could.
fn gather(checks: &[CheckResult], finished: Finished, requirement: Requirement) -> Evidence {
    let claims = finished.result.claims.clone();
    let runs: Vec<RunEvidence> =
        finished.runs.into_values().flatten().map(|run| evidence::of_run(run, Some(requirement))).collect();
    let speaking = speaking(&runs);
    let verdict = (!speaking.is_empty()).then(|| evidence::verdict(&speaking, checks, requirement));
    Evidence {
        title: "Will this machine make the deadline?".into(),
        verdict,
        readiness: checks.iter().map(evidence::readiness_row).collect(),
        claims,
        command: super::command_line(),
        made_at: evidence::made_at(),
        runs,
        ..Evidence::default()
    }
}

/// Cells without a run, with their reasons.
fn failures(finished: &Finished) -> Vec<String> {
    let without = finished.result.cells.iter().filter_map(|cell| Some((cell, cell.reason.as_ref()?)));
    without.map(|(cell, reason)| format!("{}: {reason}", cell.id)).collect()
}

fn speaking(runs: &[RunEvidence]) -> Vec<&RunEvidence> {
    let is_fifo = |evidence: &&RunEvidence| {
        evidence.run.plan.as_ref().is_some_and(|plan| matches!(plan.policy, Policy::Fifo { .. }))
    };
    let fifo: Vec<_> = runs.iter().filter(is_fifo).collect();
    if fifo.is_empty() { runs.iter().collect() } else { fifo }
}
