//! `prazo cost`: what a command and all its descendants cost, once or repeated, alone or against another setting.
//!
//! Ends as env(1) does: with the command's own status, or 125 (could not cost), 126 (cannot be executed), 127 (not found).

mod list;
mod table;

use crate::exit::{Exit, Failure};
use crate::{out, paper};
use prazo::cost::{CostAnswer, CostRequest, Costed, Subject};
use prazo_core::time::Duration;
use prazo_cost::command::{Output, Streams};
use std::path::PathBuf;

/// What a platform costs a program.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo cost -- make -j4
  prazo cost --runs 20 --vs 'chrt -f 50 {}' -- ./control --once
  prazo cost --workload scheduler --runs 10 --json

Ends with the command's own status, or 125 (could not cost), 126 (cannot be executed), 127 (not found).
Repeated runs read nothing and their output is discarded.")]
pub(super) struct Args {
    /// The command and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// Cost this workload instead of a command; `--list` names them
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    workload: Option<String>,
    /// How large the workload is, in its own unit; without, a pilot run finds the size that lasts about `--lasting`
    #[arg(long, value_name = "NUMBER", requires = "workload", value_parser = clap::value_parser!(u64).range(1..))]
    size: Option<u64>,
    /// How long a run of the workload shall last, where a pilot run sizes it
    #[arg(long, value_name = "TIME", default_value = "2s")]
    lasting: Duration,
    /// Runs that count; medians and intervals from 6 on
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: u32,
    /// Runs before those that count; 1 where there are several, unless given
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(..=1_000))]
    warm_up: Option<u32>,
    /// Another command, or a setting of this one (`nice -n 5 {}`), run in the same rounds; may be given several times
    #[arg(long, value_name = "WORDS")]
    vs: Vec<String>,
    /// Seeds the order within the rounds
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// The longest that one run may take; then it and its descendants are ended
    #[arg(long, value_name = "TIME")]
    limit: Option<Duration>,
    /// How long descendants that outlive the command are counted, and then ended; as long as --limit, or 5s
    #[arg(long, value_name = "TIME")]
    left_behind: Option<Duration>,
    /// Count instructions and cycles, too, which costs some percent on a virtual machine; under PREEMPT_RT also migrations, which holds up the end of every process
    #[arg(long)]
    counters: bool,
    /// Name the workloads there are
    #[arg(long)]
    list: bool,
    /// Print JSON; the output of a single run goes to standard error
    #[arg(long)]
    json: bool,
    /// Write the JSON to a file, and leave standard output to the command
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Args {
    /// Lists the workloads, or costs something.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if self.list {
            return list::print(self.json);
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
            Some(name) => Subject::Workload { name: name.clone(), size: self.size, lasting: self.lasting },
            None => Subject::Command(self.command.clone()),
        };
        let request = CostRequest {
            subject,
            versus: self.vs.clone(),
            runs: self.runs,
            warm_up: self.warm_up,
            seed: self.seed,
            limit: self.limit,
            left_behind: self.left_behind,
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
            (false, false) => out::text(&table::table(costed, &paper::style())),
            (false, true) => {
                table::table(costed, &paper::style()).split('\n').for_each(out::note);
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
