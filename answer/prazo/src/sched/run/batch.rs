//! Many sets in one go, in a guest in one boot: JSON Lines in, JSON Lines out, one short answer a record.

use super::plan::{self, Execution, Source};
use crate::error::Error;
use crate::sched::grants::Grants;
use crate::sched::json_lines::{self, BatchCount};
use crate::sched::simulate::{Modelled, SimulationOptions, modelled};
use prazo_run::jobs::{SetPlan, SetRun};
use prazo_scenario::read::record;
use prazo_stats::jobs::{TaskJobs, jobs};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::io::BufRead;

/// A record's integers are microseconds.
const NS_PER_TICK: u64 = 1_000;

/// Result of one task set, as one line of the output.
#[derive(Serialize, JsonSchema)]
pub struct RunLine {
    /// The id of the record; null if it has none.
    pub id: Value,
    /// Number of jobs that were due; null where the set was not run.
    pub jobs: Option<u64>,
    /// Number of jobs that missed their deadline; null where the set was not run.
    pub misses: Option<u64>,
    /// Number of jobs that used up their budget; null under SCHED_FIFO, or where the set was not run.
    pub overruns: Option<u64>,
    /// Number of migrations; null where the set was not run.
    pub migrations: Option<u64>,
    /// Number of times that a job ran outside its cluster; null where the set was not run.
    pub outside: Option<u64>,
    /// The longest observed tardiness; null where the set was not run.
    pub max_tardiness_us: Option<f64>,
    /// Why the set was not run; null where it was.
    pub error: Option<String>,
}

/// The records of a file, each with its plan or why there is none.
pub(crate) struct Batch(Vec<(Value, Result<SetPlan, String>)>);

impl Batch {
    /// Reads them.
    pub(crate) fn read(
        records: &mut dyn BufRead,
        options: &SimulationOptions,
        grants: &Grants,
        execution: &Execution,
    ) -> Result<Self, Error> {
        let unread = |error| Error::field("batch", error).with_remedy("name a file of JSON Lines");
        let text = std::io::read_to_string(records).map_err(unread)?;
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let plan = |(number, line)| (json_lines::identifier(line), planned(number, line, options, grants, execution));
        Ok(Self(lines.enumerate().map(plan).collect()))
    }

    /// The plans of the records that can be run.
    pub(crate) fn plans(&self) -> Vec<SetPlan> {
        self.0.iter().filter_map(|(_, plan)| plan.as_ref().ok()).cloned().collect()
    }

    /// How many records there are, and how many cannot be run as they are written.
    pub(crate) fn count(&self) -> BatchCount {
        let refused = self.0.iter().filter(|(_, plan)| plan.is_err()).count();
        BatchCount { records: self.0.len() as u64, refused: refused as u64 }
    }

    /// One answer a record, from the sets in the order of the plans.
    pub(crate) fn answers(self, sets: &[SetRun]) -> Vec<RunLine> {
        let mut sets = sets.iter();
        let ended = || "the run was interrupted before this set".to_owned();
        let answer = |(id, plan): (Value, Result<SetPlan, String>)| match plan {
            Err(why) => refused(id, why),
            Ok(_) => sets.next().map_or_else(|| refused(id.clone(), ended()), |set| line(id.clone(), set)),
        };
        self.0.into_iter().map(answer).collect()
    }
}

fn planned(
    number: usize,
    line: &str,
    options: &SimulationOptions,
    grants: &Grants,
    execution: &Execution,
) -> Result<SetPlan, String> {
    let record = record::parse(line).map_err(|problem| problem.to_string())?;
    let Modelled { model, placed } = modelled(&record, options, grants, options.variation.seed)?;
    let reservation = |(task, model): (&prazo_core::task::Task, _)| plan::reservation(task.cost * NS_PER_TICK, model);
    let source = Source {
        name: format!("set {number}"),
        names: (0..record.tasks.len()).map(|task| format!("t{task}")).collect(),
        reservations: record.tasks.iter().zip(&model.tasks).map(reservation).collect(),
        model: &model,
        clusters: &placed.clusters,
        places: &placed.places,
    };
    plan::of(&source, execution).map_err(|error| error.to_string())
}

fn refused(id: Value, error: String) -> RunLine {
    let none = None;
    RunLine {
        id,
        jobs: none,
        misses: none,
        overruns: none,
        migrations: none,
        outside: none,
        max_tardiness_us: None,
        error: Some(error),
    }
}

fn line(id: Value, set: &SetRun) -> RunLine {
    if let Some(why) = &set.refused {
        return refused(id, why.clone());
    }
    let figures = jobs(set);
    let sum = |of: fn(&TaskJobs) -> u64| Some(figures.iter().map(of).sum());
    let tardiness_ns = figures.iter().map(|of| of.tardiness_ns_max).max().unwrap_or(0);
    RunLine {
        id,
        jobs: sum(|of| of.jobs),
        misses: sum(|of| of.misses),
        overruns: figures.iter().map(|of| of.overruns).sum(),
        migrations: sum(|of| of.migrations),
        outside: sum(|of| of.outside),
        max_tardiness_us: Some(tardiness_ns as f64 / NS_PER_TICK as f64),
        error: None,
    }
}
