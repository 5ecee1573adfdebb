//! `prazo cost`: what a command and all its descendants cost, once or repeated, alone or against another setting.
//!
//! Ends as env(1) does: with the command's own status, or 125 (could not cost), 126 (cannot be executed), 127 (not found).

mod document;
mod list;
pub mod series;
mod table;
mod words;

pub use document::Costed;
pub use list::Listed;

use crate::exit::{Exit, Failure};
use crate::out;
use document::Made;
use prazo_core::time::Duration;
use prazo_cost::command::{Counting, LEFT_BEHIND_LIMIT, Output, Streams, Task};
use prazo_cost::workload::{self, Stage, Workload, WorkloadError};
use prazo_cost::{Account, CostError};
use series::Plan;
use std::path::PathBuf;

/// What a platform costs a program.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo cost -- make -j4
  prazo cost --runs 20 --vs 'chrt -f 50 {}' -- ./control --once
  prazo cost --workload scheduler --runs 10 --json

Ends with the command's own status, or 125 (could not cost), 126 (cannot be executed), 127 (not found).
Repeated runs read nothing and their output is discarded.")]
pub struct Args {
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
    pub fn run(self) -> Result<Exit, Failure> {
        if self.list {
            return list::print(self.json);
        }
        self.cost().map_err(Failure::into_env)
    }

    fn cost(&self) -> Result<Exit, Failure> {
        self.output.as_deref().map_or(Ok(()), crate::output::free)?;
        let made = match &self.workload {
            Some(name) => self.cost_workload(name)?,
            None => self.cost_command()?,
        };
        let costed = Costed::of(&made, self.seed);
        self.print(&costed)?;
        Ok(Exit::Command(made.status()))
    }

    /// The document, and the table where its stream is not the command's.
    fn print(&self, costed: &Costed) -> Result<(), Failure> {
        if let Some(file) = &self.output {
            let text = serde_json::to_string_pretty(costed).map_err(Failure::world)? + "\n";
            crate::output::write(file, text)?;
        }
        match (self.json && self.output.is_none(), self.is_single()) {
            (true, _) => out::json(costed),
            (false, false) => out::text_line(&table::table(costed)),
            (false, true) => {
                eprintln!("{}", table::table(costed));
                Ok(())
            }
        }
    }

    /// One run of one command, which keeps its input and output.
    fn is_single(&self) -> bool {
        self.workload.is_none() && self.vs.is_empty() && self.runs == 1 && self.warm_up.unwrap_or(0) == 0
    }

    fn cost_command(&self) -> Result<Made, Failure> {
        if self.command.is_empty() {
            return Err(Failure::usage("no command is given; write it behind --, as in prazo cost -- make"));
        }
        let sides = self.sides(&self.command)?;
        let streams = match self.is_single() {
            true if self.json && self.output.is_none() => Streams { no_input: false, output: Output::ToError },
            true => Streams::default(),
            false => Streams { no_input: true, output: Output::Discarded },
        };
        let task = |words: &[String]| {
            Task::new(words.iter().map(String::as_str))
                .map(|task| self.limited(Task { streams, ..task }))
                .map_err(Failure::usage)
        };
        let tasks = sides.iter().map(|words| task(words)).collect::<Result<Vec<_>, _>>()?;
        let series = series::run(&tasks, self.plan(), |_, task| cost(task))?;
        Ok(Made { plan: self.plan(), sides, series, workload: None })
    }

    fn cost_workload(&self, name: &str) -> Result<Made, Failure> {
        let workload = workload::find(name)
            .ok_or_else(|| Failure::usage(format!("there is no workload '{name}'; --list names those there are")))?;
        let stage = Stage::set(workload).map_err(Failure::world)?;
        let size = self.size.map_or_else(|| self.sized(workload, &stage), Ok)?;
        let sides = self.sides(&stage.words(size))?;
        let task = |words: &Vec<String>| stage.task(words, None).map(|task| self.limited(task)).map_err(Failure::world);
        let tasks = sides.iter().map(task).collect::<Result<Vec<_>, _>>()?;
        let series = series::run(&tasks, self.plan(), |_, task| stage.perform(task, size).map_err(refused))?;
        let performed = document::Performed::of(workload, size, self.size.is_none(), stage.programs.clone());
        Ok(Made { plan: self.plan(), sides, series, workload: Some(performed) })
    }

    /// The size that a pilot run finds; a workload that fails is not sized.
    fn sized(&self, workload: &Workload, stage: &Stage) -> Result<u64, Failure> {
        let pilot = |size: u64| {
            let task = self.limited(stage.task(&stage.words(size), None).map_err(refused)?);
            let account = stage.perform(&task, size).map_err(refused)?;
            match account.exit.status {
                0 => Ok(std::time::Duration::from_nanos(account.wall_ns.value.unwrap_or(0))),
                status => Err(Failure::world(format!(
                    "the pilot run of workload '{}' ended with status {status}: {}",
                    workload.name,
                    stage.words(size).join(" ")
                ))),
            }
        };
        workload::size_for(std::time::Duration::from_nanos(self.lasting.as_ns()), workload.first_size, pilot)
    }

    /// The words of the command and of each alternative.
    fn sides(&self, command: &[String]) -> Result<Vec<Vec<String>>, Failure> {
        let other = |text: &String| {
            words::split(text)
                .map(|setting| words::applied(&setting, command))
                .map_err(|reason| Failure::usage(format!("--vs '{text}': {reason}")))
        };
        let others = self.vs.iter().map(other).collect::<Result<Vec<_>, _>>()?;
        Ok(std::iter::once(command.to_vec()).chain(others).collect())
    }

    fn limited(&self, task: Task) -> Task {
        let time = |duration: Duration| std::time::Duration::from_nanos(duration.as_ns());
        let left_behind_limit = self.left_behind.or(self.limit).map_or(LEFT_BEHIND_LIMIT, time);
        let counting = if self.counters { Counting::Hardware } else { task.counting };
        Task { limit: self.limit.map(time), left_behind_limit, counting, ..task }
    }

    fn plan(&self) -> Plan {
        let several = u32::from(!self.is_single());
        Plan { runs: self.runs, warm_up: self.warm_up.unwrap_or(several), seed: self.seed }
    }
}

/// One account; what env(1) would say of a command that could not begin.
fn cost(task: &Task) -> Result<Account, Failure> {
    prazo_cost::cost(task)
        .map_err(|error: CostError| Failure::Command { status: error.status(), line: error.to_string() })
}

fn refused(error: WorkloadError) -> Failure {
    Failure::Command { status: error.status(), line: error.to_string() }
}
