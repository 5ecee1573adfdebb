//! `prazo export`: a run file into another tool's format.

use crate::exit::{Exit, Failure};
use crate::out;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use prazo::export::{ExportFormat, ExportRequest, export};
use prazo::output;
use prazo_core::time::Duration;
use prazo_run::export::Format;
use std::path::PathBuf;

/// Convert a run file to another tool's format, or run files to a table of overheads
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo export run.prazo --format cyclictest-json > run.json
  prazo export run.prazo --format hgrm -o run.hgrm
  prazo export run.prazo --format junit --deadline 200us -o gate.xml
  prazo export watch.prazo --format perfetto -o worst.json
  prazo export 5.prazo 20.prazo --format overheads -o costs.toml
  prazo sched test tasks.toml --overheads costs.toml")]
pub(super) struct Args {
    /// Run file to convert; for the formats overheads and overheads-mean, one or several
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// Format to write; parquet and timeline-parquet need a prazo built with the feature parquet
    ///
    /// The format perfetto writes the events around the worst activations of a watch, as a trace that Perfetto opens.
    /// The formats overheads and overheads-mean write a table of the largest or the mean overheads, for --overheads of
    /// `prazo sched`.
    #[arg(long, short, value_name = "FORMAT", value_parser = formats(), required_unless_present = "json")]
    format: Option<ExportFormat>,
    /// File to write, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Deadline against which misses are counted [default: the run's own]
    #[arg(long, value_name = "TIME")]
    deadline: Option<Duration>,
    /// Number of tasks that ran, if a run file does not state it; for the formats overheads and overheads-mean
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    tasks: Option<u32>,
    /// Period of the kernel's tick, if a run file does not state it; for the formats overheads and overheads-mean
    #[arg(long, value_name = "TIME")]
    tick_period: Option<Duration>,
    /// Print JSON: the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

fn formats() -> impl TypedValueParser<Value = ExportFormat> {
    PossibleValuesParser::new(ExportFormat::names())
        .map(|word| word.parse().expect("each listed word is one of the type's"))
}

impl Args {
    /// Writes the export, whole or not at all.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        self.output.as_deref().map_or(Ok(()), output::free)?;
        let format = self.format.unwrap_or(ExportFormat::Run(Format::Json));
        let (deadline, tasks, tick_period) = (self.deadline, self.tasks, self.tick_period);
        let bytes = export(&ExportRequest { runs: self.runs, format, deadline, tasks, tick_period })?;
        match &self.output {
            Some(file) => output::write(file, &bytes)?,
            None => out::bytes(&bytes)?,
        }
        Ok(Exit::Pass)
    }
}
