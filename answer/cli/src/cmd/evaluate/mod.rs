//! `prazo evaluate`: the built-in study of this machine, its verdict and its report.

pub(super) mod tasks;

use super::files;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::requirement::RequirementFlags;
use crate::out;
use crate::paper::{self, Form};
use prazo::evaluate::{DEADLINE, EvaluateRequest, evaluate};
use prazo_core::time::Duration;
use prazo_report::Evidence;
use std::path::{Path, PathBuf};

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
pub(super) struct Args {
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

impl Args {
    /// Checks, measures, judges, reports.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let default = || PathBuf::from(files::RESULTS).join(format!("evaluate-{}", files::stamp()));
        let folder = self.out.clone().unwrap_or_else(default);
        if let Some(file) = &self.tasks {
            files::make_folder(&folder)?;
            let (length, json) = (self.length, self.json);
            return tasks::run(&tasks::Asked { file, folder: &folder, length, json });
        }
        let (requirement, command) = (self.requirement.or(DEADLINE)?, super::command_line());
        let request = EvaluateRequest { requirement, folder, with_cost: self.cost, command };
        let evidence = evaluate(&request, &mut Console::live(self.plain))?;
        self.print(&evidence, &request.folder.join("report.html"))
    }

    fn print(&self, evidence: &Evidence, page: &Path) -> Result<Exit, Failure> {
        paper::write_own(evidence, page)?;
        if self.json {
            out::rendered(&paper::render(evidence, Form::Json)?)?;
        } else {
            paper::print(evidence)?;
        }
        let Some(verdict) = &evidence.verdict else {
            return Err(Failure::world(format!(
                "nothing could be measured, so there is no verdict; why is in {}",
                page.display()
            )));
        };
        out::note("");
        out::note(format_args!("verdict: {}", verdict.sentence));
        out::note(format_args!("report:  {}", page.display()));
        Ok(verdict.outcome.into())
    }
}
