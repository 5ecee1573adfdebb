//! `prazo measure overheads`: what the kernel's scheduling costs, by number of tasks, as a run file each and two tables.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::overheads::TaskFlags;
use prazo::guest::GuestOptions;

/// Measure the overheads of the kernel's scheduling, by number of tasks (Vitor 2013, section IV)
#[derive(clap::Args, Debug)]
#[command(mut_arg("output", |arg| {
    arg.value_name("FOLDER").help("Folder for run files and tables [default: prazo-results/overheads-DATE]").long_help(None)
}))]
#[command(after_help = "Examples:
  prazo measure overheads --tasks 5,10 -o overheads
  prazo sched test tasks.toml --overheads overheads/deadline.max.toml
  prazo measure overheads --policy fifo --tasks 5,25 --json
  prazo measure overheads --tasks 5 --working-sets 16,64,256,1024
  prazo measure overheads --platform lab:rt-full --tasks 25 -D 2s")]
pub(crate) struct Overheads {
    #[command(flatten)]
    tasks: TaskFlags,
    #[command(flatten)]
    guest: GuestOptions,
    #[command(flatten)]
    outlet: Outlet,
}

impl Overheads {
    /// Measures each number of tasks, and writes the tables.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        self.outlet.measure_overheads(self.tasks.request(self.guest))
    }
}
