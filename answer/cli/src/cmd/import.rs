//! `prazo import`: other tools' outputs into run files.

use crate::exit::{self, Exit, Failure};
use crate::flags::one_of;
use crate::out;
use prazo::files;
use prazo::import::{ImportRequest, import};
use prazo_core::time::Duration;
use prazo_run::import::{Format, Options};
use std::path::PathBuf;

/// Convert other tools' output to run files
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo import examples/cyclictest.json -o runs
  prazo import --format rt-app rta-t0-0.log
  prazo import --hz 2400000000 trace_n=20_overhead=CXS.csv
  prazo import --period 1ms --duration 2h results-*.txt -o runs --json")]
pub(crate) struct Args {
    /// Files with the output of cyclictest, jitterdebugger, rtla, oslat, Xenomai's latency, latmus, rt-app or ft2csv
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Folder for the run files
    #[arg(long, short, value_name = "FOLDER", default_value = files::RESULTS)]
    output: PathBuf,
    /// Format of the files [default: detected from their content]
    #[arg(long, value_name = "FORMAT", value_parser = one_of::<Format>(Format::NAMES))]
    format: Option<Format>,
    /// Period of the activations, if the file does not state it; with --duration, skipped activations are counted
    #[arg(long, value_name = "TIME")]
    period: Option<Duration>,
    /// Time unit of the values, or width of the histogram's cells, if the file does not state it
    #[arg(long, value_name = "TIME")]
    resolution: Option<Duration>,
    /// Duration of the run, if the file does not state it
    #[arg(long, short = 'D', value_name = "TIME")]
    duration: Option<Duration>,
    /// Event of the overheads, such as RELEASE or CXS, if the file's name does not state it (feather-trace)
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Number of tasks that ran, if the file's name does not state it (feather-trace)
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    tasks: Option<u32>,
    /// Frequency of the counter whose cycles the file holds, in Hz (feather-trace)
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    hz: Option<u64>,
    /// Print JSON: an array of the imported runs
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Imports every file that can be imported, and names the others.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let Self { format, period, duration, resolution, event, tasks, hz, .. } = self;
        let options = Options { format, period, duration, resolution, event, tasks, hz, ..Options::default() };
        let request = ImportRequest { files: self.files, folder: self.output, options };
        let answer = import(&request)?;
        match (answer.imported.is_empty(), self.json) {
            (true, _) => {}
            (false, true) => out::json(&answer.imported)?,
            (false, false) => out::words(&answer)?,
        }
        answer.complete(|error| exit::warn(&error.into()))?;
        Ok(Exit::Pass)
    }
}
