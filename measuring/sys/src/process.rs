//! What ties a process to another one: its death signal, and what it says about itself.

use crate::check;
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
