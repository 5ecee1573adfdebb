//! What runs beside a command and is not part of its account, as a workload's server: only its processor time is read.

use prazo_sys::accounting as sys;
use prazo_sys::child::tie_to_caller;
use prazo_sys::process::ProcessHandle;
use std::io;
use std::process::{Child, Command};

/// A child of ours that runs beside; dies with us, and is ended by its id with this value.
#[derive(Debug)]
pub(crate) struct Helper {
    /// The child.
    pub child: Child,
    /// Means this process and no later one, which its number would not once the account has collected it.
    handle: ProcessHandle,
}

impl Helper {
    /// Starts it.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        let child = tie_to_caller(command).spawn()?;
        let handle = ProcessHandle::open(child.id())?;
        Ok(Self { child, handle })
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // One that has ended was what was wanted, and may have been collected already.
        let _ = self.handle.signal(libc::SIGKILL);
        let _ = self.child.wait();
    }
}

/// The processor time that these processes had used when the command began.
pub(crate) struct Apart<'a> {
    pids: &'a [u32],
    before_ns: Result<u64, String>,
}

impl<'a> Apart<'a> {
    /// Looks at their clocks.
    pub(crate) fn begin(pids: &'a [u32]) -> Self {
        Self { pids, before_ns: total_ns(pids) }
    }

    /// What they have used since; `None` where nothing runs apart.
    pub(crate) fn finish(self) -> Option<Result<u64, String>> {
        let used = || Ok(total_ns(self.pids)?.saturating_sub(self.before_ns?));
        (!self.pids.is_empty()).then(used)
    }
}

fn total_ns(pids: &[u32]) -> Result<u64, String> {
    let one = |pid: &u32| {
        sys::processor_time_ns(*pid)
            .map_err(|error| format!("cannot read the CPU-time clock of process {pid}: {error}"))
    };
    pids.iter().map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_works_is_seen_to_and_one_that_is_gone_is_said_to_be() {
        let own = [std::process::id()];
        let apart = Apart::begin(&own);
        let until = sys::processor_time_ns(own[0]).unwrap() + 2_000_000;
        while sys::processor_time_ns(own[0]).unwrap() < until {}
        assert!(apart.finish().unwrap().unwrap() >= 1_900_000);
        assert!(Apart::begin(&[4_194_305]).finish().unwrap().unwrap_err().contains("clock of process"));
        assert!(Apart::begin(&[]).finish().is_none());
    }
}
