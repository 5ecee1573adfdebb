//! One task set simulated, with its schedule as files where they are wanted.

use super::document::document;
use super::files::{self, ScheduleFiles};
use super::options::SimulationOptions;
use super::run::{self, SimulatedRun};
use crate::error::Error;
use crate::progress::Progress;
use crate::report;
use crate::sched::grants::Grants;
use crate::sched::options::TaskSet;
use prazo_core::time::Duration;
use prazo_report::gantt::Gantt;
use prazo_report::simulation::{self, Simulated};
use prazo_report::svg::{self, Setting};
use prazo_verdict::Outcome;
use std::fmt;
use std::path::PathBuf;

/// Which set, simulated how, and where its schedule goes.
#[derive(Clone, Debug)]
pub struct SimulateRequest {
    /// The task set.
    pub tasks: TaskSet,
    /// Who schedules, what varies, and for how long.
    pub options: SimulationOptions,
    /// Where the schedule goes.
    pub schedule: ScheduleFiles,
    /// Where a report goes: a page, or Markdown.
    pub report: Option<PathBuf>,
    /// The command that repeats it, which the report names.
    pub command: String,
}

/// What happened; displays as the lines that a person reads.
pub struct SimulateAnswer {
    /// What scripts read.
    pub document: Simulated,
    /// Who shares a queue, in words.
    pub shape: String,
}

/// Simulates the set.
pub fn simulate(request: &SimulateRequest, progress: &mut dyn Progress) -> Result<SimulateAnswer, Error> {
    request.report.as_deref().map_or(Ok(()), report::check_document)?;
    let simulated = ran(&request.tasks, &request.options, progress)?;
    request.schedule.check(simulated.length())?;
    request.schedule.write(&simulated)?;
    let (document, shape) = (document(request.tasks.title(), &simulated), simulated.shape());
    if let Some(file) = &request.report {
        let page = |chart: &Gantt<'_>| simulation::page(&document, &shape, chart, &request.command);
        report::write_document(&request.schedule.charted(&simulated, page), file, progress)?;
    }
    simulated.check_whole()?;
    Ok(SimulateAnswer { document, shape })
}

/// The schedule as an SVG, around its first miss or over `window`: its start and its length, as far as they are given.
///
/// # Errors
/// The set cannot be read or simulated, or the schedule ends before the window starts.
pub fn schedule_svg(
    tasks: &TaskSet,
    options: &SimulationOptions,
    (from, span): (Option<Duration>, Option<Duration>),
    progress: &mut dyn Progress,
) -> Result<String, Error> {
    let files = ScheduleFiles { from, span, ..ScheduleFiles::default() };
    let simulated = ran(tasks, options, progress)?;
    files.check(simulated.length())?;
    let svg = files.charted(&simulated, |chart| svg::gantt(chart, Setting::Alone));
    simulated.check_whole().map(|()| svg)
}

/// Every event of the schedule as CSV: `at_ns,event,task,job,cpu`.
///
/// # Errors
/// The set cannot be read or simulated.
pub fn schedule_csv(
    tasks: &TaskSet,
    options: &SimulationOptions,
    progress: &mut dyn Progress,
) -> Result<String, Error> {
    let mut rows = Vec::new();
    let simulated = ran(tasks, options, progress)?;
    let written = files::csv(&simulated, &mut rows);
    // A run that was stopped is no error of the rows.
    simulated.check_whole()?;
    written.map_err(Error::failed)?;
    String::from_utf8(rows).map_err(Error::failed)
}

fn ran(tasks: &TaskSet, options: &SimulationOptions, progress: &mut dyn Progress) -> Result<SimulatedRun, Error> {
    options.check()?;
    let stop = progress.stop().map_err(Error::failed)?;
    // The limits that kernels come with, so that a set is simulated alike on every machine.
    run::run(tasks.read().map_err(Error::refused)?, options, &Grants::default(), stop)
}

impl SimulateAnswer {
    /// Fail where a deadline was missed.
    pub fn outcome(&self) -> Outcome {
        if self.document.misses == 0 { Outcome::Pass } else { Outcome::Fail }
    }
}

impl fmt::Display for SimulateAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&simulation::text(&self.document, &self.shape))
    }
}
