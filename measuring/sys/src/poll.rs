//! Waiting for descriptors.

use std::os::fd::{AsRawFd, BorrowedFd};

/// Waits until one of the descriptors has something to read or is closed on the other side; says which have.
/// `timeout_ms` of `None` waits for as long as it takes; an interrupted wait reports nothing.
pub fn wait_readable<const N: usize>(fds: [BorrowedFd<'_>; N], timeout_ms: Option<u32>) -> [bool; N] {
    let mut polled = fds.map(|fd| libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 });
    let timeout = timeout_ms.map_or(-1, |ms| ms.min(i32::MAX as u32) as libc::c_int);
    // SAFETY: the array holds N entries and is valid to write to for the time of the call.
    let ready = unsafe { libc::poll(polled.as_mut_ptr(), N as libc::nfds_t, timeout) };
    polled.map(|entry| ready > 0 && entry.revents != 0)
}
