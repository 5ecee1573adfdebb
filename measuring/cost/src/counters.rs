//! The kernel's event counters (perf) of a command, inherited by all that it forks; they begin at the command's exec.

use crate::command::Counting;
use prazo_platform::perf_counter::{CounterKind, PerfCounter};

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

type Opened = Result<PerfCounter, String>;
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
            Counting::Software | Counting::Hardware => open(CounterKind::Software, config, pid),
        };
        let of_processor = |config| match counting {
            Counting::Hardware => open(CounterKind::Hardware, config, pid),
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

fn open(kind: CounterKind, config: u64, pid: u32) -> Opened {
    PerfCounter::open(kind, config, pid).map_err(|error| error.to_string())
}

fn read(counter: Opened) -> Count {
    counter?.read().map_err(|error| error.to_string())
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
        assert!(read(open(CounterKind::Software, 1, u32::MAX / 2)).unwrap_err().contains("perf_event_open"));
    }
}
