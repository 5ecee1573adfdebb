//! A timer that expires with a signal, and a process that waits for each.

use std::io;

use prazo_sys::timers::{Expiries, PosixTimer};
use prazo_sys::{clock, signal};

use super::workers::Endless;

/// Waits for `rate` expiries a second, for ever. A POSIX timer has no slack, so that no two expiries become one interrupt.
pub(super) fn expire(rate: f64) -> Endless {
    let set = signal::set_of(&[signal::timer_signal()]);
    signal::block(&set);
    let timer = PosixTimer::new()?;
    let period_ns = period_ns(rate);
    timer.arm(Expiries { first_ns: clock::monotonic_ns() + period_ns, period_ns })?;
    loop {
        signal::wait(&set).map_err(io::Error::from_raw_os_error)?;
    }
}

fn period_ns(rate: f64) -> u64 {
    (1e9 / rate).round().max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_period() {
        assert_eq!(period_ns(5_000.0), 200_000);
        assert_eq!(period_ns(1e12), 1, "a period of nothing would disarm the timer");
    }
}
