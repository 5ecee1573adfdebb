//! `prazo cost`: what a command and all its descendants cost, once or repeated, alone or against another setting.
//!
//! Ends as env(1) does: with the command's own status, or 125 (could not cost), 126 (cannot be executed), 127 (not found).

use crate::exit::{Exit, Failure};
use crate::out;
use prazo::cost::{CostAnswer, CostRequest, Costed, Subject};
use prazo_core::time::Duration;
use prazo_cost::command::{Output, Streams};
use prazo_report::terminal::InWords;
use std::path::PathBuf;

/// Measure the cost of a command: time, waits, switches, page faults
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo cost -- sha256sum Cargo.lock
  prazo cost --runs 20 --vs 'chrt -f 50 {}' -- ./control --once
  prazo cost --workload scheduler --runs 10 --json

Exit status: that of the command; with several runs, the first status that is
not 0; 125 could not measure, 126 cannot be executed, 127 not found. Repeated
runs have no input, and their output is discarded.")]
pub(super) struct Args {
    /// Command to measure, with its arguments
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// Workload to measure instead of a command; --list names them
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    workload: Option<String>,
    /// Size of the workload, in the unit that --list shows [default: a pilot run finds the size for --duration]
    #[arg(long, hide_short_help = true, value_name = "NUMBER", requires = "workload", value_parser = clap::value_parser!(u64).range(1..))]
    size: Option<u64>,
    /// Duration that one run of the workload should take, if no --size is given
    #[arg(long, short = 'D', value_name = "TIME", default_value = "2s", hide_short_help = true)]
    duration: Duration,
    /// Number of measured runs; from 6 on, medians have confidence intervals
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: u32,
    /// Number of warm-up runs before the measured runs [default: 0 for one run of one command, else 1]
    #[arg(long, hide_short_help = true, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(..=1_000))]
    warm_up: Option<u32>,
    /// Also measure this command in the same rounds; `{}` in it stands for COMMAND, as in `nice -n 5 {}`
    #[arg(long, value_name = "WORDS")]
    vs: Vec<String>,
    /// Seed of the random order of the commands within each round
    #[arg(long, hide_short_help = true, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Elapsed time after which a run's command and its descendants are terminated
    #[arg(long, value_name = "TIME")]
    timeout: Option<Duration>,
    /// Time for which descendants may run on after the command's end before they are terminated [default: --timeout, else 5s]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    grace: Option<Duration>,
    /// Count instructions and cycles; under PREEMPT_RT also count migrations
    ///
    /// Counting adds a few percent to the cost on a virtual machine. Under PREEMPT_RT it delays the end of every
    /// process.
    #[arg(long)]
    counters: bool,
    /// List the workloads
    #[arg(long)]
    list: bool,
    /// Print JSON; the output of a command that runs once goes to standard error
    #[arg(long)]
    json: bool,
    /// Write the JSON to this file, and leave standard output to the command
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Args {
    /// Lists the workloads, or costs something.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if self.list {
            out::list(self.json, &prazo::cost::workloads())?;
            return Ok(Exit::Pass);
        }
        self.cost().map_err(Failure::into_env)
    }

    fn cost(&self) -> Result<Exit, Failure> {
        self.output.as_deref().map_or(Ok(()), prazo::output::free)?;
        let request = self.request();
        let CostAnswer { costed, status } = prazo::cost::cost(&request).map_err(failure)?;
        self.print(&costed, request.is_single())?;
        Ok(Exit::Command(status))
    }

    fn request(&self) -> CostRequest {
        let subject = match &self.workload {
            Some(name) => Subject::Workload { name: name.clone(), size: self.size, duration: self.duration },
            None => Subject::Command(self.command.clone()),
        };
        let request = CostRequest {
            subject,
            versus: self.vs.clone(),
            runs: self.runs,
            warm_up: self.warm_up,
            seed: self.seed,
            timeout: self.timeout,
            grace: self.grace,
            counters: self.counters,
            streams: Streams { no_input: true, output: Output::Discarded },
        };
        let streams = match request.is_single() {
            // Standard output is the document's.
            true if self.json && self.output.is_none() => Streams { no_input: false, output: Output::ToError },
            true => Streams::default(),
            false => request.streams,
        };
        CostRequest { streams, ..request }
    }

    /// The document, and the table where its stream is not the command's.
    fn print(&self, costed: &Costed, is_single: bool) -> Result<(), Failure> {
        if let Some(file) = &self.output {
            let text = serde_json::to_string_pretty(costed).map_err(Failure::world)? + "\n";
            prazo::output::write(file, text)?;
        }
        match (self.json && self.output.is_none(), is_single) {
            (true, _) => out::json(costed),
            (false, false) => out::words(costed),
            (false, true) => {
                costed.in_words(&out::style()).lines().for_each(out::note);
                Ok(())
            }
        }
    }
}

/// What env(1) would say of a command that could not begin.
fn failure(error: prazo::Error) -> Failure {
    match error.command_status() {
        Some(status) => Failure::Command { status, line: error.to_string() },
        None => error.into(),
    }
}
