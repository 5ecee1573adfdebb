//! Every setting run on every system, and held against the paper.

use super::chart;
use super::document::Inverted;
use super::own_kernel::{OwnKernel, Ran};
use super::row::Row;
use super::sets::Setting;
use crate::error::Error;
use crate::files::{default_run_file, name_of};
use crate::guest::{self, GuestOptions};
use crate::output::make_parent;
use crate::progress::{Progress, Stop};
use crate::sched::run::run_here;
use prazo_core::cpu::Cpu;
use prazo_core::time::Duration;
use prazo_lab::LabError;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_run::Run;
use prazo_run::jobs::{SetPlan, SetRun};
use prazo_study::task_sets::TaskSetsRequest;
use std::path::{Path, PathBuf};

/// Which settings, and where they are run.
#[derive(Clone, Debug)]
pub struct InversionRequest {
    /// What the task between the two executes; one setting for each.
    pub middle: Vec<Duration>,
    /// A folder for charts: what was observed, what prazo's kernel did, and what was simulated.
    pub gantt: Option<PathBuf>,
    /// Where Linux runs it.
    pub guest: GuestOptions,
    /// The run file; by default a new one in the folder of results.
    pub file: Option<PathBuf>,
    /// The command that repeats it, which the run file keeps.
    pub command: String,
}

/// Runs every setting, and holds what was seen against the paper.
pub fn inversion(request: &InversionRequest, progress: &mut dyn Progress) -> Result<Inverted, Error> {
    if request.middle.is_empty() {
        return Err(Error::field("middle", "give at least one time, as in 40ms"));
    }
    let file = request.file.clone().unwrap_or_else(|| default_run_file("inversion"));
    make_parent(&file)?;
    let settings = Setting::all(&request.middle);
    let run = request.linux(&settings, &file, progress)?;
    let kernel = OwnKernel::find();
    let stop = progress.stop().map_err(Error::failed)?;
    let rows = request.rows(&settings, &run, &kernel, &stop)?;
    Ok(Inverted::new(rows, &run, &file, kernel.as_ref().ok()))
}

impl InversionRequest {
    /// Every setting under SCHED_FIFO, on one processor of this machine or in a guest.
    fn linux(&self, settings: &[Setting], file: &Path, progress: &mut dyn Progress) -> Result<Run, Error> {
        let plans = |cpu: u32| settings.iter().map(|setting| setting.plan(cpu)).collect::<Vec<SetPlan>>();
        let Some(platform) = self.guest.resolve()? else {
            let allowed = Topology::read(&Root::system()).map_err(Error::failed)?.allowed;
            let last = allowed.iter().last().map_or(0, Cpu::number);
            return unrefused(run_here(plans(last), file, &self.command, progress)?);
        };
        let request = TaskSetsRequest {
            machine: guest::machine(&platform, None, 1)?,
            platform,
            plans: plans(0),
            seed: 1,
            file,
            name: name_of(file),
            command: self.command.clone(),
            limit: self.guest.timeout,
        };
        guest::run_task_sets(&request, progress)
    }

    /// Each setting on each system, with its charts. prazo's kernel is booted now.
    fn rows(
        &self,
        settings: &[Setting],
        run: &Run,
        kernel: &Result<OwnKernel, LabError>,
        stop: &Stop,
    ) -> Result<Vec<Row>, Error> {
        let row = |(setting, set): (&Setting, &SetRun)| {
            let events = ran(kernel, setting, stop)?;
            let events = events.as_deref();
            self.gantt.as_deref().map_or(Ok(()), |folder| chart::write(folder, setting, set, events.ok()))?;
            Ok(Row::new(setting, set, events))
        };
        settings.iter().zip(&run.sets).map(row).collect()
    }
}

/// What prazo's kernel did; a boot that fails is an error, one that cannot be is a reason in its row.
fn ran(kernel: &Result<OwnKernel, LabError>, setting: &Setting, stop: &Stop) -> Result<Ran, Error> {
    if stop.is_set() {
        return Err(Error::Interrupted);
    }
    let failed = |error: Error| Error::failed(error).attempting(format!("prazo's kernel did not run {}", setting.name));
    match kernel {
        Ok(kernel) => kernel.run(setting).map_err(failed),
        Err(missing) => Ok(Err(missing.to_string())),
    }
}

/// Every set was run, or the first reason why one was not.
fn unrefused(run: Run) -> Result<Run, Error> {
    match run.sets.iter().find_map(|set| set.refused.clone()) {
        Some(why) => Err(Error::failed(why)),
        None => Ok(run),
    }
}
