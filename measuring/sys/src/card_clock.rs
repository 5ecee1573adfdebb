//! Readings of a card's clock: one small function for each way.

use crate::clock;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// One reading of a foreign clock between two of CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bracket {
    /// CLOCK_MONOTONIC before.
    pub before_ns: u64,
    /// The foreign clock.
    pub foreign_ns: u64,
    /// CLOCK_MONOTONIC after.
    pub after_ns: u64,
}

/// Has the kernel read the card's clock `count` times, each between two readings of its own clock `by`.
pub fn bracketed(card: BorrowedFd<'_>, by: libc::clockid_t, count: u32) -> io::Result<Vec<Bracket>> {
    let none = libc::ptp_clock_time { sec: 0, nsec: 0, reserved: 0 };
    let count = count.min(libc::PTP_MAX_SAMPLES);
    let mut offset = libc::ptp_sys_offset_extended {
        n_samples: count,
        clockid: by,
        rsv: [0; 2],
        ts: [[none; 3]; libc::PTP_MAX_SAMPLES as usize],
    };
    // SAFETY: the call reads and writes one such structure, whose size is in its number, and which lives through the call.
    let answer = unsafe { libc::ioctl(card.as_raw_fd(), libc::PTP_SYS_OFFSET_EXTENDED, &raw mut offset) };
    if answer == -1 {
        return Err(io::Error::last_os_error());
    }
    let stamps = offset.ts.iter().take(count as usize);
    Ok(stamps
        .map(|[before, card, after]| Bracket {
            before_ns: nanoseconds(before),
            foreign_ns: nanoseconds(card),
            after_ns: nanoseconds(after),
        })
        .collect())
}

fn nanoseconds(time: &libc::ptp_clock_time) -> u64 {
    (time.sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.nsec.into())
}

/// One reading of the card's clock between two of CLOCK_MONOTONIC, from outside the kernel.
pub fn bracket(card: BorrowedFd<'_>) -> io::Result<Bracket> {
    /// The kernel's mark of a clock that is an open file.
    const OF_FILE: libc::clockid_t = 3;
    let card = (!card.as_raw_fd() << 3) | OF_FILE;
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let before_ns = clock::monotonic_ns();
    // SAFETY: `now` is a valid timespec for the kernel to fill; a number that is no clock is refused.
    let answer = unsafe { libc::clock_gettime(card, &raw mut now) };
    let after_ns = clock::monotonic_ns();
    if answer == -1 {
        return Err(io::Error::last_os_error());
    }
    let foreign_ns = (now.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(now.tv_nsec as u64);
    Ok(Bracket { before_ns, foreign_ns, after_ns })
}
