//! Options of Python's functions as the library takes them.

use crate::error::{of, refused};
use prazo::sched::{
    MethodOptions, OverheadsChoice, RegionOf, SchedulerChoice, SchedulerOptions, SimulationOptions, TaskSet,
};
use prazo_analysis::partition::{Heuristic, Order};
use prazo_analysis::question::{Inflate, Method};
use prazo_core::time::Duration;
use prazo_scenario::{Priorities, overheads, read};
use pyo3::prelude::*;
use serde::Deserialize;
use std::path::Path;
use std::str::FromStr;

/// Who schedules, and what the platform costs; what is absent is the scenario's.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Scheduling {
    scheduler: Option<String>,
    processors: Option<u32>,
    policy: Option<String>,
    priorities: Option<String>,
    overheads: Option<String>,
    /// The text of a table.
    overheads_table: Option<String>,
    time: Option<String>,
}

/// Which tests, at what cost.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Testing {
    #[serde(flatten)]
    scheduling: Scheduling,
    tests: Option<Vec<String>>,
    #[serde(default)]
    all_tests: bool,
    budget: Option<u64>,
    simulated_jobs: Option<u64>,
    heuristics: Option<Vec<String>>,
    order: Option<String>,
    #[serde(default)]
    inflate_once: bool,
    #[serde(default)]
    split: bool,
    #[serde(default)]
    pub(crate) sensitivity: bool,
    region: Option<String>,
}

/// What is simulated.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Simulating {
    #[serde(flatten)]
    scheduling: Scheduling,
    duration: Option<String>,
    arrivals: Option<String>,
    offsets: Option<String>,
    execution: Option<String>,
    suspensions: Option<String>,
    supply: Option<String>,
    late: Option<String>,
    quantum: Option<String>,
    seed: Option<u64>,
}

/// The options of a function, from Python's JSON.
pub(crate) fn parsed<'a, T: Deserialize<'a>>(json: &'a str) -> PyResult<T> {
    serde_json::from_str(json).map_err(refused)
}

fn word<T: FromStr<Err: std::fmt::Display>>(field: &str, text: &str) -> PyResult<T> {
    text.parse().map_err(|error| refused(format!("{field} '{text}': {error}")))
}

/// A length of time of a call.
pub(crate) fn length(field: &str, text: &str) -> PyResult<Duration> {
    word(field, text)
}

fn words<T: FromStr<Err: std::fmt::Display>>(field: &str, text: &Option<String>) -> PyResult<Option<T>> {
    text.as_deref().map(|text| word(field, text)).transpose()
}

impl Scheduling {
    /// A task set from its text, in any format that is read, by the ending of `name` and the text; with the table of overheads where one is given.
    fn tasks(&self, text: &str, name: &str) -> PyResult<TaskSet> {
        let mut scenario = read::any(Path::new(name), text).map_err(refused)?;
        if let Some(table) = &self.overheads_table {
            scenario.overheads = Some(overheads::read("overheads", table, scenario.unit).map_err(refused)?);
        }
        Ok(TaskSet::Given(Box::new(scenario)))
    }

    /// As the library takes it.
    pub(crate) fn options(&self) -> PyResult<SchedulerOptions> {
        let options = SchedulerOptions {
            processors: self.processors,
            policy: words("policy", &self.policy)?,
            priorities: words::<Priorities>("priorities", &self.priorities)?,
            overheads: words::<OverheadsChoice>("overheads", &self.overheads)?,
            time: words("time", &self.time)?.unwrap_or_default(),
            ..SchedulerOptions::default()
        };
        match words::<SchedulerChoice>("scheduler", &self.scheduler)? {
            Some(choice) => options.with_scheduler(choice).map_err(of),
            None => Ok(options),
        }
    }
}

impl Testing {
    /// The task set, from its text.
    pub(crate) fn tasks(&self, text: &str, name: &str) -> PyResult<TaskSet> {
        self.scheduling.tasks(text, name)
    }

    /// The scheduler, and the arrivals that a proof must cover.
    pub(crate) fn options(&self) -> PyResult<SchedulerOptions> {
        self.scheduling.options()
    }

    /// The two parameters of a region.
    pub(crate) fn region(&self) -> PyResult<Option<RegionOf>> {
        self.region.as_deref().map(|text| word("region", text)).transpose()
    }

    /// The tests and their limits.
    pub(crate) fn method(&self) -> PyResult<Method> {
        Ok(self.method_options()?.method())
    }

    /// The same for each set of a batch.
    pub(crate) fn batch_method(&self) -> PyResult<Method> {
        Ok(self.method_options()?.batch_method())
    }

    fn method_options(&self) -> PyResult<MethodOptions> {
        let heuristics = |names: &Vec<String>| match names.is_empty() {
            true => Err(refused("heuristics is empty; name a heuristic, or leave it out")),
            false => names.iter().map(|name| word::<Heuristic>("heuristics", name)).collect(),
        };
        let options = MethodOptions {
            all_tests: self.all_tests,
            budget: self.budget,
            simulated_jobs: self.simulated_jobs,
            heuristics: self.heuristics.as_ref().map(heuristics).transpose()?,
            order: words::<Order>("order", &self.order)?.unwrap_or_default(),
            inflate: if self.inflate_once { Inflate::WholeSetOnce } else { Inflate::PerBin },
            split: self.split,
            ..MethodOptions::default()
        };
        match &self.tests {
            Some(names) => options.with_tests_named(names).map_err(of),
            None => Ok(options),
        }
    }
}

impl Simulating {
    /// The task set, from its text.
    pub(crate) fn tasks(&self, text: &str, name: &str) -> PyResult<TaskSet> {
        self.scheduling.tasks(text, name)
    }

    /// As the library takes it.
    pub(crate) fn options(&self) -> PyResult<SimulationOptions> {
        let mut options = SimulationOptions { scheduler: self.scheduling.options()?, ..SimulationOptions::default() };
        options.duration = words::<Duration>("duration", &self.duration)?;
        if let Some(quantum) = words::<Duration>("quantum", &self.quantum)? {
            options.quantum = quantum;
        }
        let variation = &mut options.variation;
        if let Some(seed) = self.seed {
            variation.seed = seed;
        }
        if let Some(arrivals) = words("arrivals", &self.arrivals)? {
            variation.arrivals = arrivals;
        }
        if let Some(offsets) = words("offsets", &self.offsets)? {
            variation.offsets = offsets;
        }
        if let Some(execution) = words("execution", &self.execution)? {
            variation.distribution = execution;
        }
        if let Some(suspensions) = words("suspensions", &self.suspensions)? {
            variation.suspensions = suspensions;
        }
        if let Some(supply) = words("supply", &self.supply)? {
            variation.supply = supply;
        }
        if let Some(late) = words("late", &self.late)? {
            variation.overrun = late;
        }
        Ok(options)
    }
}
