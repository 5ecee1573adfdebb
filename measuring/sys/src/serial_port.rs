//! A serial device as a stream of bytes, for whoever reads it and for whoever writes to it.

use crate::check;
use rustix::termios::{OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
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

/// Makes a serial port pass every byte on unchanged, at its highest usual rate.
pub fn make_raw(port: &File) -> io::Result<()> {
    // SAFETY: a termios of zeros is a valid value, and is overwritten before it is used.
    let mut settings: libc::termios = unsafe { std::mem::zeroed() };
    // SAFETY: the descriptor is open; the pointers are to a live value.
    unsafe {
        check(libc::tcgetattr(port.as_raw_fd(), &raw mut settings))?;
        libc::cfmakeraw(&raw mut settings);
        settings.c_cflag = settings.c_cflag & !libc::CBAUD | libc::B115200;
        check(libc::tcsetattr(port.as_raw_fd(), libc::TCSANOW, &raw const settings)).map(drop)
    }
}

/// Waits until everything written has left the port.
pub fn drain(port: &File) -> io::Result<()> {
    // SAFETY: takes an open descriptor and no pointer.
    check(unsafe { libc::tcdrain(port.as_raw_fd()) }).map(drop)
}
