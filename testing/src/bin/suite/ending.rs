//! How a child ended, and the processor time that it and its descendants used.

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::process::Child;
use std::time::{Duration, Instant};

/// Clock ticks of `/proc/PID/stat` in a second; Linux has this number on every processor that prazo runs on.
const TICKS_PER_SECOND: f64 = 100.0;

/// How a child ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Ending {
    /// It exited with status 0.
    pub succeeded: bool,
    /// It was ended, because it reached its limit.
    pub at_limit: bool,
    /// Its own processor time, and that of the descendants that it waited for.
    pub processor_seconds: f64,
}

/// Waits for `child`; ends it at `limit`.
pub(crate) fn wait(mut child: Child, limit: Option<Instant>) -> Ending {
    let pid = Pid::from_child(&child);
    let mut at_limit = false;
    // It must stay a zombie until its times are read: waiting for it in the usual way removes both.
    while !has_exited(pid) {
        if limit.is_some_and(|limit| Instant::now() > limit) {
            at_limit = child.kill().is_ok();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let processor_seconds = processor_seconds(pid).unwrap_or_default();
    let succeeded = child.wait().is_ok_and(|status| status.success()) && !at_limit;
    Ending { succeeded, at_limit, processor_seconds }
}

fn has_exited(pid: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
}

/// User and system time of a process and of its children that have ended (fields 14 to 17 of proc(5)'s `stat`).
fn processor_seconds(pid: Pid) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The name, in parentheses, may have blanks.
    let fields = text.rsplit_once(") ")?.1.split(' ').skip(11).take(4);
    let ticks: u64 = fields.map(str::parse::<u64>).sum::<Result<_, _>>().ok()?;
    Some(ticks as f64 / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn ending_of(script: &str, limit: Option<Instant>) -> Ending {
        wait(Command::new("sh").args(["-c", script]).spawn().unwrap(), limit)
    }

    #[test]
    fn the_processor_time_of_descendants_counts() {
        let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let ending = ending_of(&format!("sh -c '{busy}'; :"), None);
        assert!(ending.succeeded && ending.processor_seconds > 0.0, "{ending:?}");
        assert!(ending_of("sleep 0.1", None).processor_seconds < ending.processor_seconds);
    }

    #[test]
    fn a_failure_and_a_limit_are_told_apart() {
        assert_eq!((ending_of("exit 3", None).succeeded, ending_of("exit 3", None).at_limit), (false, false));
        let ending = ending_of("exec sleep 600", Some(Instant::now()));
        assert!(ending.at_limit && !ending.succeeded, "{ending:?}");
    }
}
