//! `prazo measure overheads`: what the kernel's scheduling costs, by number of tasks, as a run file each and two tables.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::overheads::TaskFlags;
use crate::out;
use prazo::guest::GuestOptions;
use prazo::measure::measure_overheads;
use std::path::PathBuf;

/// Measure the overheads of the kernel's scheduling, by number of tasks (Vitor 2013, section IV)
#[derive(clap::Args, Debug)]
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
    /// Folder for run files and tables [default: prazo-results/overheads-DATE]
    #[arg(long, short, value_name = "FOLDER", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Overheads {
    /// Measures each number of tasks, and writes the tables.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let request = self.tasks.request(self.guest, self.output, command_line());
        let measured = measure_overheads(&request, &mut Console::default())?;
        out::answer(self.json, &measured)?;
        Ok(Exit::Pass)
    }
}
