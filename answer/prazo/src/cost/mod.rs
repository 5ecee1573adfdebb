//! What a command and all its descendants cost, once or repeated, alone or against other settings.

mod document;
pub(crate) mod series;
mod text;
mod words;

pub use document::{Costed, FigureUnit, Performed, Repeated, RunEnding, Side, Versus};

use crate::error::Error;
use document::Made;
use prazo_core::time::Duration;
use prazo_cost::CostError;
use prazo_cost::command::{Counting, LEFT_BEHIND_LIMIT, Streams, Task};
use prazo_cost::workload::{self, Stage, Workload, WorkloadError, catalogue};
use prazo_platform::programs;
use schemars::JsonSchema;
use serde::Serialize;
use series::Plan;
use std::fmt;

/// What shall be costed, and how.
#[derive(Clone, Debug)]
pub struct CostRequest {
    /// A command, or a workload of the catalogue.
    pub subject: Subject,
    /// Other commands, or settings of this one (`nice -n 5 {}`), run in the same rounds.
    pub versus: Vec<String>,
    /// Runs that count.
    pub runs: u32,
    /// Runs before those; `None` is one where there are several runs or commands.
    pub warm_up: Option<u32>,
    /// Seeds the order within the rounds.
    pub seed: u64,
    /// The longest that one run may take.
    pub timeout: Option<Duration>,
    /// How long descendants that outlive the command are counted; `None` is as long as `timeout`, or 5 s.
    pub grace: Option<Duration>,
    /// Count instructions and cycles, too.
    pub counters: bool,
    /// What the command reads and writes; taken for a single run only, others read nothing and their output is discarded.
    pub streams: Streams,
}

/// What is run.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A command and its arguments.
    Command(Vec<String>),
    /// A workload of the catalogue.
    Workload {
        /// Its name.
        name: String,
        /// Its size, in its own unit; `None` lets a pilot run find the size that takes about `duration`.
        size: Option<u64>,
        /// How long a run shall take where a pilot run sizes it.
        duration: Duration,
    },
}

/// What it cost, and the status that env(1) would end with.
pub struct CostAnswer {
    /// The figures.
    pub costed: Costed,
    /// The first status that is not 0, of all runs.
    pub status: u8,
}

/// One workload of the catalogue, with the packages that it needs and this machine lacks.
#[derive(Serialize, JsonSchema)]
pub struct ListedWorkload {
    /// Name of the workload, for `--workload`.
    pub name: &'static str,
    /// Work that the workload does.
    pub what: &'static str,
    /// Paper and benchmark from which the workload is taken.
    pub source: &'static str,
    /// Unit in which the workload's size is counted.
    pub unit: &'static str,
    /// Debian packages that the workload needs and that are not installed on this machine.
    pub missing_packages: Vec<&'static str>,
}

impl fmt::Display for ListedWorkload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<12} {} Size in {} [{}]", self.name, self.what, self.unit, self.source)?;
        match self.missing_packages.as_slice() {
            [] => Ok(()),
            packages => write!(f, "; not installed: {}", packages.join(", ")),
        }
    }
}

/// The workloads there are.
pub fn workloads() -> Vec<ListedWorkload> {
    let listed = |workload: &Workload| {
        let missing = workload.programs.iter().filter(|program| programs::find(program.name).is_none());
        ListedWorkload {
            name: workload.name,
            what: workload.what,
            source: workload.source,
            unit: workload.unit,
            missing_packages: missing.map(|program| program.package).collect(),
        }
    };
    catalogue().iter().map(listed).collect()
}

/// Costs it. An error's source is a [`CostError`] or [`WorkloadError`] where the command itself could not be run.
pub fn cost(request: &CostRequest) -> Result<CostAnswer, Error> {
    let made = match &request.subject {
        Subject::Command(words) => request.cost_command(words)?,
        Subject::Workload { name, size, duration } => request.cost_workload(name, *size, *duration)?,
    };
    Ok(CostAnswer { costed: Costed::of(&made, request.seed), status: made.status() })
}

impl CostRequest {
    /// True for one run of one command, which keeps its input and output.
    pub fn is_single(&self) -> bool {
        let is_command = matches!(self.subject, Subject::Command(_));
        is_command && self.versus.is_empty() && self.runs == 1 && self.warm_up.unwrap_or(0) == 0
    }

    fn cost_command(&self, words: &[String]) -> Result<Made, Error> {
        if words.is_empty() {
            return Err(Error::refused("no command is given")
                .with_remedy("write the command after --, as in prazo cost -- make"));
        }
        let sides = self.sides(words)?;
        let task = |words: &[String]| {
            Task::new(words.iter().map(String::as_str))
                .map(|task| self.limited(Task { streams: self.streams, ..task }))
                .map_err(Error::refused)
        };
        let tasks = sides.iter().map(|words| task(words)).collect::<Result<Vec<_>, _>>()?;
        let series = series::run(&tasks, self.plan(), |_, task| prazo_cost::cost(task).map_err(Error::failed))?;
        Ok(Made { plan: self.plan(), sides, series, workload: None })
    }

    fn cost_workload(&self, name: &str, size: Option<u64>, duration: Duration) -> Result<Made, Error> {
        let workload = workload::find(name)
            .ok_or_else(|| Error::refused(format!("there is no workload '{name}'; --list shows all workloads")))?;
        let stage = Stage::set(workload).map_err(Error::failed)?;
        let is_piloted = size.is_none();
        let size = size.map_or_else(|| self.sized(workload, &stage, duration), Ok)?;
        let sides = self.sides(&stage.words(size))?;
        let task = |words: &Vec<String>| stage.task(words, None).map(|task| self.limited(task)).map_err(Error::failed);
        let tasks = sides.iter().map(task).collect::<Result<Vec<_>, _>>()?;
        let series = series::run(&tasks, self.plan(), |_, task| stage.perform(task, size).map_err(Error::failed))?;
        let performed = Performed::of(workload, size, is_piloted, stage.programs.clone());
        Ok(Made { plan: self.plan(), sides, series, workload: Some(performed) })
    }

    /// The size that a pilot run finds; a workload that fails is not sized.
    fn sized(&self, workload: &Workload, stage: &Stage, duration: Duration) -> Result<u64, Error> {
        let pilot = |size: u64| {
            let task = self.limited(stage.task(&stage.words(size), None).map_err(Error::failed)?);
            let account = stage.perform(&task, size).map_err(Error::failed)?;
            match account.exit.status {
                0 => Ok(std::time::Duration::from_nanos(account.wall_ns.value.unwrap_or(0))),
                status => Err(Error::failed(format!(
                    "the pilot run of workload '{}' ended with status {status}: {}",
                    workload.name,
                    stage.words(size).join(" ")
                ))),
            }
        };
        workload::size_for(std::time::Duration::from_nanos(duration.as_ns()), workload.first_size, pilot)
    }

    /// The words of the command and of each alternative.
    fn sides(&self, command: &[String]) -> Result<Vec<Vec<String>>, Error> {
        let other = |text: &String| {
            words::split(text)
                .map(|setting| words::applied(&setting, command))
                .map_err(|reason| Error::refused(format!("--vs '{text}': {reason}")))
        };
        let others = self.versus.iter().map(other).collect::<Result<Vec<_>, _>>()?;
        Ok(std::iter::once(command.to_vec()).chain(others).collect())
    }

    fn limited(&self, task: Task) -> Task {
        let time = |duration: Duration| std::time::Duration::from_nanos(duration.as_ns());
        let left_behind_limit = self.grace.or(self.timeout).map_or(LEFT_BEHIND_LIMIT, time);
        let counting = if self.counters { Counting::Hardware } else { task.counting };
        Task { limit: self.timeout.map(time), left_behind_limit, counting, ..task }
    }

    fn plan(&self) -> Plan {
        let several = u32::from(!self.is_single());
        Plan { runs: self.runs, warm_up: self.warm_up.unwrap_or(several), seed: self.seed }
    }
}

impl Error {
    /// The status that env(1) ends with, where a command that was costed could not be run.
    pub fn command_status(&self) -> Option<u8> {
        let cause = std::error::Error::source(self)?;
        let of_cost = cause.downcast_ref::<CostError>().map(CostError::status);
        of_cost.or_else(|| cause.downcast_ref::<WorkloadError>().map(WorkloadError::status))
    }
}
