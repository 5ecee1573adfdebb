//! Loading and removing kernel modules.

use crate::check;
use std::io;
use std::os::fd::AsRawFd;

/// `finit_module(2)`: loads a kernel module with its parameters.
pub fn load_module(file: &std::fs::File, parameters: &str) -> io::Result<()> {
    let parameters = std::ffi::CString::new(parameters)?;
    // SAFETY: the descriptor is open and the text ends with a zero; the kernel copies both and keeps no pointer.
    check(unsafe { libc::syscall(libc::SYS_finit_module, file.as_raw_fd(), parameters.as_ptr(), 0) }).map(drop)
}

/// `delete_module(2)`: removes a kernel module that nobody uses.
pub fn remove_module(name: &str) -> io::Result<()> {
    let name = std::ffi::CString::new(name)?;
    // SAFETY: the name ends with a zero; the kernel copies it.
    check(unsafe { libc::syscall(libc::SYS_delete_module, name.as_ptr(), libc::O_NONBLOCK) }).map(drop)
}
