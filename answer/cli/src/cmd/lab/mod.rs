//! `prazo lab`: virtual machines that repeat themselves.

mod boot;
mod carry;
mod fetch;
mod list;
mod progress;

pub(super) use boot::Booted;
pub(super) use carry::Moved;
pub(super) use fetch::Fetched;
pub(super) use list::Listed;

use crate::exit::{Exit, Failure};
use prazo_lab::LabError;

/// Virtual machines.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo lab fetch                                        emulator and kernels, once; nothing is installed
  prazo lab export lab.tar.zst                           keep it: archives drop old kernels
  prazo lab list                                         the machines and platforms there are
  prazo measure timer --platform lab:rt-full -D 10s      measure on a platform
  prazo lab boot --kernel kernel.elf -m counted-1        boot one, print its console

Figures from a machine with counted time are instructions, never a hardware's latency.")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Fetch the emulator, kernels and their headers into a cache folder, unless they are there
    Fetch(fetch::Args),
    /// Pack everything that was fetched into one file, for another machine or for later
    Export(carry::Args),
    /// Take what such a file holds into the cache, checksums compared
    Import(carry::Args),
    /// The emulator, the built-in machines and platforms
    List(list::Args),
    /// Boot a machine within a limit and print its console
    ///
    /// Exit status: 0 the guest powered off or ended with 16 (all went well), 1 it ended otherwise, 3 it was ended at the
    /// limit, 4 it could not be booted.
    Boot(boot::Args),
}

impl Args {
    /// Fetches, carries, lists or boots.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self.action {
            Action::Fetch(args) => args.run(),
            Action::Export(args) => args.export(),
            Action::Import(args) => args.import(),
            Action::List(args) => args.run(),
            Action::Boot(args) => args.run(),
        }
    }
}

/// A machine that cannot be is the user's error, all else the world's.
pub(crate) fn failure(error: LabError) -> Failure {
    match error {
        LabError::Machine { .. } | LabError::NoMachine { .. } => Failure::usage(error),
        LabError::Platform { .. } | LabError::NoPlatform { .. } => Failure::usage(error),
        other => Failure::world(other),
    }
}
