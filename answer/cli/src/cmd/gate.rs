//! `prazo gate`: a kernel held against a baseline in virtual machines, or the history of a folder of baselines.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure, for_bisect};
use crate::flags::gate::GateFlags;
use crate::out;
use prazo::study::gate::Instead;
use prazo::study::{StudyRequest, history, run};
use std::path::PathBuf;

/// Compare a kernel's latencies with a baseline, in virtual machines
///
/// Measures a study in the lab's virtual machines, and compares each figure with the baseline's. A figure moved if the values
/// of the two sides do not overlap and the gap exceeds their spread (docs/statistics.md). With --history, it measures nothing
/// and draws the figures of saved baselines instead.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo gate --save good.json                       save the figures of a kernel
  prazo gate --kernel bzImage --baseline good.json  compare another kernel with it
  prazo gate --kernel bzImage --baseline good.json --report gate.html
  prazo gate --kernel bzImage --baseline good.json --direction worse --bisect
  prazo gate --kernel bzImage --baseline good --explain -o new
  prazo gate --history baselines --report history.html

Exit status: 0 no figure moved in the direction of --direction, 1 at least one
did, 3 not decidable, 4 could not measure. Without --baseline, the study's
claims decide the exit status. With --history: 0 at least one figure was
tested, with or without changes, 3 no figure has enough baselines.")]
pub(super) struct Args {
    /// Study to measure: a built-in name or a TOML file
    #[arg(value_name = "STUDY", default_value = "gate")]
    study: String,
    #[command(flatten)]
    gate: GateFlags,
    #[command(flatten)]
    instead: Instead,
    /// Folder for the run files [default: prazo-results/STUDY]
    #[arg(long, short, value_name = "FOLDER", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Print one progress line instead of the live view
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    plain: bool,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Args {
    /// Measures, compares and answers.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if let Some(request) = self.gate.history(command_line()) {
            let answer = history::history(&request, &mut Console::live(self.plain))?;
            out::answer(self.json, &answer)?;
            return Ok(answer.outcome().into());
        }
        if self.gate.bisect { for_bisect(|| self.compare()) } else { self.compare() }
    }

    fn compare(&self) -> Result<Exit, Failure> {
        let request = StudyRequest {
            study: self.study.clone(),
            folder: self.output.clone(),
            instead: self.instead.clone(),
            gate: self.gate.options(),
            command: command_line(),
            ..StudyRequest::default()
        };
        let mut answer = run(&request, &mut Console::live(self.plain))?;
        let not_kept = answer.not_kept.take();
        let last = answer.gate_line();
        if self.json {
            out::json(&answer.finished.result)?;
            last.iter().for_each(out::note);
        } else {
            out::text(&answer.finished.result.to_string())?;
            last.iter().try_for_each(|line| out::text_line(line))?;
        }
        not_kept.map_or_else(|| Ok(answer.outcome()?.into()), |error| Err(error.into()))
    }
}
