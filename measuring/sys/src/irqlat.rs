//! What the interrupt probe calls: the module's ioctl calls, and policies of threads by their number.

use crate::check;
use crate::scheduling::{SCHED_FIFO, SchedAttr, attributes_of, set_attributes_of};
use prazo_abi::irqlat;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// An ioctl whose argument is a record of `N` bytes; `command` must be one of the module's that moves just these.
pub fn exchange<const N: usize>(file: &File, command: u32, record: &mut [u8; N]) -> io::Result<()> {
    assert_eq!((command >> 16 & 0x3fff) as usize, N, "the command carries its record's size");
    // SAFETY: the record is valid for reads and writes of the size that the command says, which was just compared; a device
    // that is not the module answers ENOTTY to the command's letter and number.
    check(unsafe { libc::ioctl(file.as_raw_fd(), libc::c_ulong::from(command) as _, record.as_mut_ptr()) }).map(drop)
}

/// An ioctl without an argument: [`irqlat::ARM`] or [`irqlat::STOP`].
pub fn tell(file: &File, command: u32) -> io::Result<()> {
    assert!([irqlat::ARM, irqlat::STOP].contains(&command));
    // SAFETY: these two commands take no argument.
    check(unsafe { libc::ioctl(file.as_raw_fd(), libc::c_ulong::from(command) as _, 0) }).map(drop)
}

/// Puts a thread, of a program or of the kernel, under SCHED_FIFO.
pub fn set_fifo(pid: i32, priority: u8) -> io::Result<()> {
    let fifo = SchedAttr { policy: SCHED_FIFO, priority: priority.into(), ..SchedAttr::default() };
    set_attributes_of(number(pid)?, &fifo)
}

/// A thread's real-time priority; `None` under a policy that has none.
pub fn real_time_priority(pid: i32) -> io::Result<Option<u8>> {
    let priority = attributes_of(number(pid)?)?.priority;
    Ok(u8::try_from(priority).ok().filter(|priority| *priority > 0))
}

fn number(pid: i32) -> io::Result<u32> {
    u32::try_from(pid).map_err(|_| io::Error::from_raw_os_error(libc::ESRCH))
}

/// The processor that the calling thread runs on.
pub fn this_cpu() -> u32 {
    // SAFETY: takes nothing; it fails on no system that this runs on.
    unsafe { libc::sched_getcpu() }.try_into().unwrap_or(u32::MAX)
}
