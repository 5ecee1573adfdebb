//! The few system calls of process 1 that the standard library lacks, one small function each.

use crate::check;
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

/// Mounts a file system; one that needs no device may have any source.
pub fn mount(source: &str, kind: &str, place: &Path) -> io::Result<()> {
    let (source, kind, place) =
        (CString::new(source)?, CString::new(kind)?, CString::new(place.as_os_str().as_bytes())?);
    // SAFETY: the strings end with a zero and live until the call returns; no data is passed.
    let result = unsafe { libc::mount(source.as_ptr(), place.as_ptr(), kind.as_ptr(), 0, std::ptr::null()) };
    check(result).map(drop)
}

/// Waits for any child's end.
pub fn reap() -> io::Result<(u32, ExitStatus)> {
    let mut status = 0;
    loop {
        // SAFETY: the pointer is to a live integer.
        match check(unsafe { libc::waitpid(-1, &raw mut status, 0) }) {
            Ok(pid) => return Ok((pid as u32, ExitStatus::from_raw(status))),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Has everything that was written reach the disk.
pub fn sync() {
    rustix::fs::sync();
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

/// Powers the machine off; comes back only with the reason why not.
pub fn power_off() -> io::Error {
    // SAFETY: takes a number and no pointer; nothing is left to be written, since all files are in memory.
    unsafe { libc::reboot(libc::RB_POWER_OFF) };
    io::Error::last_os_error()
}
