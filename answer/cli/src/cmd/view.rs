//! `prazo view`: look at runs in the terminal.

use crate::command_line::command_line;
use crate::exit::{Exit, Failure};
use crate::out;
use crate::paper;
use prazo::report::{self, Form};
use std::path::PathBuf;

/// Look at runs in the terminal.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo view run.prazo
  prazo view run.prazo | less")]
pub(crate) struct Args {
    /// The runs
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Prints figures, histogram, loads and caveats.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let evidence = report::of_files("", &self.runs, None, &command_line())?;
        if self.json {
            out::rendered(&report::render(&evidence, Form::Json)?)?;
        } else {
            paper::print(&evidence)?;
        }
        Ok(Exit::Pass)
    }
}
