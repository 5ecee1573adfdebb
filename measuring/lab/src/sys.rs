//! The system calls that tie a child to its starter; each is one small function.

use std::io;
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
