//! What ties a process to another one: its death signal, and what it says about itself.

use super::check;
use std::io;

/// Asks the kernel to end this process when the thread that started it ends.
pub fn die_with_parent() -> io::Result<()> {
    // SAFETY: this option takes a signal number and no pointer.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) }).map(drop)
}

/// The kernel's number of the calling thread.
pub fn thread_id() -> i32 {
    // SAFETY: no arguments, cannot fail.
    unsafe { libc::gettid() }
}
