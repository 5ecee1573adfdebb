//! The kernel's event counters (perf) of a command, inherited by all that it forks.
//!
//! A counter follows every descendant from its fork to its end, however it is collected; it begins at the command's exec.

use crate::command::Counting;
use prazo_sys::accounting as sys;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;

const SOFTWARE: u32 = 1;
const HARDWARE: u32 = 0;
const NONE_OPENED: &str = "performance counters (perf) are off: under PREEMPT_RT each one delays the end of every \
                           process by about 10 ms; outside the lab, --counters enables them. Guests of the lab never \
                           have counters, so that their kernels can be compared";
const NOT_ASKED_FOR: &str = "not requested (--counters); on a virtual machine, counting instructions and cycles slows \
                             the command by a few percent";

/// The counters of one command; each may be missing for a reason of its own.
#[derive(Debug)]
pub(crate) struct Counters {
    processor_time: Opened,
    migrations: Opened,
    minor_faults: Opened,
    major_faults: Opened,
    instructions: Opened,
    cycles: Opened,
}

type Opened = Result<OwnedFd, String>;
type Count = Result<u64, String>;

/// What they counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub processor_ns: Count,
    pub migrations: Count,
    pub minor_faults: Count,
    pub major_faults: Count,
    pub instructions: Count,
    pub cycles: Count,
}

impl Counters {
    /// Opens them for a process that has not executed its program yet. The numbers are the kernel's (perf_event.h).
    ///
    /// The processor's own stay closed unless asked for: on a virtual machine each switch that saves them costs more than all
    /// the rest of an account.
    pub(crate) fn open(pid: u32, counting: Counting) -> Self {
        let of_kernel = |config| match counting {
            Counting::Nothing => Err(NONE_OPENED.into()),
            Counting::Software | Counting::Hardware => open(SOFTWARE, config, pid),
        };
        let of_processor = |config| match counting {
            Counting::Hardware => open(HARDWARE, config, pid),
            Counting::Nothing => Err(NONE_OPENED.into()),
            Counting::Software => Err(NOT_ASKED_FOR.into()),
        };
        Self {
            processor_time: of_kernel(1),
            migrations: of_kernel(4),
            minor_faults: of_kernel(5),
            major_faults: of_kernel(6),
            instructions: of_processor(1),
            cycles: of_processor(0),
        }
    }

    /// Reads them, after all that they counted has ended.
    pub(crate) fn read(self) -> Counts {
        Counts {
            processor_ns: read(self.processor_time),
            migrations: read(self.migrations),
            minor_faults: read(self.minor_faults),
            major_faults: read(self.major_faults),
            instructions: read(self.instructions),
            cycles: read(self.cycles),
        }
    }
}

fn open(kind: u32, config: u64, pid: u32) -> Opened {
    sys::open_counter(kind, config, pid).map_err(|error| refused(&error))
}

fn refused(error: &io::Error) -> String {
    let remedy = match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => {
            "; run as root or with CAP_PERFMON, or set kernel.perf_event_paranoid to 1 or less"
        }
        Some(libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP) => "; this machine has no such counter",
        _ => "",
    };
    format!("perf_event_open: {error}{remedy}")
}

/// A count is believed only if the counter ran all the time that it was enabled.
fn read(counter: Opened) -> Count {
    let mut bytes = [0u8; 24];
    File::from(counter?)
        .read_exact(&mut bytes)
        .map_err(|error| format!("cannot read the performance counter: {error}"))?;
    let number = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    match (number(0), number(8), number(16)) {
        (count, enabled_ns, running_ns) if enabled_ns == running_ns => Ok(count),
        (_, enabled_ns, running_ns) => Err(format!(
            "the performance counter ran for only {running_ns} ns of the {enabled_ns} ns for which it was enabled"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_none_is_opened_every_count_is_missing_with_the_reason() {
        let counts = Counters::open(std::process::id(), Counting::Nothing).read();
        let Counts { processor_ns, migrations, minor_faults, major_faults, instructions, cycles } = counts;
        for count in [processor_ns, migrations, minor_faults, major_faults, instructions, cycles] {
            assert_eq!(count.unwrap_err(), NONE_OPENED);
        }
        let counts = Counters::open(std::process::id(), Counting::Software).read();
        assert_eq!(counts.instructions.unwrap_err(), NOT_ASKED_FOR);
    }

    #[test]
    fn a_counter_that_was_refused_says_so_when_it_is_read() {
        assert!(read(open(SOFTWARE, 1, u32::MAX / 2)).unwrap_err().contains("perf_event_open"));
        assert!(refused(&io::Error::from_raw_os_error(libc::EACCES)).contains("perf_event_paranoid"));
        assert!(refused(&io::Error::from_raw_os_error(libc::ENOENT)).contains("no such counter"));
    }
}
