//! Task sets: read, tested, verified, simulated, one by one and in batches.

use crate::error::{failed, json, of, refused};
use crate::options::{Simulating, Testing, parsed, tasks};
use prazo::Quiet;
use prazo::sched::{
    self, BATCH_SIMULATED_JOBS, BATCH_STATES, ScheduleFiles, SimulateRequest, SimulationOptions, TestAnswer,
    TestRequest,
};
use prazo_analysis::question::Method;
use prazo_core::time::Duration;
use prazo_core::time_model::TimeModel;
use prazo_report::html;
use prazo_scenario::{Scenario, read, write};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// The same set as prazo writes it: checked, in TOML, with its overheads inside.
#[pyfunction]
pub(crate) fn read_tasks(text: &str, name: &str) -> PyResult<String> {
    let read: Result<Scenario, _> = read::any(Path::new(name), text);
    read.map(|scenario| write::toml(&scenario)).map_err(refused)
}

/// A file's set as TOML.
#[pyfunction]
pub(crate) fn read_file(path: PathBuf) -> PyResult<String> {
    read::file(&path).map(|scenario| write::toml(&scenario)).map_err(refused)
}

fn answered(python: Python<'_>, text: &str, name: &str, options: &str) -> PyResult<TestAnswer> {
    let testing: Testing = parsed(options)?;
    let request = TestRequest {
        tasks: tasks(text, name)?,
        options: testing.options()?,
        method: testing.method()?,
        sensitivity: testing.sensitivity,
        certificate: None,
        pattern: None,
    };
    python.detach(|| sched::test(&request, &mut Quiet)).map_err(of)
}

/// The answer as `prazo sched test --json` prints it, and the certificate where there is one.
#[pyfunction]
pub(crate) fn test(python: Python<'_>, text: &str, name: &str, options: &str) -> PyResult<(String, Option<String>)> {
    let answer = answered(python, text, name, options)?;
    // A verdict by a method that certificates do not describe is a verdict still.
    let certificate = python.detach(|| answer.certificate().unwrap_or_default());
    Ok((json(&python.detach(|| answer.document()))?, certificate))
}

/// The answer as a page.
#[pyfunction]
pub(crate) fn test_page(python: Python<'_>, text: &str, name: &str, options: &str, command: &str) -> PyResult<String> {
    let answer = answered(python, text, name, options)?;
    Ok(python.detach(|| html::document(&answer.page(command))))
}

/// JSON Lines in, JSON Lines out, on all processors: `prazo sched test --batch`.
#[pyfunction]
pub(crate) fn test_lines(
    python: Python<'_>,
    records: &str,
    time: &str,
    all_tests: bool,
    simulated_jobs: Option<u64>,
) -> PyResult<String> {
    let simulated_jobs = simulated_jobs.unwrap_or(BATCH_SIMULATED_JOBS);
    let method = Method { all_tests, simulated_jobs, states: BATCH_STATES, ..Method::default() };
    let time: TimeModel = time.parse().map_err(refused)?;
    let answered = python.detach(|| {
        let mut output = Vec::new();
        sched::test_batch(&mut records.as_bytes(), &mut output, &method, time).map(|_| output)
    });
    String::from_utf8(answered.map_err(of)?).map_err(failed)
}

/// Re-checks a certificate: `prazo sched verify --json`.
#[pyfunction]
pub(crate) fn verify(python: Python<'_>, certificate: &str, against: Option<PathBuf>) -> PyResult<String> {
    let name = "certificate".to_owned();
    json(&python.detach(|| sched::verify_text(name, certificate, against.as_deref())).map_err(of)?)
}

fn simulating(options: &str) -> PyResult<SimulationOptions> {
    parsed::<Simulating>(options)?.options()
}

/// What happened, as `prazo sched simulate --json` prints it.
#[pyfunction]
pub(crate) fn simulate(python: Python<'_>, text: &str, name: &str, options: &str) -> PyResult<String> {
    let (schedule, command) = (ScheduleFiles::default(), String::new());
    let (tasks, options) = (tasks(text, name)?, simulating(options)?);
    let request = SimulateRequest { tasks, options, schedule, report: None, command };
    json(&python.detach(|| sched::simulate(&request, &mut Quiet)).map_err(of)?.document)
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
    let length = |text: Option<&str>| text.map(str::parse::<Duration>).transpose().map_err(refused);
    let (tasks, options, window) = (tasks(text, name)?, simulating(options)?, (length(from)?, length(span)?));
    python.detach(|| sched::schedule_svg(&tasks, &options, window)).map_err(of)
}

/// Every event of the schedule, as CSV.
#[pyfunction]
pub(crate) fn events(python: Python<'_>, text: &str, name: &str, options: &str) -> PyResult<String> {
    let (tasks, options) = (tasks(text, name)?, simulating(options)?);
    python.detach(|| sched::schedule_csv(&tasks, &options)).map_err(of)
}

/// JSON Lines in, JSON Lines out, on all processors: `prazo sched simulate --batch`.
#[pyfunction]
pub(crate) fn simulate_lines(python: Python<'_>, records: &str, options: &str) -> PyResult<String> {
    let options = simulating(options)?;
    let answered = python.detach(|| {
        let mut output = Vec::new();
        sched::simulate::simulate_batch(&mut records.as_bytes(), &mut output, &options).map(|_| output)
    });
    String::from_utf8(answered.map_err(of)?).map_err(failed)
}
