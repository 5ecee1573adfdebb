//! A real-time task that runs beside a command: on each processor a fifo thread that computes a known share of it.
//!
//! What a platform's real-time part takes from everything else is known only with a real-time part that works. This one is
//! released at regular instants and computes each time until its own processor clock says that it is enough, however often
//! it was interrupted. It is a process of its own, tied to this one by a pipe and by the kernel's parent-death signal.

mod child;

pub use child::child_main;

use crate::apart::Helper;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{BufRead, BufReader};
use std::process::{ChildStdout, Command, Stdio};

/// The first word of a companion's command line.
const FLAG: &str = "cost-companion";

/// What a companion does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duty {
    /// Where: one thread on each.
    pub cpus: CpuSet,
    /// Its priority under fifo, 1 to 99.
    pub priority: u8,
    /// From one release to the next.
    pub period: Duration,
    /// Processor time after each release.
    pub work: Duration,
}

/// Work of the companion: the real-time task that ran next to the measured command, with one thread on each of its
/// processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CompanionWork {
    /// Number of releases that the companion's threads served.
    pub served: u64,
    /// Number of releases that were skipped because an earlier job of the companion was still running.
    pub skipped: u64,
    /// Processor time of the companion's threads.
    pub computed_ns: u64,
    /// Elapsed time from a thread's first release to the thread's end, summed over the companion's threads.
    pub lived_ns: u64,
}

impl CompanionWork {
    /// The share of its processors that it really took; `None` if it never lived.
    pub fn share(&self) -> Option<f64> {
        (self.lived_ns > 0).then(|| self.computed_ns as f64 / self.lived_ns as f64)
    }

    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self {
            served: self.served + other.served,
            skipped: self.skipped + other.skipped,
            computed_ns: self.computed_ns + other.computed_ns,
            lived_ns: self.lived_ns + other.lived_ns,
        }
    }
}

/// A companion at work; ends with this value.
#[derive(Debug)]
pub struct Companion {
    helper: Helper,
    answers: BufReader<ChildStdout>,
}

impl Companion {
    /// Starts one, and returns when all its threads are what they should be; `Err` says what was refused.
    pub fn start(duty: &Duty) -> Result<Self, String> {
        let failed =
            |error: std::io::Error| format!("cannot start the real-time task that runs next to the command: {error}");
        let program = std::env::current_exe().map_err(failed)?;
        let mut command = Command::new(program);
        command.args([FLAG.to_owned(), duty.cpus.to_string(), duty.priority.to_string()]);
        command.args([duty.period, duty.work].map(|time| time.as_ns().to_string()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut helper = Helper::start(&mut command).map_err(failed)?;
        let answers = BufReader::new(helper.child.stdout.take().expect("it was asked for"));
        let mut companion = Self { helper, answers };
        match companion.hear()?.as_str() {
            "ready" => Ok(companion),
            refused => Err(format!("the kernel refused the real-time task that runs next to the command: {refused}")),
        }
    }

    /// Its process, to be named as being apart.
    pub fn pid(&self) -> u32 {
        self.helper.pid()
    }

    /// Ends it and hears what it has done.
    pub fn end(mut self) -> Result<CompanionWork, String> {
        drop(self.helper.child.stdin.take());
        let answer = self.hear()?;
        read_done(&answer).ok_or_else(|| {
            format!("the real-time task next to the command reported '{answer}' instead of the work that it did")
        })
    }

    fn hear(&mut self) -> Result<String, String> {
        let mut line = String::new();
        let heard = self
            .answers
            .read_line(&mut line)
            .map_err(|error| format!("cannot read the report of the real-time task next to the command: {error}"))?;
        if heard == 0 {
            Err("the real-time task next to the command ended without a report".into())
        } else {
            Ok(line.trim().to_owned())
        }
    }
}

fn answer(done: &CompanionWork) -> String {
    format!("{} {} {} {}", done.served, done.skipped, done.computed_ns, done.lived_ns)
}

fn read_done(line: &str) -> Option<CompanionWork> {
    let numbers: Vec<u64> = line.split(' ').map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let [served, skipped, computed_ns, lived_ns] = numbers[..] else { return None };
    Some(CompanionWork { served, skipped, computed_ns, lived_ns })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_has_done_comes_through_the_pipe_and_adds_up() {
        let done = CompanionWork { served: 1_000, skipped: 2, computed_ns: 200_000_000, lived_ns: 1_000_000_000 };
        assert_eq!(read_done(&answer(&done)), Some(done));
        assert_eq!(read_done("1 2 3"), None);
        assert_eq!(
            (done.share(), done.and(done).share(), CompanionWork::default().share()),
            (Some(0.2), Some(0.2), None)
        );
    }
}
