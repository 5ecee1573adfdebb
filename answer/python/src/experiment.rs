//! Experiments on random task sets, whole or chunk by chunk.

use crate::error::{failed, json, of};
use crate::options::parsed;
use crate::progress::Reported;
use prazo::Quiet;
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
    show: bool,
    reports: Vec<String>,
    callback: Option<Py<PyAny>>,
) -> PyResult<String> {
    let reports = reports.iter().map(|file| file.parse()).collect::<Result<_, _>>().map_err(crate::error::refused)?;
    let command = format!("prazo sched experiment {name}");
    let request = ExperimentRequest { experiment: name, folder, threads, scheduler: None, show, reports, command };
    let mut progress = Reported::new(callback.as_ref());
    let result = python.detach(|| sched::experiment(&request, &mut progress));
    if let Some(raised) = progress.raised {
        return Err(raised);
    }
    // The same bytes as the command prints, so that results can be compared as files.
    let text = serde_json::to_string_pretty(&result.map_err(of)?).map_err(failed)?;
    Ok(prazo_report::json::printable(text))
}

/// One chunk, alone: the work that goes to another machine.
#[pyfunction]
pub(crate) fn chunk(python: Python<'_>, name: &str, number: u64) -> PyResult<String> {
    json(&python.detach(|| sched::experiment_chunk(name, number, &mut Quiet)).map_err(of)?)
}

/// How many chunks an experiment has.
#[pyfunction]
pub(crate) fn chunks(name: &str) -> PyResult<u64> {
    sched::experiment_chunks(name).map_err(of)
}

/// The chunks that a folder lacks.
#[pyfunction]
pub(crate) fn missing(name: &str, folder: PathBuf) -> PyResult<Vec<u64>> {
    sched::missing_chunks(name, &folder).map_err(of)
}

/// Keeps chunks that were made elsewhere, one JSON document each, in a folder.
#[pyfunction]
pub(crate) fn keep(python: Python<'_>, name: &str, folder: PathBuf, chunks: Vec<String>) -> PyResult<()> {
    let chunks = chunks.iter().map(|chunk| parsed(chunk)).collect::<PyResult<Vec<_>>>()?;
    python.detach(|| sched::keep_chunks(name, &folder, &chunks)).map_err(|error| failed(error.to_string()))
}
