//! A serial device as a stream of bytes.

use rustix::termios::{OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a serial device for reading: raw bytes at `baud`, a read waits for at least one. What is no terminal, such as a pipe or a
/// recorded file, is read as it is.
///
/// # Errors
/// The system's, by its number; also where the device does not take the rate.
pub fn open(path: &Path, baud: u32) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NOCTTY | libc::O_CLOEXEC).open(path)?;
    let mut settings = match tcgetattr(&file) {
        Ok(settings) => settings,
        Err(rustix::io::Errno::NOTTY) => return Ok(file),
        Err(error) => return Err(error.into()),
    };
    settings.make_raw();
    settings.set_speed(baud)?;
    settings.special_codes[SpecialCodeIndex::VMIN] = 1;
    settings.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(&file, OptionalActions::Flush, &settings)?;
    Ok(file)
}
