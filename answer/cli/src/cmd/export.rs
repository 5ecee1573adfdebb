//! `prazo export`: a run file into another tool's format.

use crate::exit::{Exit, Failure};
use crate::flags::one_of;
use crate::out;
use prazo::export::export;
use prazo::output;
use prazo_core::time::Duration;
use prazo_run::export::Format;
use std::path::PathBuf;

/// Convert a run file to another tool's format
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo export run.prazo --format cyclictest-json > run.json
  prazo export run.prazo --format hgrm -o run.hgrm
  prazo export run.prazo --format junit --deadline 200us -o gate.xml")]
pub(super) struct Args {
    /// Run file to convert
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Format to write; parquet and timeline-parquet need a prazo built with the feature parquet
    #[arg(long, short, value_name = "FORMAT", value_parser = one_of::<Format>(Format::NAMES),
        required_unless_present = "json")]
    format: Option<Format>,
    /// File to write, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Deadline against which misses are counted [default: the run's own]
    #[arg(long, value_name = "TIME")]
    deadline: Option<Duration>,
    /// Print JSON: the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Args {
    /// Writes the export, whole or not at all.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        self.output.as_deref().map_or(Ok(()), output::free)?;
        let bytes = export(&self.run, self.format.unwrap_or(Format::Json), self.deadline)?;
        match &self.output {
            Some(file) => output::write(file, &bytes)?,
            None => out::bytes(&bytes)?,
        }
        Ok(Exit::Pass)
    }
}
