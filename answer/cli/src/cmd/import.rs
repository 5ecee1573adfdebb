//! `prazo import`: other tools' outputs into run files.

use crate::exit::{self, Exit, Failure};
use crate::flags::one_of;
use crate::{out, paper};
use prazo::files;
use prazo::import::{ImportRequest, Imported, import};
use prazo_core::text::{counted, grouped};
use prazo_core::time::Duration;
use prazo_report::terminal::Side;
use prazo_report::view::Cell;
use prazo_run::import::{Format, Options};
use std::path::PathBuf;

/// Convert other tools' output to run files
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo import examples/cyclictest.json -o runs
  prazo import --format rt-app rta-t0-0.log
  prazo import --period 1ms --duration 2h results-*.txt -o runs --json")]
pub(crate) struct Args {
    /// Output of cyclictest, jitterdebugger, rtla, oslat, Xenomai's latency, latmus or rt-app
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Folder for the run files
    #[arg(long, short, value_name = "FOLDER", default_value = files::RESULTS)]
    output: PathBuf,
    /// Format of the files [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = one_of::<Format>(Format::NAMES))]
    format: Option<Format>,
    /// Period, if the file does not state it; with --duration the skipped activations are counted
    #[arg(long, value_name = "TIME")]
    period: Option<Duration>,
    /// Unit of the values or width of the cells, if the file does not state it
    #[arg(long, value_name = "TIME")]
    resolution: Option<Duration>,
    /// Duration of the run, if the file does not state it
    #[arg(long, short = 'D', value_name = "TIME")]
    duration: Option<Duration>,
    /// Print JSON: an array of the imported runs
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Imports every file that can be imported, and names the others.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let Self { format, period, duration, resolution, .. } = self;
        let options = Options { format, period, duration, resolution, ..Options::default() };
        let request = ImportRequest { files: self.files, folder: self.output, options };
        let mut answer = import(&request)?;
        match (answer.imported.is_empty(), self.json) {
            (true, _) => {}
            (false, true) => out::json(&answer.imported)?,
            (false, false) => print_table(&answer.imported)?,
        }
        match (answer.refused.len(), request.files.len()) {
            (0, _) => Ok(Exit::Pass),
            (1, _) => Err(answer.refused.remove(0).into()),
            (bad, all) => {
                answer.refused.into_iter().for_each(|error| exit::warn(&error.into()));
                Err(Failure::world(format!("{bad} of {} not imported", counted(all as u64, "file"))))
            }
        }
    }
}

fn print_table(imported: &[Imported]) -> Result<(), Failure> {
    let us = |ns: Option<f64>| Cell::from(ns.map_or_else(|| "-".to_owned(), prazo_verdict::claim::figures::us));
    let whole = |count: u64| Cell::from(grouped(count).to_string());
    let row = |row: &Imported| {
        vec![
            row.run.as_str().into(),
            whole(row.count),
            us(row.min_ns.map(|ns| ns as f64)),
            us(row.mean_ns),
            us(row.stated_mean_ns),
            us(row.max_ns.map(|ns| ns as f64)),
            whole(row.overflow),
            whole(row.caveats.len() as u64),
        ]
    };
    let names = ["run", "count", "min µs", "mean µs", "(file's)", "max µs", "overflow", "caveats"];
    let sides = [Side::Left, Side::Right, Side::Right, Side::Right, Side::Right, Side::Right, Side::Right, Side::Right];
    paper::table(&sides, &names, imported.iter().map(row))
}
