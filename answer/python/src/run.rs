//! A run file: its counts, figures and verdict.

use crate::error::{json, of, refused};
use crate::interrupt::awaited;
use crate::options::length;
use crate::samples::{self, Samples};
use prazo::report::{self, Chart, Form};
use prazo::report_content;
use prazo_report::RunEvidence;
use prazo_run::Run;
use prazo_stats::level::Level;
use prazo_stats::summary::Per;
use prazo_verdict::requirement::{Kind, Requirement};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A run that was opened.
#[pyclass(frozen, module = "prazo._prazo")]
pub(crate) struct RunFile {
    path: PathBuf,
    run: Arc<Run>,
}

#[pymethods]
impl RunFile {
    /// Opens a run file.
    #[staticmethod]
    fn open(python: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let run = Arc::new(samples::opened(python, &path)?);
        Ok(Self { path, run })
    }

    /// The run's part of the report, as `prazo report --json` prints it.
    fn document(&self, python: Python<'_>) -> PyResult<String> {
        self.rendered(python, Form::Json)
    }

    /// The counts of a deadline.
    fn misses(&self, python: Python<'_>, deadline: &str) -> PyResult<String> {
        let deadline = length("deadline", deadline)?;
        self.asked(python, move |run| json(&prazo_stats::misses::miss_rate(run, deadline)))
    }

    /// The verdict on a requirement.
    fn verdict(&self, python: Python<'_>, deadline: &str, kind: &str, quantile: Option<f64>) -> PyResult<String> {
        let deadline = length("deadline", deadline)?;
        let kind = kind.parse().map_err(|error| refused(format!("kind '{kind}': {error}")))?;
        let requirement = Requirement::new(deadline, kind, quantile).map_err(refused)?;
        self.asked(python, move |run| {
            let judged: RunEvidence = report_content::of_run(run.clone(), Some(requirement));
            json(&report_content::verdict(&[&judged], &[], requirement))
        })
    }

    /// One quantile of the run's first quantity, all processors together; an error where the count does not support it.
    fn quantile(&self, python: Python<'_>, q: f64, per: &str) -> PyResult<String> {
        let wrong = || refused(format!("q {q}: a quantile must be above 0 and below 1"));
        let level = Some(q).filter(|q| 0.0 < *q && *q < 1.0).and_then(Level::from_f64).ok_or_else(wrong)?;
        let per = match per {
            "due" => Per::DueActivation,
            "served" => Per::ServedWakeUp,
            other => return Err(refused(format!("per '{other}': write due or served"))),
        };
        let found = self.asked(python, move |run| prazo_stats::quantile(run, per, level).map_err(refused))?;
        match found.value_ns {
            Some(_) => json(&found),
            None => Err(refused(format!("quantile {q}: {}", found.reason))),
        }
    }

    /// The samples that the file keeps, as an Arrow stream that is read as it is consumed.
    fn samples(&self) -> Samples {
        Samples::new(&self.path, &self.run)
    }

    /// A chart of this run and others as an SVG.
    fn chart(
        &self,
        python: Python<'_>,
        others: Vec<PyRef<'_, Self>>,
        chart: &str,
        deadline: Option<&str>,
    ) -> PyResult<String> {
        let chart: Chart = chart.parse().map_err(|error| refused(format!("chart '{chart}': {error}")))?;
        let requirement = deadline.map(|deadline| -> PyResult<Requirement> {
            Requirement::new(length("deadline", deadline)?, Kind::Firm, None).map_err(refused)
        });
        let requirement = requirement.transpose()?;
        let others: Vec<Arc<Run>> = others.iter().map(|one| one.run.clone()).collect();
        self.asked(python, move |run| {
            let runs = std::iter::once(run).chain(others.iter().map(AsRef::as_ref)).cloned().collect();
            report::chart(&run.name, runs, chart, requirement).map_err(of)
        })
    }

    /// The charts and tables as a page of their own.
    fn page(&self, python: Python<'_>) -> PyResult<String> {
        self.rendered(python, Form::Html)
    }
}

impl RunFile {
    /// What `answer` makes of the run, without the interpreter's lock.
    fn asked<T: Send + 'static>(
        &self,
        python: Python<'_>,
        answer: impl FnOnce(&Run) -> PyResult<T> + Send + 'static,
    ) -> PyResult<T> {
        let run = self.run.clone();
        awaited(python, move || answer(&run))?
    }

    fn rendered(&self, python: Python<'_>, form: Form) -> PyResult<String> {
        self.asked(python, move |run| {
            let content = report_content::of_runs(&run.name, vec![run.clone()], None, "");
            report::render(&content, form).map_err(of)
        })
    }
}
