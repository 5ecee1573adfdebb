//! `prazo view`: look at runs in the terminal.

use super::files;
use crate::exit::{Exit, Failure};
use crate::out;
use crate::paper::{self, Form};
use prazo::evidence;
use std::path::PathBuf;

/// Look at runs in the terminal.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo view run.prazo
  prazo view run.prazo | less")]
pub(super) struct Args {
    /// The runs
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Prints figures, histogram, loads and caveats.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let evidence = evidence::of_runs("", files::open_all(&self.runs)?, None, &super::command_line());
        if self.json {
            out::rendered(&paper::render(&evidence, Form::Json)?)?;
        } else {
            paper::print(&evidence)?;
        }
        Ok(Exit::Pass)
    }
}
