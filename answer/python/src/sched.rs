//! Task sets: read, tested, verified, simulated, one by one.

use crate::error::{json, named, of, refused};
use crate::interrupt::{Stoppable, awaited, awaited_or_stopped};
use crate::options::{Simulating, Testing, length, parsed};
use prazo::Quiet;
use prazo::sched::{self, ScheduleFiles, SimulateRequest, SimulationOptions, TaskSet, TestAnswer, TestRequest};
use prazo_report::html;
use prazo_scenario::{Scenario, Unit, overheads, read, write};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// The same set as prazo writes it: checked, in TOML, with its overheads inside; those of `table` where it is given.
#[pyfunction]
#[pyo3(signature = (text, name, table=None))]
pub(crate) fn read_tasks(python: Python<'_>, text: &str, name: &str, table: Option<&str>) -> PyResult<String> {
    python.detach(|| {
        let mut scenario: Scenario = read::any(Path::new(name), text).map_err(refused)?;
        if let Some(table) = table {
            scenario.overheads = Some(overheads::read("overheads", table, scenario.unit).map_err(refused)?);
        }
        Ok(write::toml(&scenario))
    })
}

/// A file's set as TOML.
#[pyfunction]
pub(crate) fn read_file(python: Python<'_>, path: PathBuf) -> PyResult<String> {
    let read = move || read::file(&path).map(|scenario| write::toml(&scenario));
    awaited(python, read)?.map_err(refused)
}

/// A table of overheads, checked: its text. Its times have units, or all are bare numbers for sets of such.
#[pyfunction]
pub(crate) fn read_overheads(python: Python<'_>, text: &str, name: &str) -> PyResult<String> {
    python.detach(|| {
        let with_units = overheads::read(name, text, Some(Unit::Nanosecond));
        with_units.or_else(|error| overheads::read(name, text, None).map_err(|_| refused(error)))?;
        Ok(text.to_owned())
    })
}

/// The keys that a scenario can have: of the set, of a task, of a chain.
#[pyfunction]
pub(crate) fn scenario_keys() -> (Vec<&'static str>, Vec<&'static str>, Vec<&'static str>) {
    (read::toml::keys(), read::toml::task_keys(), read::toml::chain_keys())
}

fn requested(python: Python<'_>, text: &str, name: &str, options: &str) -> PyResult<TestRequest> {
    python.detach(|| {
        let testing: Testing = parsed(options)?;
        Ok(TestRequest {
            tasks: testing.tasks(text, name)?,
            options: testing.options()?,
            method: testing.method()?,
            sensitivity: testing.sensitivity,
            region: testing.region()?,
            certificate: None,
            pattern: None,
            pieces: None,
        })
    })
}

/// What `read` makes of the answer, on the thread that found it.
fn answered<T: Send + 'static>(
    python: Python<'_>,
    text: &str,
    name: &str,
    options: &str,
    read: impl FnOnce(&TestAnswer) -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    let request = requested(python, text, name, options)?;
    awaited(python, move || read(&sched::test(&request, &mut Quiet).map_err(of)?))?
}

/// A document, a certificate and a task set.
type Answered = (String, Option<String>, Option<String>);

/// The answer as `prazo sched test --json` prints it; the certificate, and the arrivals that make a job late as a task set, where
/// there are such.
#[pyfunction]
pub(crate) fn test(python: Python<'_>, text: &str, name: &str, options: &str) -> PyResult<Answered> {
    answered(python, text, name, options, |answer| {
        // A verdict by a method that certificates do not describe is a verdict still; so is one whose arrivals are too late to write.
        let certificate = answer.certificate().unwrap_or_default();
        let pattern = answer.pattern().unwrap_or_default();
        Ok((json(&answer.document())?, certificate, pattern.map(|scenario| write::toml(&scenario))))
    })
}

/// The answer as a page.
#[pyfunction]
pub(crate) fn test_page(python: Python<'_>, text: &str, name: &str, options: &str, command: &str) -> PyResult<String> {
    let command = command.to_owned();
    answered(python, text, name, options, move |answer| Ok(html::document(&answer.page(&command))))
}

/// Re-checks a certificate: `prazo sched verify --json`.
#[pyfunction]
pub(crate) fn verify(python: Python<'_>, certificate: String, against: Option<PathBuf>) -> PyResult<String> {
    let name = "certificate".to_owned();
    awaited(python, move || json(&sched::verify_text(name, &certificate, against.as_deref()).map_err(of)?))?
}

fn simulating(python: Python<'_>, text: &str, name: &str, options: &str) -> PyResult<(TaskSet, SimulationOptions)> {
    python.detach(|| {
        let simulating: Simulating = parsed(options)?;
        Ok((simulating.tasks(text, name)?, simulating.options()?))
    })
}

/// What happened, as `prazo sched simulate --json` prints it; the schedule also as a trace, and a report, in files.
#[pyfunction]
#[pyo3(signature = (text, name, options, trace=None, report=None, command=""))]
pub(crate) fn simulate(
    python: Python<'_>,
    text: &str,
    name: &str,
    options: &str,
    trace: Option<PathBuf>,
    report: Option<PathBuf>,
    command: &str,
) -> PyResult<String> {
    let (tasks, options) = simulating(python, text, name, options)?;
    let schedule = ScheduleFiles { trace, ..ScheduleFiles::default() };
    let request = SimulateRequest { tasks, options, schedule, report, command: command.to_owned() };
    awaited_or_stopped(python, move |stop| {
        json(&sched::simulate(&request, &mut Stoppable(stop)).map_err(of)?.document)
    })?
}

/// The schedule as an SVG.
#[pyfunction]
pub(crate) fn gantt(
    python: Python<'_>,
    text: &str,
    name: &str,
    options: &str,
    from: Option<&str>,
    span: Option<&str>,
) -> PyResult<String> {
    let length = |field: &str, text: Option<&str>| text.map(|text| length(field, text)).transpose();
    let window = (length("start", from)?, length("span", span)?);
    let (tasks, options) = simulating(python, text, name, options)?;
    awaited_or_stopped(python, move |stop| sched::schedule_svg(&tasks, &options, window, &mut Stoppable(stop)))?
        .map_err(|error| named(error, "from", "start"))
}

/// Every event of the schedule, as CSV.
#[pyfunction]
pub(crate) fn events(python: Python<'_>, text: &str, name: &str, options: &str) -> PyResult<String> {
    let (tasks, options) = simulating(python, text, name, options)?;
    awaited_or_stopped(python, move |stop| sched::schedule_csv(&tasks, &options, &mut Stoppable(stop)))?.map_err(of)
}
