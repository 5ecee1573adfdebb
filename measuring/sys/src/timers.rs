//! Timers that the kernel keeps: timerfd, POSIX timer, interval timer; each with the drop that ends it.

use crate::{check, process, signal, timespec};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd};

/// First expiry and distance of the following ones.
#[derive(Clone, Copy, Debug)]
pub struct Expiries {
    /// First expiry, absolute on CLOCK_MONOTONIC.
    pub first_ns: u64,
    /// Distance of two expiries.
    pub period_ns: u64,
}

impl Expiries {
    fn itimerspec(self) -> libc::itimerspec {
        libc::itimerspec { it_interval: timespec(self.period_ns), it_value: timespec(self.first_ns) }
    }
}

/// A timer that is read from.
#[derive(Debug)]
pub struct TimerFd(File);

impl TimerFd {
    /// A disarmed timer of CLOCK_MONOTONIC.
    pub fn new() -> io::Result<Self> {
        // SAFETY: no pointers; the descriptor returned is new.
        let fd = check(unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC) })?;
        // SAFETY: `fd` was returned just now and is handed to exactly one owner.
        Ok(Self(unsafe { File::from_raw_fd(fd) }))
    }

    /// Arms it anew and forgets expirations that were not read.
    pub fn arm(&self, expiries: Expiries) -> io::Result<()> {
        let spec = expiries.itimerspec();
        let fd = self.0.as_raw_fd();
        // SAFETY: `spec` is valid; the old setting is not asked for.
        check(unsafe { libc::timerfd_settime(fd, libc::TFD_TIMER_ABSTIME, &spec, std::ptr::null_mut()) }).map(drop)
    }

    /// Blocks until it has expired; answers how often since the last call, or an error number.
    #[inline]
    pub fn expirations(&mut self) -> Result<u64, i32> {
        let mut count = [0; 8];
        match self.0.read(&mut count) {
            Ok(8) => Ok(u64::from_ne_bytes(count)),
            Ok(_) => Err(libc::EIO),
            Err(error) => Err(error.raw_os_error().unwrap_or(libc::EIO)),
        }
    }
}

/// A timer that sends [`signal::timer_signal`] to the thread that made it.
#[derive(Debug)]
pub struct PosixTimer(libc::timer_t);

impl PosixTimer {
    /// A disarmed timer of CLOCK_MONOTONIC for the calling thread, which must have blocked the signal.
    pub fn new() -> io::Result<Self> {
        // SAFETY: a sigevent is made of integers and pointers, for which zero is a value.
        let mut event: libc::sigevent = unsafe { std::mem::zeroed() };
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = signal::timer_signal();
        event.sigev_notify_thread_id = process::thread_id();
        let mut timer = std::ptr::null_mut();
        // SAFETY: `event` is valid, `timer` a place for the answer.
        check(unsafe { libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer) })?;
        Ok(Self(timer))
    }

    /// Arms it.
    pub fn arm(&self, expiries: Expiries) -> io::Result<()> {
        let spec = expiries.itimerspec();
        // SAFETY: the timer exists until drop, `spec` is valid, the old setting is not asked for.
        check(unsafe { libc::timer_settime(self.0, libc::TIMER_ABSTIME, &spec, std::ptr::null_mut()) }).map(drop)
    }
}

impl Drop for PosixTimer {
    fn drop(&mut self) {
        // SAFETY: the timer exists and is deleted once.
        unsafe { libc::timer_delete(self.0) };
    }
}

/// `setitimer(ITIMER_REAL)`: SIGALRM to this process, first after `first_us`, then every `period_us`; 0 and 0 ends it.
pub fn set_interval_timer(first_us: u64, period_us: u64) -> io::Result<()> {
    let timeval = |us: u64| libc::timeval { tv_sec: (us / 1_000_000) as _, tv_usec: (us % 1_000_000) as _ };
    let timer = libc::itimerval { it_interval: timeval(period_us), it_value: timeval(first_us) };
    // SAFETY: `timer` is valid; the old setting is not asked for. By number, since libc lists no wrapper for every target.
    check(unsafe { libc::syscall(libc::SYS_setitimer, 0, &raw const timer, 0) } as i32).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    #[test]
    fn a_late_read_of_a_timerfd_tells_every_expiration() {
        let mut timer = TimerFd::new().unwrap();
        let first_ns = clock::monotonic_ns() + 1_000_000;
        timer.arm(Expiries { first_ns, period_ns: 1_000_000 }).unwrap();
        clock::sleep_until(first_ns + 5_500_000);
        assert!(timer.expirations().unwrap() >= 6);
    }

    #[test]
    fn a_late_wait_for_a_posix_timer_tells_every_expiration() {
        std::thread::spawn(|| {
            let set = signal::set_of(&[signal::timer_signal()]);
            signal::block(&set);
            let timer = PosixTimer::new().unwrap();
            let first_ns = clock::monotonic_ns() + 1_000_000;
            timer.arm(Expiries { first_ns, period_ns: 1_000_000 }).unwrap();
            clock::sleep_until(first_ns + 5_500_000);
            let arrived = signal::wait(&set).unwrap();
            assert_eq!(arrived.signal, signal::timer_signal());
            assert!(arrived.overruns >= 5);
        })
        .join()
        .unwrap();
    }
}
