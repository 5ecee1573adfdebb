//! Task sets: read, tested, verified, simulated, one by one and in batches.

use crate::error::{failed, json, of, refused};
use crate::interrupt::{awaited, by_pieces};
use crate::options::{Simulating, Testing, parsed};
use prazo::Quiet;
use prazo::sched::{
    self, MethodOptions, ScheduleFiles, SimulateRequest, SimulationOptions, TaskSet, TestAnswer, TestRequest,
};
use prazo_core::time::Duration;
use prazo_core::time_model::TimeModel;
use prazo_report::html;
use prazo_scenario::{Scenario, Unit, overheads, read, write};
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

/// A table of overheads, checked: its text. Its times have units, or all are bare numbers for sets of such.
#[pyfunction]
pub(crate) fn read_overheads(text: &str, name: &str) -> PyResult<String> {
    let with_units = overheads::read(name, text, Some(Unit::Nanosecond));
    with_units.or_else(|error| overheads::read(name, text, None).map_err(|_| refused(error)))?;
    Ok(text.to_owned())
}

fn answered(python: Python<'_>, text: &str, name: &str, options: &str) -> PyResult<TestAnswer> {
    let testing: Testing = parsed(options)?;
    let request = TestRequest {
        tasks: testing.tasks(text, name)?,
        options: testing.options()?,
        method: testing.method()?,
        sensitivity: testing.sensitivity,
        certificate: None,
        pattern: None,
    };
    awaited(python, move || sched::test(&request, &mut Quiet))?.map_err(of)
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
    let method = MethodOptions { all_tests, simulated_jobs, ..MethodOptions::default() }.batch_method();
    let time: TimeModel = time.parse().map_err(refused)?;
    let answered = by_pieces(python, records, |piece, output| {
        sched::test_batch(&mut piece.as_bytes(), output, &method, time).map(drop).map_err(of)
    });
    String::from_utf8(answered?).map_err(failed)
}

/// Re-checks a certificate: `prazo sched verify --json`.
#[pyfunction]
pub(crate) fn verify(python: Python<'_>, certificate: &str, against: Option<PathBuf>) -> PyResult<String> {
    let name = "certificate".to_owned();
    json(&python.detach(|| sched::verify_text(name, certificate, against.as_deref())).map_err(of)?)
}

fn simulating(text: &str, name: &str, options: &str) -> PyResult<(TaskSet, SimulationOptions)> {
    let simulating: Simulating = parsed(options)?;
    Ok((simulating.tasks(text, name)?, simulating.options()?))
}

/// What happened, as `prazo sched simulate --json` prints it.
#[pyfunction]
pub(crate) fn simulate(python: Python<'_>, text: &str, name: &str, options: &str) -> PyResult<String> {
    let (schedule, command) = (ScheduleFiles::default(), String::new());
    let (tasks, options) = simulating(text, name, options)?;
    let request = SimulateRequest { tasks, options, schedule, report: None, command };
    json(&awaited(python, move || sched::simulate(&request, &mut Quiet))?.map_err(of)?.document)
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
    let ((tasks, options), window) = (simulating(text, name, options)?, (length(from)?, length(span)?));
    awaited(python, move || sched::schedule_svg(&tasks, &options, window))?.map_err(of)
}

/// Every event of the schedule, as CSV.
#[pyfunction]
pub(crate) fn events(python: Python<'_>, text: &str, name: &str, options: &str) -> PyResult<String> {
    let (tasks, options) = simulating(text, name, options)?;
    awaited(python, move || sched::schedule_csv(&tasks, &options))?.map_err(of)
}

/// JSON Lines in, JSON Lines out, on all processors: `prazo sched simulate --batch`.
#[pyfunction]
pub(crate) fn simulate_lines(python: Python<'_>, records: &str, options: &str) -> PyResult<String> {
    let options = parsed::<Simulating>(options)?.options()?;
    let answered = by_pieces(python, records, |piece, output| {
        sched::simulate::simulate_batch(&mut piece.as_bytes(), output, &options).map(drop).map_err(of)
    });
    String::from_utf8(answered?).map_err(failed)
}
