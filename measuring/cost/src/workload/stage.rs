//! Where a workload is performed: a folder of its own, a server if it needs one, and everything gone afterwards.

use super::error::WorkloadError;
use super::installed_program::InstalledProgram;
use super::kind::{Scene, Workload};
use super::server::{Server, free_port};
use crate::account::Account;
use crate::command::{Output, Streams, Task};
use crate::name::fresh_name;
use crate::run::{CostError, cost};
use prazo_platform::Root;
use prazo_platform::foreign_programs::Program;
use prazo_platform::tunable::{Held, Journal};
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A workload that is ready to be run. Its folder and its server go with this value.
#[derive(Debug)]
pub struct Stage {
    workload: &'static Workload,
    /// The programs as they were found.
    pub programs: Vec<InstalledProgram>,
    scene: Scene,
    // Declared before the folder, so that the server ends before its folder goes.
    server: Option<Server>,
    _folder: Held,
}

impl Stage {
    /// Makes the folder among those for temporary files, and starts the server.
    pub fn set(workload: &'static Workload) -> Result<Self, WorkloadError> {
        Self::set_in(workload, &std::env::temp_dir())
    }

    /// The same in a folder of the caller's.
    pub fn set_in(workload: &'static Workload, below: &Path) -> Result<Self, WorkloadError> {
        let programs = workload.programs.iter().map(|program| found(workload, program)).collect::<Result<_, _>>()?;
        let failed = |error| WorkloadError::Prepare { workload: workload.name, folder: below.to_owned(), error };
        let (work, folder) = folder(below).map_err(failed)?;
        let port = free_port().map_err(failed)?;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let scene = Scene { work, port, processors };
        let mut stage = Self { workload, programs, scene, server: None, _folder: folder };
        stage.prepare(workload.first_size)?;
        stage.server = stage.serve()?;
        Ok(stage)
    }

    /// Costs one run of this size, from its preparation on; an end of the server ends the run.
    pub fn perform(&self, task: &Task, size: u64) -> Result<Account, WorkloadError> {
        self.prepare(size)?;
        (self.workload.check)(&self.scene).map_err(|error| self.failed(error))?;
        cost(task).map_err(|error| match (&error, &self.server) {
            (CostError::Apart { pid, exit, .. }, Some(server)) if *pid == server.pid() => WorkloadError::ServerEnded {
                workload: self.workload.name,
                server: (self.workload.server)(&self.scene).join(" "),
                how: exit.in_words(),
                last_lines: server.last_lines(),
            },
            _ => error.into(),
        })
    }

    /// The server's process, if there is one.
    pub fn server(&self) -> Option<u32> {
        self.server.as_ref().map(Server::pid)
    }

    fn serve(&self) -> Result<Option<Server>, WorkloadError> {
        let words = (self.workload.server)(&self.scene);
        if words.is_empty() {
            return Ok(None);
        }
        let failed = |reason| WorkloadError::Server { workload: self.workload.name, server: words.join(" "), reason };
        Server::start(&words, &self.scene.work, self.scene.port).map(Some).map_err(failed)
    }

    /// Puts the folder into the state that a run of this size begins in.
    pub fn prepare(&self, size: u64) -> Result<(), WorkloadError> {
        let failed = |error| self.failed(error);
        (self.workload.prepare)(&self.scene, size).map_err(failed)
    }

    fn failed(&self, error: io::Error) -> WorkloadError {
        WorkloadError::Prepare { workload: self.workload.name, folder: self.scene.work.clone(), error }
    }

    /// The command for this size.
    pub fn words(&self, size: u64) -> Vec<String> {
        (self.workload.command)(&self.scene, size)
    }

    /// These words as a task on this stage, the server apart.
    pub fn task(&self, words: &[String], limit: Option<Duration>) -> Result<Task, WorkloadError> {
        let task = Task::new(words.iter().map(String::as_str)).map_err(|error| self.failed(error))?;
        let folder = CString::new(self.scene.work.as_os_str().as_bytes()).ok();
        let streams = Streams { no_input: true, output: Output::Discarded };
        let apart = self.server().into_iter().collect();
        let program = self.programs.iter().find(|program| program.name == task.program());
        let file = program.and_then(|program| CString::new(program.path.as_os_str().as_bytes()).ok());
        Ok(Task { file, limit, folder, streams, apart, ..task })
    }
}

fn found(workload: &Workload, program: &Program) -> Result<InstalledProgram, WorkloadError> {
    let missing =
        || WorkloadError::Missing { workload: workload.name, program: program.name, package: program.package };
    InstalledProgram::find(program).ok_or_else(missing)
}

/// A folder for nobody but us, which stands in the journal: it is removed by the next start if we cannot.
fn folder(place: &Path) -> io::Result<(PathBuf, Held)> {
    let journal = Journal::open(&Root::system()).map_err(io::Error::other)?;
    let path = std::path::absolute(place)?.join(fresh_name().map_err(io::Error::other)?);
    let held = journal.hold_temporary_folder(&path).map_err(io::Error::other)?;
    Ok((path, held))
}
