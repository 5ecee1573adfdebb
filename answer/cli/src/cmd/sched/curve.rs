//! `prazo sched curve`: the arrival curve that a run's activations keep to, as a task set states it.

use crate::exit::{Exit, Failure};
use crate::out;
use prazo::sched::{self, CurveRequest};
use std::path::PathBuf;

/// Extract observed arrival curves from a run file
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo watch --comm packets --duration 60s -o packets.prazo
  prazo sched curve packets.prazo

The curve is observed and not a bound: activations may be denser in another run.")]
pub(super) struct Args {
    /// Run file of `prazo watch`, or of a measurement with --raw
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Reads and prints.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        out::answer(self.json, &sched::curve(&CurveRequest { run: self.run })?)?;
        Ok(Exit::Pass)
    }
}
