//! `prazo sched experiment`: how many of many random task sets each scheduler is proven to serve.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::sched::{self, ExperimentRequest, ExportFile};
use std::path::PathBuf;

/// Measure acceptance ratios of generated task sets
///
/// Finished chunks are kept, so an interrupted experiment continues where it stopped.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched experiment epos-2013 --report figure7.html
  prazo sched experiment mine.toml --report points.csv --report curves.svg
  prazo sched experiment epos-2013 --show        existing results
  prazo sched experiment epos-2013 --chunk 52    one chunk, as JSON
  prazo sched experiment epos-2013 --scheduler tcp://host:8786

Exit status: 0 every claim holds, 1 a claim does not hold, 3 a claim is
undecidable, or chunks are missing.")]
pub(super) struct Args {
    /// Name of a built-in experiment, or a TOML file
    #[arg(value_name = "EXPERIMENT")]
    experiment: String,
    /// Folder for the chunks [default: prazo-results/EXPERIMENT]
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Number of computing threads [default: one for each processor]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Dask scheduler whose workers compute the chunks, such as tcp://host:8786
    ///
    /// With this option, prazo runs `python3` on this machine. That Python needs the package `prazo[dask]`; set
    /// PRAZO_PYTHON to use another Python.
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["show", "chunk", "threads"])]
    scheduler: Option<String>,
    /// Show existing results; compute nothing
    #[arg(long)]
    show: bool,
    /// Compute only this chunk and print it, without saving it
    #[arg(long, value_name = "N", conflicts_with_all = ["show", "report"])]
    chunk: Option<u64>,
    /// Also write the result to this file; its extension selects the format: .html, .svg (a file for each
    /// panel), .csv, .json or .parquet
    #[arg(long, value_name = "FILE")]
    report: Vec<ExportFile>,
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
            folder: self.output,
            threads: self.threads,
            scheduler: self.scheduler,
            show: self.show,
            reports: self.report,
            command: command_line(),
        };
        let result = sched::experiment(&request, &mut console)?;
        drop(console);
        out::answer(self.json, &result)?;
        Ok(sched::experiment_outcome(&result).into())
    }
}
