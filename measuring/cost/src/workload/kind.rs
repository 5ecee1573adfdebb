//! What a workload is made of.

use prazo_platform::foreign_programs::Program;
use std::io;
use std::path::PathBuf;

/// One workload.
#[derive(Debug)]
pub struct Workload {
    /// Its name in `--workload`.
    pub name: &'static str,
    /// What it works, in a sentence.
    pub what: &'static str,
    /// The role that it plays in Marsal 2013, or where else it is from.
    pub source: &'static str,
    /// What its size counts.
    pub unit: &'static str,
    /// What the pilot run begins with.
    pub first_size: u64,
    /// The programs that do the work.
    pub programs: &'static [Program],
    /// Makes what a run of this size finds in the scene's folder; called before each run, outside its account.
    pub(crate) prepare: fn(&Scene, u64) -> io::Result<()>,
    /// A server that listens on the scene's port while the workload runs, outside its account; no word for none.
    pub(crate) server: fn(&Scene) -> Vec<String>,
    /// Whether what a run asks for is there, so that no client is costed for being refused; called before each run.
    pub(crate) check: fn(&Scene) -> io::Result<()>,
    /// The command that is costed.
    pub(crate) command: fn(&Scene, u64) -> Vec<String>,
}

/// What a workload's commands may use.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Its folder.
    pub work: PathBuf,
    /// A free port of loopback.
    pub port: u16,
    /// Processors that this process may use.
    pub processors: usize,
}

/// For workloads whose programs make all they need.
pub(super) fn nothing(_: &Scene, _: u64) -> io::Result<()> {
    Ok(())
}

/// For workloads whose programs end with another status than 0 where something fails.
pub(super) fn always(_: &Scene) -> io::Result<()> {
    Ok(())
}

/// For workloads without a server.
pub(super) fn no_server(_: &Scene) -> Vec<String> {
    vec![]
}

pub(super) fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}
