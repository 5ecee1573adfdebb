//! Task sets: read, tested, verified, simulated, one by one and in batches.

use crate::error::{failed, json, of, refused};
use crate::options::{Simulating, Testing, parsed, tasks};
use prazo::Quiet;
use prazo::sched::{self, BATCH_SIMULATED_JOBS, ScheduleFiles, SimulateRequest, TestRequest, VerifyRequest};
use prazo_analysis::question::Method;
use prazo_core::time::Duration;
use prazo_core::time_model::TimeModel;
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

fn request(text: &str, name: &str, testing: &Testing, certificate: Option<PathBuf>) -> PyResult<TestRequest> {
    Ok(TestRequest {
        tasks: tasks(text, name)?,
        options: testing.options()?,
        method: testing.method()?,
        sensitivity: testing.sensitivity,
        certificate,
    })
}

/// The answer as `prazo sched test --json` prints it, and the certificate where there is something to certify.
#[pyfunction]
pub(crate) fn test(
    python: Python<'_>,
    text: &str,
    name: &str,
    options: &str,
    certificate: bool,
) -> PyResult<(String, Option<String>)> {
    let testing: Testing = parsed(options)?;
    let folder = certificate.then(tempfile::tempdir).transpose().map_err(failed)?;
    let file = folder.as_ref().map(|folder| folder.path().join("certificate"));
    let request = request(text, name, &testing, file.clone())?;
    let document = python.detach(|| sched::test(&request, &mut Quiet).map(|answer| answer.document())).map_err(of)?;
    let written = file.filter(|file| file.exists()).map(std::fs::read_to_string).transpose().map_err(failed)?;
    Ok((json(&document)?, written))
}

/// The answer as a page.
#[pyfunction]
pub(crate) fn test_page(python: Python<'_>, text: &str, name: &str, options: &str, command: &str) -> PyResult<String> {
    let testing: Testing = parsed(options)?;
    let request = request(text, name, &testing, None)?;
    python
        .detach(|| {
            let page = sched::test(&request, &mut Quiet)?.page(command);
            let folder = tempfile::tempdir().map_err(prazo::Error::failed)?;
            let file = folder.path().join("page.html");
            prazo::report::write_document(&page, &file, &mut Quiet)?;
            std::fs::read_to_string(file).map_err(prazo::Error::failed)
        })
        .map_err(of)
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
    let method = Method { all_tests, simulated_jobs, ..Method::default() };
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
    let file = tempfile::NamedTempFile::new().map_err(failed)?;
    std::fs::write(file.path(), certificate).map_err(failed)?;
    let request = VerifyRequest { file: file.path().to_owned(), against };
    json(&python.detach(|| sched::verify(&request, &mut Quiet)).map_err(of)?)
}

fn simulation(text: &str, name: &str, options: &str) -> PyResult<SimulateRequest> {
    let simulating: Simulating = parsed(options)?;
    let (schedule, command) = (ScheduleFiles::default(), String::new());
    Ok(SimulateRequest { tasks: tasks(text, name)?, options: simulating.options()?, schedule, report: None, command })
}

/// What happened, as `prazo sched simulate --json` prints it.
#[pyfunction]
pub(crate) fn simulate(python: Python<'_>, text: &str, name: &str, options: &str) -> PyResult<String> {
    let request = simulation(text, name, options)?;
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
    let folder = tempfile::tempdir().map_err(failed)?;
    let file = folder.path().join("schedule.svg");
    let mut request = simulation(text, name, options)?;
    request.schedule =
        ScheduleFiles { gantt: Some(file.clone()), from: length(from)?, span: length(span)?, ..Default::default() };
    python.detach(|| sched::simulate(&request, &mut Quiet)).map_err(of)?;
    std::fs::read_to_string(file).map_err(failed)
}

/// JSON Lines in, JSON Lines out, on all processors: `prazo sched simulate --batch`.
#[pyfunction]
pub(crate) fn simulate_lines(python: Python<'_>, records: &str, options: &str) -> PyResult<String> {
    let options = parsed::<Simulating>(options)?.options()?;
    let answered = python.detach(|| {
        let mut output = Vec::new();
        sched::simulate::simulate_batch(&mut records.as_bytes(), &mut output, &options).map(|_| output)
    });
    String::from_utf8(answered.map_err(of)?).map_err(failed)
}
