//! Experiments on random task sets, whole or chunk by chunk.

use crate::error::{failed, json, of};
use crate::interrupt::awaited;
use crate::options::parsed;
use crate::progress::Reported;
use prazo::sched::{self, ExperimentRequest};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Makes what is missing of an experiment, or shows what is there: `prazo sched experiment NAME --json`.
#[pyfunction]
pub(crate) fn experiment(
    python: Python<'_>,
    name: String,
    folder: Option<PathBuf>,
    threads: Option<usize>,
    scheduler: Option<String>,
    reports: Vec<String>,
    callback: Option<Py<PyAny>>,
) -> PyResult<String> {
    let reports = reports.iter().map(|file| file.parse()).collect::<Result<_, _>>().map_err(crate::error::refused)?;
    let command = format!("prazo sched experiment {name}");
    let request = ExperimentRequest { experiment: name, folder, threads, scheduler, show: false, reports, command };
    let mut progress = Reported::new(callback.as_ref());
    let result = python.detach(|| sched::experiment(&request, &mut progress));
    if let Some(raised) = progress.raised {
        return Err(raised);
    }
    let result = result.map_err(of)?;
    // The same bytes as the command prints, so that results can be compared as files.
    python.detach(|| serde_json::to_string_pretty(&result).map(prazo_report::json::printable)).map_err(failed)
}

/// What another machine needs to make chunks of an experiment, as JSON.
#[pyfunction]
pub(crate) fn specification(python: Python<'_>, name: &str) -> PyResult<String> {
    python.detach(|| json(&sched::specification(name).map_err(of)?))
}

/// Some chunks, alone: the work that goes to another machine. The fingerprint of the experiment comes with them.
#[pyfunction]
pub(crate) fn specified_chunks(
    python: Python<'_>,
    specification: &str,
    numbers: Vec<u64>,
) -> PyResult<(String, Vec<String>)> {
    let specification: prazo_experiment::Specification = python.detach(|| parsed(specification))?;
    awaited(python, move || {
        let made = sched::specified_chunks(&specification, &numbers).map_err(of)?;
        Ok((specification.fingerprint, made.iter().map(json).collect::<PyResult<_>>()?))
    })?
}
