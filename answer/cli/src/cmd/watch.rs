//! `prazo watch`: any program against its deadline, with the cause of each miss.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::live::us;
use crate::{out, paper};
use prazo::watch::{Rules, Section, Target, WatchRequest, WatchedProgram};
use prazo_core::text::{grouped, printable};
use prazo_core::time::Duration;
use prazo_report::json;
use prazo_report::terminal::{self, Side};
use prazo_report::view::Cell;
use prazo_verdict::Outcome;
use prazo_verdict::watched::{WatchedQuantiles, WatchedSection, WatchedThread};
use std::io::Write as _;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Watch any program against its deadline, with the cause of each miss
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo watch 812 -D 10s                   a process that runs, all its threads
  prazo watch 812/815 --deadline 200us     one of its threads
  prazo watch --unit controller.service --until-miss
  prazo watch --json -- cyclictest -m -p 80 -i 1000 -l 10000

Due instants come from the program's own waits: absolute sleeps, timerfds,
timers' signals. prazo finds the period. An activation misses its deadline if the thread waits again only after that.

Exit status: 0 no miss, 1 a miss, 3 an incomplete record or nothing due, 4 cannot
be watched. A started program's own status is kept if it is not 0.")]
pub(super) struct Args {
    /// Process to watch, or one thread of it
    #[arg(value_name = "PID[/TID]", value_parser = process, required_unless_present_any = ["comm", "unit", "cgroup", "program"])]
    process: Option<(u32, Option<u32>)>,
    /// Watch processes and threads by name, later ones too; `*` and `?` are wildcards
    #[arg(long, value_name = "PATTERN", conflicts_with_all = ["process", "unit", "cgroup", "program"])]
    comm: Option<String>,
    /// Watch a systemd unit
    #[arg(long, value_name = "NAME", conflicts_with_all = ["process", "cgroup", "program"])]
    unit: Option<String>,
    /// Watch a control group and those below it, as in /system.slice
    #[arg(long, value_name = "PATH", conflicts_with_all = ["process", "program"], hide_short_help = true)]
    cgroup: Option<String>,
    /// Program to start and watch, with its arguments
    #[arg(last = true, value_name = "PROGRAM", conflicts_with = "process")]
    program: Vec<String>,
    /// Duration to watch [default: until the program ends, or Ctrl-C]
    #[arg(long, short = 'D', value_name = "TIME", visible_alias = "for")]
    duration: Option<Duration>,
    /// Stop at the first missed deadline or broken rule
    #[arg(long)]
    until_miss: bool,
    /// Time before the end that the run file keeps, as in 30s [default: all]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    keep: Option<Duration>,
    /// Period [default: found]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    period: Option<Duration>,
    /// Deadline of each activation, after it was due [default: the period]
    #[arg(long, value_name = "TIME")]
    deadline: Option<Duration>,
    /// Processor time that one activation may use
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    budget: Option<Duration>,
    /// Rules for each activation, in TOML, or `rtapp`
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Section to time: a function, or two places as in `A..B`; can be repeated
    #[arg(long = "section", value_name = "SECTION")]
    sections: Vec<Section>,
    /// Number of each thread's worst activations to explain
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    worst: u32,
    /// Run file to write [default: prazo-results/watch-DATE.prazo]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// File for a Perfetto trace of the worst activations
    #[arg(long, value_name = "FILE.json", hide_short_help = true)]
    trace: Option<PathBuf>,
    /// Serve OpenMetrics, as at 127.0.0.1:9100
    #[arg(long, value_name = "ADDRESS", hide_short_help = true)]
    metrics: Option<SocketAddr>,
    /// Have the kernel count what watching costs it
    #[arg(long, hide_short_help = true)]
    cost: bool,
    /// Print JSON; a started program's output goes to standard error
    #[arg(long)]
    json: bool,
    /// Print the answer so far every second, one line each
    ///
    /// The last line is the answer. The lines have the form of --json.
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
        let (request, console) = (self.request()?, &mut Console::default());
        let watched = match self.lines {
            true => prazo::watch::watch_live(&request, &mut line, console)?,
            false => prazo::watch::watch(&request, console)?,
        };
        match (self.json, self.lines) {
            (_, true) => out::json_line(&watched)?,
            (true, false) => out::json(&watched)?,
            (false, false) => print(&watched)?,
        }
        Ok(match watched.status {
            Some(status @ 1..) => Exit::Command(status),
            // A program that ended well is no failure because little was seen of it.
            Some(0) if watched.outcome == Outcome::Inconclusive => Exit::Pass,
            _ => watched.outcome.into(),
        })
    }

    fn request(&self) -> Result<WatchRequest, Failure> {
        let target = match (self.process, &self.comm, self.unit.as_ref().or(self.cgroup.as_ref())) {
            (Some((id, thread)), ..) => Target::Process { id, thread },
            (_, Some(pattern), _) => Target::Name(pattern.clone()),
            (.., Some(group)) => Target::Group(group.clone()),
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

const HEADER: [&str; 11] =
    ["thread", "wait", "period ms", "due", "served", "skipped", "missed", "unseen", "p99 µs", "max µs", "response µs"];

fn cells(thread: &WatchedThread) -> [String; 11] {
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let of = |quantiles: &Option<WatchedQuantiles>, pick: fn(&WatchedQuantiles) -> Option<i64>| {
        us(quantiles.as_ref().and_then(pick))
    };
    [
        printable(&format!("{} {}", thread.thread_id, thread.name)).to_string(),
        thread.wait.clone(),
        or_none(thread.period_ns.map(|ns| format!("{:.3}", ns as f64 / 1e6))),
        or_none(thread.due.map(|due| grouped(due).to_string())),
        grouped(thread.served).to_string(),
        grouped(thread.skipped).to_string(),
        or_none(thread.missed.map(|missed| grouped(missed).to_string())),
        grouped(thread.unseen).to_string(),
        of(&thread.latency, |latency| latency.p99_ns),
        of(&thread.latency, |latency| Some(latency.max_ns)),
        of(&thread.response, |response| Some(response.max_ns)),
    ]
}

const SECTION_HEADER: [&str; 9] =
    ["section", "thread", "begun", "ended", "unseen", "p50 µs", "p99 µs", "max µs", "execution µs"];

fn section_cells(section: &WatchedSection) -> [String; 9] {
    let us = |ns: Option<i64>| ns.map_or_else(|| "-".to_owned(), |ns| format!("{:.1}", ns as f64 / 1e3));
    let time = section.time.as_ref();
    [
        printable(&section.section).to_string(),
        printable(&format!("{} {}", section.thread_id, section.name)).to_string(),
        section.begun.to_string(),
        section.ended.to_string(),
        section.unseen.to_string(),
        us(time.and_then(|time| time.p50_ns)),
        us(time.and_then(|time| time.p99_ns)),
        us(time.map(|time| time.max_ns)),
        us(section.execution.as_ref().map(|execution| execution.max_ns)),
    ]
}

/// The worst activations of each thread that a person wants to read.
const PRINTED: usize = 3;

fn print(watched: &WatchedProgram) -> Result<(), Failure> {
    let sides: Vec<Side> = (0..HEADER.len()).map(|at| if at < 2 { Side::Left } else { Side::Right }).collect();
    let row = |cells: [String; 11]| cells.map(Cell::from).to_vec();
    let rows: Vec<Vec<Cell>> =
        std::iter::once(HEADER.map(str::to_owned)).chain(watched.threads.iter().map(cells)).map(row).collect();
    out::text(terminal::columns(&sides, &rows, &paper::style()).trim_end())?;
    for thread in watched.threads.iter().filter(|thread| thread.deadline_ns.is_some()) {
        for (place, worst) in thread.worst.iter().take(PRINTED).enumerate() {
            let who = worst.who.as_ref().map_or_else(String::new, |who| format!(" {who}"));
            let line = format!("{} worst {}: {}{who}: {}", thread.thread_id, place + 1, worst.cause, worst.sentence);
            out::text_line(&line)?;
        }
    }
    if !watched.sections.is_empty() {
        let sides: Vec<Side> =
            (0..SECTION_HEADER.len()).map(|at| if at < 2 { Side::Left } else { Side::Right }).collect();
        let row = |cells: [String; 9]| cells.map(Cell::from).to_vec();
        let head = std::iter::once(SECTION_HEADER.map(str::to_owned));
        let rows: Vec<Vec<Cell>> = head.chain(watched.sections.iter().map(section_cells)).map(row).collect();
        out::text(terminal::columns(&sides, &rows, &paper::style()).trim_end())?;
        for section in &watched.sections {
            for (place, worst) in section.worst.iter().take(PRINTED).enumerate() {
                let who = worst.who.as_ref().map_or_else(String::new, |who| format!(" {who}"));
                let name = printable(&section.section);
                let line = format!("{name} worst {}: {}{who}: {}", place + 1, worst.cause, worst.sentence);
                out::text_line(&line)?;
            }
        }
    }
    for rule in &watched.rules {
        let [one, many] = rule.unit();
        let unit = if rule.checked() == 1 { one } else { many };
        let of = format!("{} of {} {unit}", grouped(rule.broken()), grouped(rule.checked()));
        out::text_line(&format!("rule {}: '{}', broken by {of}", rule.state.name(), rule.name))?;
    }
    for one in &watched.not_traced {
        out::text_line(&format!("- not traced: {} ({}); {}", one.what, one.why, one.consequence))?;
    }
    watched.remarks.iter().try_for_each(|remark| out::text_line(&format!("- {remark}")))?;
    for reason in &watched.reasons {
        out::text_line(&format!("{}: {} ({})", reason.speaks_for.name(), reason.text, reason.id))?;
    }
    let each =
        |ns: Option<u64>| ns.map_or_else(String::new, |ns| format!(", {:.1} µs for each activation", ns as f64 / 1e3));
    out::text_line(&format!(
        "watched for {:.1} s, with {:.2} s of processor time{}",
        watched.watched_s,
        watched.processor_time_s,
        each(watched.processor_time_per_activation_ns)
    ))?;
    if let Some(cost) = &watched.kernel_cost {
        out::text_line(&format!(
            "in the kernel: BPF programs ran {} times and took {:.3} s{}",
            grouped(cost.runs),
            cost.processor_time_s,
            each(cost.per_activation_ns)
        ))?;
    }
    watched.file.iter().try_for_each(|file| out::text_line(&format!("run file: {file}")))?;
    out::text_line(&format!("{}: {}", watched.target, watched.outcome.name().to_uppercase()))
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
