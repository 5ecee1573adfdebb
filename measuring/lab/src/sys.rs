//! The system calls that tie a child to its starter; each is one small function.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

fn check(result: libc::c_int) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Has the kernel kill the child when the thread that starts it ends, for whatever reason; and puts it into a process group
/// of its own, so that a terminal's interrupt reaches prazo first.
pub(crate) fn tie_to_starter(command: &mut Command) {
    let starter = std::process::id();
    // SAFETY: between fork and exec the closure only makes system calls; it neither allocates nor takes a lock.
    unsafe { command.process_group(0).pre_exec(move || die_with(starter)) };
}

fn die_with(starter: u32) -> io::Result<()> {
    // SAFETY: this option takes a signal number and no pointer.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) })?;
    // A starter that ended before the call above sends no signal any more, but the child has another parent by now.
    // SAFETY: takes no argument, cannot fail.
    let parent = unsafe { libc::getppid() };
    if parent as u32 == starter { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
}

/// Lets no file that the child writes grow beyond `bytes`, so that no child can fill a disk.
pub(crate) fn limit_file_size(command: &mut Command, bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: between fork and exec the closure only makes one system call, with a pointer to its own live value.
    unsafe { command.pre_exec(move || check(libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit))) };
}

/// Gives the child an open file under a number of its own, for as long as the child lives; no name leads to it but
/// [`handed_path`].
pub(crate) fn hand_over(command: &mut Command, file: File, number: RawFd) {
    // SAFETY: between fork and exec the closure only makes one system call; the file is open as long as the closure lives,
    // and nothing else has a descriptor of so high a number.
    unsafe { command.pre_exec(move || check(libc::dup2(file.as_raw_fd(), number))) };
}

/// Where the child finds what it was handed.
pub(crate) fn handed_path(number: RawFd) -> String {
    format!("/proc/self/fd/{number}")
}
