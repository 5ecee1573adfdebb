//! `prazo measure latmon`: a microcontroller board as the outside world.

use super::files;
use super::measure::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::requirement::RequirementFlags;
use prazo_core::time::Duration;
use prazo_probe::StopFlag;
use prazo_probe::latmon::protocol::PORT;
use prazo_probe::latmon::{self, LatmonRequest};
use prazo_probe::session::RecordedRun;
use prazo_run::{Run, store};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;

/// A microcontroller board that runs latmon measures this machine's answers from outside.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure latmon 192.168.7.9                   30 s at 1 kHz; the program that answers must run
  prazo measure latmon 192.168.7.9 -i 100us -D 10m --deadline 200us")]
pub(super) struct Latmon {
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
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        self.outlet.finish("latmon", requirement, |file| self.measure(file))
    }

    fn measure(&self, file: &Path) -> Result<RecordedRun, Failure> {
        let Self { period, duration: length, cells, patience, .. } = *self;
        let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
        let asked = LatmonRequest { board: self.address()?, period, length, cells, patience };
        let measured = latmon::measure(asked, stop);
        let run =
            measured.map_err(|error| if error.is_usage() { Failure::usage(error) } else { Failure::world(error) })?;
        keep(run, file)
    }

    fn address(&self) -> Result<SocketAddr, Failure> {
        let whole = self.board.to_socket_addrs().or_else(|_| (self.board.as_str(), PORT).to_socket_addrs());
        let found = whole.ok().and_then(|mut addresses| addresses.next());
        found.ok_or_else(|| {
            Failure::usage(format!("'{}' is no address that this machine knows; give one as 192.168.7.9", self.board))
        })
    }
}

/// Writes a run that another measured into its file.
pub(super) fn keep(run: Run, file: &Path) -> Result<RecordedRun, Failure> {
    let run = Run { name: files::name_of(file), command: super::command_line(), ..run };
    files::make_parent(file)?;
    store::save(&run, file).map_err(Failure::world)?;
    Ok(RecordedRun { run: files::open(file)?, file: file.to_owned() })
}
