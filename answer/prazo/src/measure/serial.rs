//! Any kernel that can print: its stamps come over a serial line.

use super::target::Target;
use crate::error::Error;
use crate::guest::lab_error;
use crate::progress::Progress;
use prazo_core::time::Duration;
use prazo_lab::{Architecture, Emulator, LabError, checksum_of_file};
use prazo_probe::session::RecordedRun;
use prazo_serial::{Board, BoardEmulator, EmulatedGuest, PROGRAM, Request, SerialSource};
use std::path::{Path, PathBuf};

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

    fn place(&self) -> Result<SerialSource, Error> {
        match (&self.guest, &self.device) {
            (Some((image, machine, shift)), _) => {
                let board = Board::find(machine).map_err(Error::refused)?;
                let emulator = emulator(image).map_err(lab_error)?;
                Ok(SerialSource::Guest(EmulatedGuest { image: image.clone(), board, shift: *shift, emulator }))
            }
            (None, Some(device)) => Ok(SerialSource::Device(device.clone(), self.baud)),
            (None, None) => Err(Error::field("device", "no serial line to read was named")
                .with_remedy("give --device /dev/ttyUSB0, or --guest IMAGE with --machine NAME")),
        }
    }
}

/// The lab's own emulator, or else the system's.
fn emulator(image: &Path) -> Result<BoardEmulator, LabError> {
    let found = match Emulator::find_for(Architecture::Armv7l) {
        // A damaged one is no reason to take another, whose boots may differ.
        Err(LabError::NotFetched { .. } | LabError::NoCache) => system_emulator(),
        found => found.map(Some),
    }?;
    let mut facts = vec![("image_sha256", checksum_of_file(image)?)];
    let Some(found) = found else {
        // Starting it fails, and says what to install.
        let (arguments, environment) = (Vec::new(), Vec::new());
        return Ok(BoardEmulator { program: PROGRAM.into(), arguments, environment, facts });
    };
    facts.extend([
        ("emulator", found.version().to_owned()),
        ("emulator_pinned", found.is_pinned().to_string()),
        ("emulator_sha256", found.checksum()?),
    ]);
    let command = found.start();
    let set = |(name, value): (&std::ffi::OsStr, Option<&std::ffi::OsStr>)| Some((name.to_owned(), value?.to_owned()));
    Ok(BoardEmulator {
        program: command.get_program().into(),
        arguments: command.get_args().map(ToOwned::to_owned).collect(),
        environment: command.get_envs().filter_map(set).collect(),
        facts,
    })
}

/// The one on the search path; `None` where there is none.
fn system_emulator() -> Result<Option<Emulator>, LabError> {
    prazo_platform::programs::find(PROGRAM).map(Emulator::given).transpose()
}
