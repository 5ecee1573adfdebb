//! What a thread needs to be a real-time one: a processor, a policy, a clock of its own and a sleep to an instant.

use super::check;
use crate::scheduling::{SCHED_FIFO, SchedAttr, attributes, set_attributes};
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
    let wanted = SchedAttr { policy: SCHED_FIFO, priority: priority.into(), ..SchedAttr::default() };
    set_attributes(&wanted)?;
    let found = attributes()?;
    if found.is_same(&wanted) {
        Ok(())
    } else {
        Err(io::Error::other(format!("the kernel set a policy other than the requested one: {found}")))
    }
}
