//! What ties processes to one another: the death signal, orphans, and handles that mean one process for good.

use crate::check;
use rustix::process::{Pid, PidfdFlags, Signal};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// Asks the kernel to end this process when the thread that started it ends.
pub fn die_with_parent() -> io::Result<()> {
    Ok(rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?)
}

/// Makes orphaned descendants children of this process, or of the machine's process 1 again.
pub fn adopt_orphans(adopt: bool) -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(adopt.then(rustix::process::getpid))?)
}

/// A process that cannot be mistaken for a later one of the same number. Its descriptor becomes readable when the process ends.
#[derive(Debug)]
pub struct ProcessHandle(OwnedFd);

impl ProcessHandle {
    /// The process that has this number now.
    pub fn open(pid: u32) -> io::Result<Self> {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(Self(rustix::process::pidfd_open(pid, PidfdFlags::empty())?))
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: i32) -> io::Result<()> {
        let signal = Signal::from_named_raw(signal).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(rustix::process::pidfd_send_signal(&self.0, signal)?)
    }
}

impl AsFd for ProcessHandle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
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

/// Asks this process to end, as `kill PID` does: whoever listens puts the system back before.
pub fn ask_self_to_end() -> io::Result<()> {
    Ok(rustix::process::kill_process(rustix::process::getpid(), Signal::TERM)?)
}

/// The kernel's number of the calling thread.
pub fn thread_id() -> i32 {
    rustix::thread::gettid().as_raw_nonzero().get()
}

/// Takes CAP_SYS_NICE from the calling thread, as an ordinary user's thread lacks it: for tests.
pub fn drop_sys_nice() {
    const VERSION_3: u32 = 0x2008_0522;
    const SYS_NICE: u32 = 23;
    #[repr(C)]
    struct Header(u32, i32);
    #[repr(C)]
    #[derive(Clone, Copy, Default)]
    struct Sets {
        effective: u32,
        permitted: u32,
        inheritable: u32,
    }
    let mut header = Header(VERSION_3, 0);
    let mut sets = [Sets::default(); 2];
    // SAFETY: header and two sets are what version 3 of this call reads and writes; thread 0 is the calling one.
    unsafe { libc::syscall(libc::SYS_capget, &raw mut header, sets.as_mut_ptr()) };
    sets[0].effective &= !(1 << SYS_NICE);
    sets[0].permitted &= !(1 << SYS_NICE);
    // SAFETY: as above.
    unsafe { libc::syscall(libc::SYS_capset, &raw mut header, sets.as_ptr()) };
}
