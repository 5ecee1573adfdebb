//! `prazo sched partition`: where each task runs, by each packing heuristic.

use super::exit_of;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::sched::QuestionFlags;
use crate::{out, paper};
use prazo::sched::{self, PartitionRequest};
use std::path::PathBuf;

/// Where each task runs.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched partition tasks.toml -m 4                        one queue a processor
  prazo sched partition tasks.toml --clusters 2,2 --all-tests  two clusters, every heuristic
  prazo sched partition tasks.csv --heuristics worst-fit,next-fit --order as-given

Exit status: 0 a packing is proven, 1 there is none, 3 none was found.")]
pub(super) struct Args {
    /// A task set: TOML, CSV, or rt-app's JSON
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    question: QuestionFlags,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Packs and prints.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let (options, method) = (self.question.scheduler(), self.question.method());
        let request = PartitionRequest { tasks: self.file.into(), options, method };
        let answer = sched::partition(&request, &mut Console::default())?;
        match self.json {
            true => out::json(&answer.document())?,
            false => paper::print_schedulability(&answer.dossier())?,
        }
        Ok(exit_of(answer.verdict()))
    }
}
