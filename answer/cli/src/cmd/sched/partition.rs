//! `prazo sched partition`: where each task runs, by each packing heuristic.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::sched::QuestionFlags;
use crate::{out, text_report};
use prazo::sched::{self, PartitionRequest};
use prazo_verdict::Outcome;
use std::path::PathBuf;

/// Assign tasks to processors or clusters by packing heuristics
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched partition tasks.toml -m 4         one queue for each processor
  prazo sched partition tasks.toml --shape 2,2 --all-tests
  prazo sched partition tasks.csv --heuristics worst-fit,next-fit --order as-given

Exit status: 0 an assignment is proven, 1 no assignment exists, 3 no assignment
was found.")]
pub(super) struct Args {
    /// Task set: TOML, CSV, or a file of rt-app, SchedCAT, SimSo, SAG, POET or rt-audit
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    question: QuestionFlags,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Args {
    /// Packs and prints.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let (options, method) = (self.question.scheduler()?, self.question.method());
        let request = PartitionRequest { tasks: self.file.into(), options, method };
        let answer = sched::partition(&request, &mut Console::default())?;
        match self.json {
            true => out::json(&answer.document())?,
            false => text_report::print_schedulability(&answer.dossier())?,
        }
        Ok(Outcome::from(answer.verdict()).into())
    }
}
