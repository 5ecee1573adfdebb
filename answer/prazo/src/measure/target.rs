//! The run file that a measurement ends in, and how a plan gets there: executed here, executed in a guest, or kept as it came.

use crate::error::Error;
use crate::files::{name_of, open};
use crate::guest;
use crate::output::make_parent;
use crate::progress::Progress;
use crate::shared_progress::observed;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_lab::Platform;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_probe::session::{self, RecordedRun, Request, SessionOptions};
use prazo_run::plan::Plan;
use prazo_run::{Run, store};
use prazo_study::GuestRequest;
use std::path::Path;

/// Where a run goes.
pub(super) struct Target<'a> {
    pub(super) file: &'a Path,
    pub(super) command: &'a str,
}

impl Target<'_> {
    pub(super) fn request(&self, plan: Plan) -> Request<'_> {
        Request { plan, file: self.file, name: name_of(self.file), command: self.command.to_owned() }
    }

    /// Executes a plan on this machine.
    pub(super) fn execute(&self, plan: Plan, title: &str, progress: &mut dyn Progress) -> Result<RecordedRun, Error> {
        self.execute_with(plan, &SessionOptions::default(), title, progress)
    }

    /// The same with options.
    pub(super) fn execute_with(
        &self,
        plan: Plan,
        options: &SessionOptions<'_>,
        title: &str,
        progress: &mut dyn Progress,
    ) -> Result<RecordedRun, Error> {
        self.execute_at(plan, options, &Root::system(), title, progress)
    }

    /// The same with the files of this machine under another root.
    pub(super) fn execute_at(
        &self,
        plan: Plan,
        options: &SessionOptions<'_>,
        root: &Root,
        title: &str,
        progress: &mut dyn Progress,
    ) -> Result<RecordedRun, Error> {
        let (request, stop) = (self.request(plan), progress.stop().map_err(Error::failed)?);
        let measured = observed(progress, title, |view| session::execute_at(&request, root, options, view, &stop));
        measured.map_err(Error::from)
    }

    /// Executes a plan in a guest; `limit` is the elapsed time after which the guest is ended.
    pub(super) fn execute_in(
        &self,
        platform: &Platform,
        plan: Plan,
        limit: Option<Duration>,
        progress: &mut dyn Progress,
    ) -> Result<RecordedRun, Error> {
        let (name, command) = (name_of(self.file), self.command.to_owned());
        let request = GuestRequest { platform: platform.clone(), plan, file: self.file, name, command, limit };
        guest::measure(&request, progress)
    }

    /// Keeps a run that something else measured.
    pub(super) fn keep(&self, run: Run) -> Result<RecordedRun, Error> {
        let run = Run { name: name_of(self.file), command: self.command.to_owned(), ..run };
        make_parent(self.file)?;
        store::save(&run, self.file).map_err(Error::failed)?;
        Ok(RecordedRun { run: open(self.file)?, file: self.file.to_owned(), trace: None })
    }
}

/// The processors that can be measured: those that this process may use, or all of a guest's.
pub(super) fn processors(guest: Option<&Platform>) -> Result<CpuSet, Error> {
    match guest {
        Some(platform) => guest::processors(platform),
        None => Ok(Topology::read(&Root::system()).map_err(Error::failed)?.allowed),
    }
}
