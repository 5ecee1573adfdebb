//! `prazo lab try-boot`: one boot of a hunt that another machine makes; Python's module starts it on a worker.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::Error;
use prazo::lab::hunt::{BootJob, try_boot};
use std::path::PathBuf;

/// The boot.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Boot to run, in the JSON that a hunt sends to its workers
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Args {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let attempt = || format!("cannot read the boot in {}", self.file.display());
        let text = std::fs::read_to_string(&self.file).map_err(|error| Error::refused(error).attempting(attempt()))?;
        let job: BootJob = serde_json::from_str(&text).map_err(|error| Error::refused(error).attempting(attempt()))?;
        out::json(&try_boot(&job, &mut Console::default())?)?;
        Ok(Exit::Pass)
    }
}
