//! The system calls and mapped memory of the measuring crates: one small safe function for each idea.
//!
//! Everything here returns plain values and `io::Error`; what a failure means is decided by the callers.

pub mod accounting;
pub mod alarm;
pub mod card;
pub mod card_clock;
pub mod child;
pub mod clock;
pub mod containment;
pub mod deadline_bandwidth;
pub mod files;
pub mod first_process;
pub mod irqlat;
pub mod kernel_module;
pub mod lock;
pub mod machine;
pub mod mapped_words;
pub mod memory;
pub mod poll;
pub mod process;
pub mod route;
pub mod scheduling;
pub mod serial_port;
pub mod shell;
pub mod signal;
pub mod socket;
pub mod terminal;
pub mod timers;
pub mod usage;
pub mod wake;

use std::io;

/// The result of a libc call that answers -1 and sets errno.
fn check<T: PartialEq + From<i8>>(answer: T) -> io::Result<T> {
    if answer == T::from(-1) { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

/// Nanoseconds as the kernel's pair of seconds and nanoseconds.
#[inline]
fn timespec(ns: u64) -> libc::timespec {
    libc::timespec { tv_sec: (ns / 1_000_000_000) as _, tv_nsec: (ns % 1_000_000_000) as _ }
}

/// The kernel's pair as nanoseconds; the clocks read here never go negative.
#[inline]
fn nanoseconds(time: libc::timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
