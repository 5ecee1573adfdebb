//! `prazo measure latmon`: a microcontroller board as the outside world.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::requirement::RequirementFlags;
use prazo::measure::{Instrument, LatmonRequest};
use prazo_core::time::Duration;
use prazo_run::defaults;

/// Measure this machine's responses with a microcontroller board that runs latmon
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure latmon 192.168.7.9               30 s at 1 kHz
  prazo measure latmon 192.168.7.9 -i 100us -D 10m --deadline 200us

The program that answers the board must run on this machine.")]
pub(crate) struct Latmon {
    /// Address or name of the board [default port: 2306]
    #[arg(value_name = "ADDRESS[:PORT]")]
    board: String,
    /// Period of the pulses, in whole µs, at most 1s
    #[arg(long, short = 'i', value_name = "TIME", default_value_t = defaults::PERIOD)]
    period: Duration,
    /// Duration of the measurement
    #[arg(long, short = 'D', value_name = "TIME", default_value_t = defaults::DURATION)]
    duration: Duration,
    /// Cells of the histogram, 1 µs each; at most 1000
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    cells: u32,
    /// Longest time to wait for data from the board
    #[arg(long, value_name = "TIME", default_value = "10s")]
    connect_timeout: Duration,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[command(flatten)]
    outlet: Outlet,
}

impl Latmon {
    /// Measures.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let Self { board, period, duration: length, cells, connect_timeout, .. } = self;
        let request = LatmonRequest { board, period, length, cells, connect_timeout };
        self.outlet.measure(Instrument::Latmon(request), requirement)
    }
}
