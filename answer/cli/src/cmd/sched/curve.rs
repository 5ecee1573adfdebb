//! `prazo sched curve`: the arrival curve that a run's activations keep to, as a task set states it.

use crate::exit::{Exit, Failure};
use crate::out;
use prazo::sched::{self, CurveRequest, ObservedCurve};
use prazo_core::text::{counted, printable};
use prazo_core::time::Duration;
use std::path::PathBuf;

/// Extract observed arrival curves from a run file
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo watch --comm packets --duration 60s -o packets.prazo
  prazo sched curve packets.prazo

The curve is observed, not a bound: another run may be denser.")]
pub(super) struct Args {
    /// Run of `prazo watch`, or one measured with --raw
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Reads and prints.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let found = sched::curve(&CurveRequest { run: self.run })?;
        if self.json {
            out::json(&found)?;
        } else {
            found.curves.iter().try_for_each(print)?;
            out::text_line("Observed, not a bound: another run may be denser.")?;
        }
        Ok(Exit::Pass)
    }
}

fn print(curve: &ObservedCurve) -> Result<(), Failure> {
    out::text_line(&format!(
        "{}: {} in {}",
        printable(&curve.name),
        counted(curve.activations, "activation"),
        Duration::from_ns(curve.observed_ns)
    ))?;
    match &curve.arrivals {
        Some(arrivals) => out::text_line(&format!("arrivals = \"{arrivals}\""))?,
        None => out::text_line("No step: too few activations, or more than 64 at the same instant.")?,
    }
    match curve.not_seen {
        0 => Ok(()),
        not_seen => out::text_line(&format!(
            "{} not seen or not kept; the true curve may be denser.",
            counted(not_seen, "activation")
        )),
    }
}
