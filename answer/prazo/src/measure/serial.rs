//! Any kernel that can print: its stamps come over a serial line.

use super::target::Target;
use crate::error::Error;
use crate::progress::Progress;
use prazo_core::time::Duration;
use prazo_probe::session::RecordedRun;
use prazo_serial::{Board, EmulatedGuest, Place, Request};
use std::path::PathBuf;

/// Where a target's line is.
#[derive(Clone, Debug)]
pub struct SerialRequest {
    /// The device, or a file that has what one sent.
    pub device: Option<PathBuf>,
    /// Its rate.
    pub baud: u32,
    /// An image instead, the machine that QEMU emulates for it, and how long an instruction takes there: 2^shift ns.
    pub guest: Option<(PathBuf, String, u8)>,
    /// The longest time to wait for the target's end.
    pub limit: Duration,
}

impl SerialRequest {
    pub(super) fn measure(&self, target: &Target<'_>, progress: &mut dyn Progress) -> Result<RecordedRun, Error> {
        let stop = progress.stop().map_err(Error::failed)?;
        let request = Request { place: self.place()?, limit: self.limit };
        let measured = prazo_serial::measure(&request, &|| stop.is_set());
        target.keep(measured.map_err(|error| Error::blaming(error.is_usage(), error))?)
    }

    fn place(&self) -> Result<Place, Error> {
        match (&self.guest, &self.device) {
            (Some((image, machine, shift)), _) => {
                let board = Board::find(machine).map_err(Error::refused)?;
                Ok(Place::Guest(EmulatedGuest { image: image.clone(), board, shift: *shift }))
            }
            (None, Some(device)) => Ok(Place::Device(device.clone(), self.baud)),
            (None, None) => Err(Error::field("device", "no serial line to read was named")
                .with_remedy("give --device /dev/ttyUSB0, or --guest IMAGE with --machine NAME")),
        }
    }
}
