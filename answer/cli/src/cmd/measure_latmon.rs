//! `prazo measure latmon`: a microcontroller board as the outside world.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::requirement::RequirementFlags;
use prazo::measure::{Instrument, LatmonRequest};
use prazo_core::time::Duration;

/// A microcontroller board that runs latmon measures this machine's answers from outside.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure latmon 192.168.7.9                   30 s at 1 kHz; the program that answers must run
  prazo measure latmon 192.168.7.9 -i 100us -D 10m --deadline 200us")]
pub(crate) struct Latmon {
    /// The board: its address or name, and its port where it is another than 2306
    #[arg(value_name = "ADDRESS[:PORT]")]
    board: String,
    /// Distance of two pulses, in whole microseconds up to 1s
    #[arg(long, short = 'i', value_name = "TIME", default_value = "1ms")]
    period: Duration,
    /// How long to measure
    #[arg(long, short = 'D', value_name = "TIME", default_value = "30s")]
    duration: Duration,
    /// Cells of the histogram, of a microsecond each; at most 1000
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    cells: u32,
    /// A silence of the board longer than this is an error
    #[arg(long, value_name = "TIME", default_value = "10s")]
    patience: Duration,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[command(flatten)]
    outlet: Outlet,
}

impl Latmon {
    /// Measures.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let Self { board, period, duration: length, cells, patience, .. } = self;
        let request = LatmonRequest { board, period, length, cells, patience };
        self.outlet.measure(Instrument::Latmon(request), requirement)
    }
}
