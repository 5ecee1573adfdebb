//! `prazo sched experiment`: how many of many random task sets each scheduler is proven to serve.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::sched::{self, ExperimentRequest, ExportFile};
use std::path::PathBuf;

/// Acceptance ratios of generated task sets
///
/// Chunks are kept as they are won: an interrupted experiment goes on where it stopped. Exit status: 0 every claim held,
/// 1 one did not, 3 one could not be decided.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched experiment epos-2013 --write figure7.html
  prazo sched experiment mine.toml --write points.csv --write result.json --write curves.svg
  prazo sched experiment epos-2013 --show           what is there already
  prazo sched experiment epos-2013 --chunk 52       one chunk, made alone, as JSON")]
pub(super) struct Args {
    /// A built-in experiment's name, or a TOML file
    #[arg(value_name = "EXPERIMENT")]
    experiment: String,
    /// Folder for the chunks [default: prazo-results/EXPERIMENT]
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Threads [default: one for each processor]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Make nothing: show what is there
    #[arg(long)]
    show: bool,
    /// Make one chunk alone and print it; nothing is kept
    #[arg(long, value_name = "N", conflicts_with_all = ["show", "write"])]
    chunk: Option<u64>,
    /// Also write FILE; its ending chooses the form: .html, .svg (one file a panel), .csv, .json or .parquet
    #[arg(long, short, value_name = "FILE")]
    write: Vec<ExportFile>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Runs, resumes or shows the experiment.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let mut console = Console::default();
        if let Some(number) = self.chunk {
            out::json(&sched::experiment_chunk(&self.experiment, number, &mut console)?)?;
            return Ok(Exit::Pass);
        }
        let request = ExperimentRequest {
            experiment: self.experiment,
            folder: self.out,
            threads: self.threads,
            show: self.show,
            write: self.write,
            command: crate::cmd::command_line(),
        };
        let result = sched::experiment(&request, &mut console)?;
        drop(console);
        match self.json {
            true => out::json(&result)?,
            false => out::text(&result.to_string())?,
        }
        Ok(sched::experiment_outcome(&result).into())
    }
}
