//! `prazo compare`: two or more runs side by side.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::{out, text_report};
use prazo::report::{self, Form};
use std::path::PathBuf;

/// Compare runs
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo compare standard.prazo rt.prazo
  prazo compare standard.prazo rt.prazo --report kernels.html
  prazo compare before-*.prazo --with after-*.prazo     repeated runs

The reference is the first run, or all runs before --with.")]
pub(crate) struct Args {
    /// Run files; the first is the reference
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Runs to compare with the reference; all runs before --with are then repeats of the reference
    #[arg(long = "with", value_name = "RUN", num_args = 1..)]
    with: Vec<PathBuf>,
    #[arg(long, value_name = "FILE", help = format!("Also write a report: {}", Form::ENDINGS))]
    report: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Compares each other run with the first, or the two sides with each other.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let form = self.report.as_deref().map(Form::beside).transpose()?;
        let content = report::compare(&self.runs, &self.with, &command_line())?;
        if self.json {
            out::json(&content.comparisons)?;
        } else {
            text_report::print(&content)?;
        }
        if let (Some(file), Some(form)) = (&self.report, form) {
            report::write(&content, form, file, &mut Console::default())?;
        }
        Ok(Exit::Pass)
    }
}
