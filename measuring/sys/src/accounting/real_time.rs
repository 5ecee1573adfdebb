//! What a thread needs to be a real-time one: a processor, a policy, a clock of its own and a sleep to an instant.

use super::check;
use std::io;
use std::mem::{size_of, zeroed};

/// Keeps the calling thread on this processor.
pub fn pin(cpu: u32) -> io::Result<()> {
    // SAFETY: a processor set is plain bits, for which all zeros is a value.
    let mut set: libc::cpu_set_t = unsafe { zeroed() };
    if cpu as usize >= 8 * size_of::<libc::cpu_set_t>() {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    // SAFETY: the number lies within the set, see above.
    unsafe { libc::CPU_SET(cpu as usize, &mut set) };
    // SAFETY: the set lives through the call, and its true size is given.
    check(unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) }).map(drop)
}

/// Makes the calling thread a fifo thread of this priority, and reads back that it is one.
pub fn become_fifo(priority: u8) -> io::Result<()> {
    let wanted = libc::sched_param { sched_priority: priority.into() };
    // SAFETY: the parameter lives through the call.
    check(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const wanted) })?;
    let mut found = libc::sched_param { sched_priority: 0 };
    // SAFETY: the parameter is valid to write to.
    check(unsafe { libc::sched_getparam(0, &raw mut found) })?;
    // SAFETY: takes no pointer.
    let policy = check(unsafe { libc::sched_getscheduler(0) })?;
    match (policy == libc::SCHED_FIFO, found.sched_priority) {
        (true, granted) if granted == wanted.sched_priority => Ok(()),
        (_, granted) => Err(io::Error::other(format!("the kernel set policy {policy} and priority {granted} instead"))),
    }
}
