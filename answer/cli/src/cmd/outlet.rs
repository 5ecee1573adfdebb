//! Where a measured run goes, and how it is shown.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::{out, text_report};
use prazo::measure::{
    InTurnRequest, Instrument, MeasureAnswer, MeasureRequest, OverheadsRequest, measure, measure_in_turn,
    measure_overheads,
};
use prazo_report::ReportContent;
use prazo_verdict::Requirement;
use serde::Serialize;
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
        let request = MeasureRequest { instrument, requirement, file: self.output.clone(), command: command_line() };
        let answer = measure(&request, &mut Console::live(self.plain))?;
        self.print(&answer.document(), &answer.content, std::slice::from_ref(&answer))?;
        Ok(answer.outcome().into())
    }

    /// Has several runs measured in turn, shows them together, and answers what the verdict over all is.
    pub(crate) fn measure_in_turn(
        self,
        instruments: Vec<(&'static str, Instrument)>,
        requirement: Option<Requirement>,
    ) -> Result<Exit, Failure> {
        let request = InTurnRequest { instruments, requirement, file: self.output.clone(), command: command_line() };
        let answer = measure_in_turn(&request, &mut Console::live(self.plain))?;
        self.print(&answer.documents(), &answer.content, &answer.answers)?;
        Ok(answer.outcome().into())
    }

    /// Has overheads measured by number of tasks, and shows the tables.
    pub(crate) fn measure_overheads(self, request: OverheadsRequest) -> Result<Exit, Failure> {
        let request = OverheadsRequest { folder: self.output, command: command_line(), ..request };
        let measured = measure_overheads(&request, &mut Console::live(self.plain))?;
        out::answer(self.json, &measured)?;
        Ok(Exit::Pass)
    }

    fn print(&self, document: &impl Serialize, content: &ReportContent, runs: &[MeasureAnswer]) -> Result<(), Failure> {
        if self.json {
            return out::json(document);
        }
        text_report::print(content)?;
        // The figures are above; on a small terminal, so is the head of the report.
        if let Some(verdict) = &content.verdict {
            out::text_line(&format!("verdict:  {}", verdict.sentence))?;
        }
        runs.iter().try_for_each(|run| out::text_line(&format!("run file: {}", run.file.display())))
    }
}
