//! An alarm that one thread waits for and any thread, or a signal handler, rings: an eventfd.

use crate::{check, clock, timespec};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, RawFd};

/// Rung by anybody, waited for by one; rings are not counted.
#[derive(Debug)]
pub struct Alarm(File);

impl Alarm {
    /// A new alarm, not ringing.
    pub fn new() -> io::Result<Self> {
        // SAFETY: eventfd takes no pointers; the descriptor it returns is new and owned by nobody else.
        let fd = check(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) })?;
        // SAFETY: `fd` was returned just now and is handed to exactly one owner.
        Ok(Self(unsafe { File::from_raw_fd(fd) }))
    }

    /// Rings; one `write`, so that a signal handler may do it. A full counter rings already, so no error matters.
    pub fn ring(&self) {
        let _ = (&self.0).write(&1u64.to_ne_bytes());
    }

    /// Waits until the alarm rings, one of `others` can be read or was closed, or CLOCK_MONOTONIC reaches `until_ns`.
    pub fn wait_until(&self, until_ns: u64, others: &[BorrowedFd<'_>]) {
        let fds = others.iter().map(AsRawFd::as_raw_fd).chain([self.0.as_raw_fd()]);
        let mut polled: Vec<libc::pollfd> = fds.map(readable).collect();
        poll(&mut polled, until_ns.saturating_sub(clock::monotonic_ns()));
        let _ = (&self.0).read(&mut [0; 8]);
    }
}

fn readable(fd: RawFd) -> libc::pollfd {
    libc::pollfd { fd, events: libc::POLLIN, revents: 0 }
}

fn poll(polled: &mut [libc::pollfd], timeout_ns: u64) {
    let timeout = timespec(timeout_ns);
    // SAFETY: `polled` is a valid slice of its length, `timeout` a valid timespec, and no signal mask is given.
    unsafe { libc::ppoll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, &timeout, std::ptr::null()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_ends_the_wait_and_is_used_up() {
        let alarm = Alarm::new().unwrap();
        alarm.ring();
        alarm.ring();
        let before = clock::monotonic_ns();
        alarm.wait_until(before + 60_000_000_000, &[]);
        assert!(clock::monotonic_ns() < before + 60_000_000_000);
        let soon = clock::monotonic_ns() + 1_000_000;
        alarm.wait_until(soon, &[]);
        assert!(clock::monotonic_ns() >= soon, "a used-up ring must not end the next wait");
    }
}
