//! `prazo sched advise`: what would make a task set fit?

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::sched::QuestionFlags;
use crate::out;
use prazo::sched::{self, AdviseRequest};
use std::path::PathBuf;

/// Find the smallest changes that make a task set provable
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched advise scenarios/dhall-effect.toml --shape global
  prazo sched advise tasks.toml --shape rm -m 1 --tolerance 5
  prazo sched advise tasks.toml -o advice

Exit status: 0 the set is proven, or a change makes it provable; 3 no such change
was found.")]
pub(super) struct Args {
    /// Task set: TOML, CSV, or a file of rt-app, SchedCAT, SimSo, SAG, POET or rt-audit
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    question: QuestionFlags,
    /// Percentage by which a period may grow; 0 keeps all periods
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(..=1_000), help_heading = "Changes")]
    tolerance: u32,
    /// Write each changed set and its certificate to this folder
    #[arg(long, short, value_name = "FOLDER", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Args {
    /// Asks and prints.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let (options, method) = (self.question.scheduler()?, self.question.method());
        let request = AdviseRequest {
            tasks: self.file.into(),
            options,
            method,
            tolerance_percent: self.tolerance,
            folder: self.output,
        };
        let answer = sched::advise(&request, &mut Console::default())?;
        if self.json {
            out::json(&answer.document())?;
        } else {
            out::words(&answer)?;
        }
        Ok(answer.outcome().into())
    }
}
