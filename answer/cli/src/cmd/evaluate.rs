//! `prazo evaluate`: the built-in study of this machine, its verdict and its report.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::requirement::RequirementFlags;
use crate::{out, text_report};
use prazo::evaluate::{self, DEADLINE, EvaluateRequest, EvaluateTasksRequest, TASKS_DURATION};
use prazo::report::{self, Form};
use prazo_core::time::Duration;
use std::path::PathBuf;

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
    /// Duration of each run [default: 15 to 60 s, longer if the requirement needs it; 60s with --tasks]
    ///
    /// By default, the runs that decide the verdict (fifo under load) last 60 s, or longer if the requirement needs
    /// more activations; the other runs last 15 to 30 s. With --tasks, this is the duration of the set's run under
    /// load.
    #[arg(long, short = 'D', value_name = "TIME", help_heading = "Requirement")]
    duration: Option<Duration>,
    /// Folder for the run files and the report [default: prazo-results/evaluate-DATE]
    #[arg(long, short, value_name = "FOLDER", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Evaluate this task set: measure overheads, judge each scheduler, run the set under the best scheduler with load
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
        let (folder, command) = (self.output.unwrap_or_else(evaluate::default_folder), command_line());
        if let Some(scenario) = self.tasks {
            let duration = self.duration.unwrap_or(TASKS_DURATION);
            let request = EvaluateTasksRequest { scenario, folder, duration, command };
            let answer = evaluate::evaluate_tasks(&request, &mut Console::live(self.plain))?;
            out::answer(self.json, &answer)?;
            return Ok(answer.verdict.into());
        }
        let requirement = self.requirement.or(DEADLINE)?;
        let request = EvaluateRequest { requirement, duration: self.duration, folder, with_cost: self.cost, command };
        let evaluated = evaluate::evaluate(&request, &mut Console::live(self.plain))?;
        match self.json {
            true => out::rendered(&report::render(&evaluated.content, Form::Json)?)?,
            false => text_report::print(&evaluated.content)?,
        }
        let verdict = evaluated.verdict()?;
        out::note("");
        // Its reasons stand above, where the text is.
        let said = if self.json { verdict.sentence.clone() } else { verdict.short() };
        out::note(format_args!("verdict: {said}"));
        out::note(format_args!("report:  {}", evaluated.page.display()));
        Ok(verdict.outcome.into())
    }
}
