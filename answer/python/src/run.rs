//! A run file: its counts, figures and verdict.

use crate::error::{failed, json, of, refused};
use crate::samples::Samples;
use prazo::evidence;
use prazo::report::{self, Form};
use prazo_core::time::Duration;
use prazo_report::RunEvidence;
use prazo_run::{Run, store};
use prazo_stats::level::Level;
use prazo_stats::summary::Per;
use prazo_verdict::requirement::Requirement;
use pyo3::prelude::*;
use std::path::PathBuf;

/// A run that was opened.
#[pyclass(frozen, module = "prazo._prazo")]
pub(crate) struct RunFile {
    path: PathBuf,
    run: Run,
}

#[pymethods]
impl RunFile {
    /// Opens a run file.
    #[staticmethod]
    fn open(python: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let run = python.detach(|| store::open(&path)).map_err(failed)?;
        Ok(Self { path, run })
    }

    /// The run's part of the report, as `prazo report --json` prints it.
    fn document(&self, python: Python<'_>) -> PyResult<String> {
        self.rendered(python, Form::Json)
    }

    /// The counts of a deadline.
    fn misses(&self, deadline: &str) -> PyResult<String> {
        let deadline: Duration = deadline.parse().map_err(refused)?;
        json(&prazo_stats::misses::miss_rate(&self.run, deadline))
    }

    /// The verdict on a requirement.
    fn verdict(&self, python: Python<'_>, deadline: &str, kind: &str, quantile: Option<f64>) -> PyResult<String> {
        let deadline: Duration =
            deadline.parse().map_err(|error| refused(format!("deadline '{deadline}': {error}")))?;
        let kind = kind.parse().map_err(|error| refused(format!("kind '{kind}': {error}")))?;
        let requirement = Requirement::new(deadline, kind, quantile).map_err(refused)?;
        let verdict = python.detach(|| {
            let judged: RunEvidence = evidence::of_run(self.run.clone(), Some(requirement));
            evidence::verdict(&[&judged], &[], requirement)
        });
        json(&verdict)
    }

    /// One quantile of the run's first quantity, all processors together; an error where the count does not support it.
    fn quantile(&self, python: Python<'_>, q: f64, per: &str) -> PyResult<String> {
        let wrong = || refused(format!("q {q}: a quantile must be above 0 and below 1"));
        let level = Level::from_f64(q).ok_or_else(wrong)?;
        let per = match per {
            "due" => Per::DueActivation,
            "served" => Per::ServedWakeUp,
            other => return Err(refused(format!("per '{other}': write due or served"))),
        };
        let found = python.detach(|| prazo_stats::quantile(&self.run, per, level)).map_err(refused)?;
        match found.value_ns {
            Some(_) => json(&found),
            None => Err(refused(format!("quantile {q}: {}", found.reason))),
        }
    }

    /// The samples that the file keeps, as an Arrow stream.
    fn samples(&self, python: Python<'_>) -> PyResult<Samples> {
        python.detach(|| Samples::read(&self.path, &self.run)).map_err(failed)
    }

    /// The charts and tables as a page of their own.
    fn page(&self, python: Python<'_>) -> PyResult<String> {
        self.rendered(python, Form::Html)
    }
}

impl RunFile {
    fn rendered(&self, python: Python<'_>, form: Form) -> PyResult<String> {
        let rendered = || {
            let evidence = evidence::of_runs(&self.run.name, vec![self.run.clone()], None, "");
            report::render(&evidence, form)
        };
        python.detach(rendered).map_err(of)
    }
}
