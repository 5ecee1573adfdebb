//! What process 1 of a machine does: it mounts, has the disks written, and powers off.

use crate::check;
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Mounts a file system; one that needs no device may have any source.
pub fn mount(source: &str, kind: &str, place: &Path) -> io::Result<()> {
    let (source, kind, place) =
        (CString::new(source)?, CString::new(kind)?, CString::new(place.as_os_str().as_bytes())?);
    // SAFETY: the strings end with a zero and live until the call returns; no data is passed.
    let result = unsafe { libc::mount(source.as_ptr(), place.as_ptr(), kind.as_ptr(), 0, std::ptr::null()) };
    check(result).map(drop)
}

/// Has everything that was written reach the disk.
pub fn sync() {
    rustix::fs::sync();
}

/// Powers the machine off; comes back only with the reason why not.
pub fn power_off() -> io::Error {
    // SAFETY: takes a number and no pointer; nothing is left to be written, since all files are in memory.
    unsafe { libc::reboot(libc::RB_POWER_OFF) };
    io::Error::last_os_error()
}
