//! A microcontroller board that runs latmon measures this machine's answers from outside.

use super::target::Target;
use crate::error::Error;
use crate::progress::Progress;
use prazo_core::time::Duration;
use prazo_probe::latmon;
use prazo_probe::latmon::protocol::PORT;
use prazo_probe::session::RecordedRun;
use std::net::{SocketAddr, ToSocketAddrs};

/// What a board is to measure.
#[derive(Clone, Debug)]
pub struct LatmonRequest {
    /// Its address or name, and its port where it is another than 2306.
    pub board: String,
    /// Distance of two pulses, in whole microseconds up to a second.
    pub period: Duration,
    /// How long to measure.
    pub length: Duration,
    /// Cells of the histogram, of a microsecond each; at most 1000.
    pub cells: u32,
    /// A silence of the board longer than this is an error.
    pub connect_timeout: Duration,
}

impl LatmonRequest {
    pub(super) fn measure(&self, target: &Target<'_>, progress: &mut dyn Progress) -> Result<RecordedRun, Error> {
        let Self { period, length, cells, connect_timeout: patience, .. } = *self;
        let stop = progress.stop().map_err(Error::failed)?;
        let request = latmon::LatmonRequest { board: self.address()?, period, length, cells, patience };
        let run = latmon::measure(request, &stop).map_err(|error| Error::blaming(error.is_usage(), error))?;
        target.keep(run)
    }

    fn address(&self) -> Result<SocketAddr, Error> {
        let whole = self.board.to_socket_addrs().or_else(|_| (self.board.as_str(), PORT).to_socket_addrs());
        whole.ok().and_then(|mut addresses| addresses.next()).ok_or_else(|| {
            Error::refused(format!("this machine cannot resolve the address '{}'", self.board))
                .with_remedy("give an address such as 192.168.7.9")
        })
    }
}
