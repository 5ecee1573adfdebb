//! Where a measured run goes, and how it is shown.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::{out, paper};
use prazo::measure::{InTurnRequest, Instrument, MeasureRequest, measure, measure_in_turn};
use prazo_verdict::Requirement;
use std::path::PathBuf;

/// Where a run goes and how it is shown.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct Outlet {
    /// Run file to write
    ///
    /// The default is prazo-results/PROBE-DATE.prazo.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one progress line instead of the live view
    #[arg(long, hide_short_help = true)]
    plain: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Outlet {
    /// Has one run measured into its file, shows it, and answers how it ended.
    pub(crate) fn measure(self, instrument: Instrument, requirement: Option<Requirement>) -> Result<Exit, Failure> {
        let request = MeasureRequest { instrument, requirement, file: self.output, command: command_line() };
        let answer = measure(&request, &mut Console::live(self.plain))?;
        if self.json {
            out::json(&answer.document())?;
        } else {
            paper::print(&answer.evidence)?;
            out::text_line(&format!("run file: {}", answer.file.display()))?;
        }
        Ok(answer.outcome().into())
    }

    /// Has several runs measured in turn, shows them together, and answers what the verdict over all is.
    pub(crate) fn measure_in_turn(
        self,
        instruments: Vec<(&'static str, Instrument)>,
        requirement: Option<Requirement>,
    ) -> Result<Exit, Failure> {
        let request = InTurnRequest { instruments, requirement, file: self.output, command: command_line() };
        let answer = measure_in_turn(&request, &mut Console::live(self.plain))?;
        if self.json {
            out::json(&answer.documents())?;
        } else {
            paper::print(&answer.evidence)?;
            for run in &answer.answers {
                out::text_line(&format!("run file: {}", run.file.display()))?;
            }
        }
        Ok(answer.outcome().into())
    }
}
