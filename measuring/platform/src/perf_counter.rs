//! The kernel's event counters (perf) of one process and of all that it forks: opened and read, or the reason why not.
//!
//! A counter follows every descendant from its fork to its end, however it is collected. It begins in each process at the next
//! exec, so that the process that opened it for itself and never executes a program is not counted.

use prazo_sys::accounting as sys;
use std::fs::File;
use std::io::{self, Read};

/// What counts an event; the numbers are the kernel's (perf_event.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CounterKind {
    /// The processor's own events.
    Hardware = 0,
    /// The kernel's events.
    Software = 1,
    /// A tracepoint of the kernel, by its number in tracefs.
    Tracepoint = 2,
}

/// Why there is no count.
#[derive(Debug, thiserror::Error)]
pub enum CounterError {
    /// The kernel refused the counter.
    #[error("perf_event_open: {0}{remedy}", remedy = remedy(.0))]
    Refused(io::Error),
    /// The counter could not be read.
    #[error("cannot read the performance counter: {0}")]
    Unreadable(io::Error),
    /// Others took the processor's counter for a part of the time.
    #[error("the performance counter ran for only {running_ns} ns of the {enabled_ns} ns for which it was enabled")]
    Partial {
        /// For how long it counted, in nanoseconds.
        running_ns: u64,
        /// For how long it should have counted, in nanoseconds.
        enabled_ns: u64,
    },
}

fn remedy(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => {
            "; run as root or with CAP_PERFMON, or set kernel.perf_event_paranoid to 1 or less"
        }
        Some(libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP) => "; this machine has no such counter",
        _ => "",
    }
}

/// One counter, which counts until it is dropped.
#[derive(Debug)]
pub struct PerfCounter(File);

impl PerfCounter {
    /// Opens the counter `config` of this kind for a process and all that it will fork.
    ///
    /// # Errors
    /// The kernel refuses it, or the machine has no such counter.
    pub fn open(kind: CounterKind, config: u64, pid: u32) -> Result<Self, CounterError> {
        let counter = sys::open_counter(kind as u32, config, pid).map_err(CounterError::Refused)?;
        Ok(Self(counter.into()))
    }

    /// How many events there were so far; whole once all that is counted has ended.
    ///
    /// # Errors
    /// The counter cannot be read, or did not run for all the time that it was enabled.
    pub fn read(&self) -> Result<u64, CounterError> {
        let mut bytes = [0u8; 24];
        (&self.0).read_exact(&mut bytes).map_err(CounterError::Unreadable)?;
        let (numbers, _) = bytes.as_chunks();
        match [0, 1, 2].map(|place: usize| u64::from_ne_bytes(numbers[place])) {
            [count, enabled_ns, running_ns] if enabled_ns == running_ns => Ok(count),
            [_, enabled_ns, running_ns] => Err(CounterError::Partial { running_ns, enabled_ns }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_is_refused_says_what_would_help() {
        let error = PerfCounter::open(CounterKind::Software, 1, u32::MAX / 2).unwrap_err();
        assert!(error.to_string().starts_with("perf_event_open: "), "{error}");
        let of = |number| CounterError::Refused(io::Error::from_raw_os_error(number)).to_string();
        assert!(of(libc::EACCES).contains("perf_event_paranoid"), "{}", of(libc::EACCES));
        assert!(of(libc::ENOENT).ends_with("this machine has no such counter"), "{}", of(libc::ENOENT));
    }
}
