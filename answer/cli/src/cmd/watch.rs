//! `prazo watch`: any program against its deadline, with the cause of each miss.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::watch::{ProgramSection, Rules, Target, WatchEnding, WatchRequest, WatchedProgram};
use prazo_core::time::Duration;
use prazo_report::json;
use std::io::{IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Watch any program against its deadline, with the cause of each miss
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo watch 812 -D 10s                   a running process, with all its threads
  prazo watch 812/815 --deadline 200us     one of its threads
  prazo watch --unit controller.service --until-miss
  prazo watch --deployed -D 10s            the tasks of prazo sched deploy
  prazo watch --json -- cyclictest -m -p 80 -i 1000 -l 10000

Due instants come from the program's own waits: absolute sleeps, timerfds,
timer signals. prazo finds the period. An activation misses its deadline if the
thread begins its next wait after the deadline.

Exit status: 0 no miss and no broken rule, 1 a miss, a broken rule, a response
beyond the proven bound or an exceeded --budget, 3 an incomplete record, a
changed deployment or no activation due, 4 cannot be watched. If a started
program ends with a status other than 0, prazo ends with that status; if it ends
with 0, prazo ends with 0 instead of 3.")]
pub(super) struct Args {
    /// Process to watch, or one thread of it
    #[arg(value_name = "PID[/TID]", value_parser = process)]
    process: Option<(u32, Option<u32>)>,
    /// Watch processes and threads by name, also those that start later; `*` and `?` are wildcards
    #[arg(long, value_name = "PATTERN", conflicts_with_all = ["process", "unit", "cgroup", "program"])]
    comm: Option<String>,
    /// Watch a systemd unit
    #[arg(long, value_name = "NAME", conflicts_with_all = ["process", "cgroup", "program"])]
    unit: Option<String>,
    /// Watch a control group and those below it, as in /system.slice
    #[arg(long, value_name = "PATH", conflicts_with_all = ["process", "program"], hide_short_help = true)]
    cgroup: Option<String>,
    /// Watch the tasks of `prazo sched deploy`, each against its own period, deadline, budget and proven bound
    #[arg(long, conflicts_with_all = ["process", "comm", "unit", "cgroup", "program", "period", "deadline", "budget"])]
    deployed: bool,
    /// Program to start and watch, with its arguments
    #[arg(last = true, value_name = "PROGRAM", conflicts_with = "process")]
    program: Vec<String>,
    /// Duration to watch [default: until PROGRAM, the process or all deployed tasks end, or Ctrl-C; with --comm, --unit or --cgroup until Ctrl-C]
    #[arg(long, short = 'D', value_name = "TIME", visible_alias = "for")]
    duration: Option<Duration>,
    /// Stop at the first missed deadline or broken rule
    #[arg(long)]
    until_miss: bool,
    /// Keep only the last part of the run, such as 1h, in the run file [default: all]
    ///
    /// The run file is a ring on disk. Every second, the samples that are older are removed from it. It has at most 500
    /// MB, and its log at most 64 MB. If the samples need more, the oldest are removed earlier, and the file says so.
    /// After SIGKILL, the file can still be opened, and has the samples written until then.
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    keep: Option<Duration>,
    /// Period of the activations [default: found from the waits]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    period: Option<Duration>,
    /// Deadline of each activation, counted from its due instant [default: the period]
    #[arg(long, value_name = "TIME")]
    deadline: Option<Duration>,
    /// Processor time that one activation may use
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    budget: Option<Duration>,
    /// Rules that each activation must keep: a TOML file, or `rtapp` for the built-in rules
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Section of the program to time: a function, or two places as in `A..B`; repeat the flag for several sections
    ///
    /// A place is a symbol, a line of a source file as in loop.c:120, or a static probe.
    #[arg(long = "section", value_name = "SECTION")]
    sections: Vec<ProgramSection>,
    /// Number of each thread's worst activations to explain
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    worst: u32,
    /// Trace only waits and wake-ups, which costs less
    ///
    /// Interrupts, softirqs, stalls and page faults that do not block cannot then be named as causes. Threads,
    /// throttling, locks, waits and page faults that block are still named.
    #[arg(long, hide_short_help = true)]
    no_causes: bool,
    /// Run file to write [default: prazo-results/watch-DATE.prazo]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// File for a Perfetto trace of the worst activations
    #[arg(long, value_name = "FILE.json", hide_short_help = true)]
    trace: Option<PathBuf>,
    /// Serve the figures as OpenMetrics at this loopback address, such as 127.0.0.1:9100
    #[arg(long, value_name = "ADDRESS", hide_short_help = true)]
    metrics: Option<SocketAddr>,
    /// Measure the processor time that the kernel spends on watching
    #[arg(long, hide_short_help = true)]
    cost: bool,
    /// Print JSON; a started program's output goes to standard error
    #[arg(long)]
    json: bool,
    /// Print the figures so far every second, as one line of JSON
    ///
    /// The last line is the final answer. Each line has the same form as the output of --json.
    #[arg(long, requires = "json", hide_short_help = true)]
    lines: bool,
}

/// `812`, `812/815`.
fn process(text: &str) -> Result<(u32, Option<u32>), String> {
    let (process, thread) = text.split_once('/').map_or((text, None), |(process, thread)| (process, Some(thread)));
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    let thread = thread.map(|text| number(text).ok_or(text)).transpose();
    match (number(process), thread) {
        (Some(process), Ok(thread)) => Ok((process, thread)),
        _ => Err("expected a process, as in 812, or a thread, as in 812/815; --comm takes names".into()),
    }
}

impl Args {
    /// Watches and judges.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let (request, mut console) = (self.request()?, Console::default());
        // A progress line would cut the program's own output, so that this is all until it ends.
        if let (Target::Command(words), true) = (&request.target, std::io::stderr().is_terminal()) {
            let limit = self.duration.map_or_else(String::new, |limit| format!(", for {limit} at most"));
            out::note(format_args!("watching '{}' until it ends{limit}", words.join(" ")));
        }
        let watched = match self.lines {
            true => prazo::watch::watch_live(&request, &mut line, &mut console)?,
            false => prazo::watch::watch(&request, &mut console)?,
        };
        // Its progress line ends before the answer begins.
        drop(console);
        match self.lines {
            true => out::json_line(&watched)?,
            false => out::answer(self.json, &watched)?,
        }
        Ok(match watched.ending() {
            WatchEnding::Program(status) => Exit::Command(status),
            WatchEnding::Judged(outcome) => outcome.into(),
        })
    }

    fn request(&self) -> Result<WatchRequest, Failure> {
        let target = match (self.process, &self.comm, self.unit.as_ref().or(self.cgroup.as_ref())) {
            (Some((id, thread)), ..) => Target::Process { id, thread },
            (_, Some(pattern), _) => Target::Name(pattern.clone()),
            (.., Some(group)) => Target::Group(group.clone()),
            _ if self.deployed => Target::Deployment,
            _ if self.program.is_empty() => {
                return Err(Failure::usage(
                    "nothing to watch is named; give a process (812) or a thread of it (812/815), --comm PATTERN, --unit NAME, \
                     --cgroup PATH, --deployed, or a program to start (`-- PROGRAM`)",
                ));
            }
            _ => Target::Command(self.program.clone()),
        };
        let rules = self.rules.as_deref().map(Rules::read).transpose()?.unwrap_or_default();
        Ok(WatchRequest {
            target,
            duration: self.duration,
            until_miss: self.until_miss,
            keep: self.keep,
            period: self.period,
            deadline: self.deadline,
            budget: self.budget,
            rules,
            sections: self.sections.clone(),
            worst: self.worst as usize,
            causes: !self.no_causes,
            output_to_error: self.json,
            file: self.output.clone(),
            trace: self.trace.clone(),
            metrics: self.metrics,
            cost: self.cost,
            command: command_line(),
        })
    }
}

/// The answer so far. Where no reader is left, the watch ends.
fn line(watched: &WatchedProgram) -> ControlFlow<()> {
    let mut to = out::Pieces::new();
    let written = serde_json::to_string(watched).map_err(std::io::Error::from);
    let written = written.and_then(|line| writeln!(to, "{}", json::printable(line)).and_then(|()| to.flush()));
    if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_may_be_narrowed_to_a_thread() {
        assert_eq!(process("812"), Ok((812, None)));
        assert_eq!(process("812/815"), Ok((812, Some(815))));
        for wrong in ["", "0", "ctl", "812/", "812/x", "-1"] {
            assert!(process(wrong).is_err(), "{wrong}");
        }
    }
}
