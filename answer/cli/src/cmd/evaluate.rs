//! `prazo evaluate`: the built-in study of this machine, its verdict and its report.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::requirement::RequirementFlags;
use crate::{out, paper};
use prazo::evaluate::{DEADLINE, EvaluateRequest, EvaluateTasksRequest, TASKS_DURATION, evaluate, evaluate_tasks};
use prazo::report::{self, Form};
use prazo::{files, output};
use prazo_core::time::Duration;
use prazo_report::Evidence;
use std::path::{Path, PathBuf};

/// Evaluate this machine against a deadline: a verdict and a report
///
/// Checks the machine, and measures every scheduling policy without and with loads. An interrupted evaluation continues when the
/// same folder is given with -o; --cost is measured again.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo evaluate                                1 ms, firm, 99.9 %: 3 minutes
  prazo evaluate --deadline 200us --kind hard   as long as a hard deadline needs
  prazo evaluate --deadline 500us -D 10m -o board-7
  prazo evaluate --tasks examples/crane.toml    a scheduler for a task set

Exit status: 0 pass, 1 fail, 3 inconclusive, 4 could not measure.")]
pub(super) struct Args {
    #[command(flatten)]
    requirement: RequirementFlags,
    /// Duration of each run [default: as long as the requirement needs; 60s with --tasks]
    #[arg(long, short = 'D', value_name = "TIME", help_heading = "Requirement")]
    duration: Option<Duration>,
    /// Folder for the run files and the report [default: prazo-results/evaluate-DATE]
    #[arg(long, short, value_name = "FOLDER", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Evaluate this task set: measure overheads, judge each scheduler, run the best one under load
    #[arg(long, value_name = "SCENARIO", conflicts_with_all = ["deadline", "kind", "cost"], help_heading = "Subject")]
    tasks: Option<PathBuf>,
    /// Also measure the cost of five workloads, alone and next to a real-time task (90 s more)
    #[arg(long, help_heading = "Subject")]
    cost: bool,
    /// Print one progress line instead of the live view
    #[arg(long, help_heading = "Output")]
    plain: bool,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Args {
    /// Checks, measures, judges, reports.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let default = || PathBuf::from(files::RESULTS).join(format!("evaluate-{}", files::stamp()));
        let folder = self.output.clone().unwrap_or_else(default);
        if let Some(file) = &self.tasks {
            return self.tasks(file, folder);
        }
        let (requirement, command) = (self.requirement.or(DEADLINE)?, command_line());
        let request = EvaluateRequest { requirement, duration: self.duration, folder, with_cost: self.cost, command };
        let evidence = evaluate(&request, &mut Console::live(self.plain))?;
        self.print(&evidence, &request.folder.join("report.html"))
    }

    fn tasks(&self, scenario: &Path, folder: PathBuf) -> Result<Exit, Failure> {
        let (scenario, command) = (scenario.to_owned(), command_line());
        let duration = self.duration.unwrap_or(TASKS_DURATION);
        let request = EvaluateTasksRequest { scenario, folder, duration, command };
        let answer = evaluate_tasks(&request, &mut Console::live(self.plain))?;
        out::answer(self.json, &answer)?;
        Ok(answer.verdict.into())
    }

    fn print(&self, evidence: &Evidence, page: &Path) -> Result<Exit, Failure> {
        output::replace(page, report::render(evidence, Form::Html)?)?;
        if self.json {
            out::rendered(&report::render(evidence, Form::Json)?)?;
        } else {
            paper::print(evidence)?;
        }
        let Some(verdict) = &evidence.verdict else {
            return Err(Failure::world(format!(
                "nothing could be measured, so there is no verdict; the reason is in {}",
                page.display()
            )));
        };
        out::note("");
        out::note(format_args!("verdict: {}", verdict.sentence));
        out::note(format_args!("report:  {}", page.display()));
        Ok(verdict.outcome.into())
    }
}
