//! `prazo measure overheads`: what the kernel's scheduling costs, by number of tasks, as a run file each and two tables.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::guest::GuestFlags;
use crate::flags::overheads::TaskFlags;
use crate::out;
use prazo::measure::measure_overheads;
use std::path::PathBuf;

/// What the kernel's scheduling costs many periodic tasks, as Vitor 2013 section IV measures it.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure overheads                                          5 to 125 tasks under SCHED_DEADLINE, 20 seconds each
  prazo measure overheads --policy fifo --tasks 5,25 --json        fixed priorities
  prazo measure overheads --platform lab:rt-full --tasks 25 -D 2s  in instructions, in a virtual machine
  prazo measure overheads --tasks 5 --working-sets 16,64,256,1024  with cache-related delay by working set
  prazo sched test tasks.toml --overheads overheads/deadline.max.toml")]
pub(crate) struct Overheads {
    #[command(flatten)]
    tasks: TaskFlags,
    #[command(flatten)]
    guest: GuestFlags,
    /// Folder for run files and tables [default: prazo-results/overheads-DATE]
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Overheads {
    /// Measures each number of tasks, and writes the tables.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let request = self.tasks.request(self.guest.options(), self.out, command_line());
        let measured = measure_overheads(&request, &mut Console::default())?;
        if self.json {
            out::json(&measured)?;
        } else {
            out::text(&measured.to_string())?;
        }
        Ok(Exit::Pass)
    }
}
