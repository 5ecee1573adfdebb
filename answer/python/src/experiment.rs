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

/// How many chunks an experiment has.
#[pyfunction]
pub(crate) fn chunks(python: Python<'_>, name: &str) -> PyResult<u64> {
    python.detach(|| sched::experiment_chunks(name)).map_err(of)
}

/// The chunks that a folder lacks.
#[pyfunction]
pub(crate) fn missing(python: Python<'_>, name: String, folder: PathBuf) -> PyResult<Vec<u64>> {
    awaited(python, move || sched::missing_chunks(&name, &folder))?.map_err(of)
}

/// The folder of an experiment's chunks, locked until it is closed.
#[pyclass]
pub(crate) struct KeptChunks(Option<sched::KeptChunks>);

impl KeptChunks {
    fn open(&mut self) -> PyResult<&mut sched::KeptChunks> {
        self.0.as_mut().ok_or_else(|| failed("the experiment's folder of chunks was already closed"))
    }
}

#[pymethods]
impl KeptChunks {
    #[new]
    fn new(python: Python<'_>, name: &str, folder: PathBuf) -> PyResult<Self> {
        python.detach(|| sched::KeptChunks::open(name, &folder)).map(|kept| Self(Some(kept))).map_err(of)
    }

    /// How many chunks the experiment has.
    #[getter]
    fn total(&mut self) -> PyResult<u64> {
        Ok(self.open()?.total())
    }

    /// The chunks that are not kept yet.
    fn missing(&mut self) -> PyResult<Vec<u64>> {
        Ok(self.open()?.missing())
    }

    /// The same as tasks for a cluster.
    fn batches(&mut self) -> PyResult<Vec<Vec<u64>>> {
        Ok(self.open()?.batches())
    }

    /// Keeps chunks that were made elsewhere, one JSON document each, with the fingerprint of their experiment.
    fn keep(&mut self, python: Python<'_>, fingerprint: &str, chunks: Vec<String>) -> PyResult<()> {
        let chunks = chunks.iter().map(|chunk| parsed(chunk)).collect::<PyResult<Vec<_>>>()?;
        let kept = self.open()?;
        python.detach(|| kept.keep(fingerprint, &chunks)).map_err(of)
    }

    /// Lets others write into the folder.
    fn close(&mut self) {
        self.0 = None;
    }
}
