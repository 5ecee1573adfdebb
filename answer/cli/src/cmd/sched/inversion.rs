//! `prazo sched inversion`: Marsal 2013's priority inversion on Linux, on prazo's kernel and in the simulator, with and without inheritance.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::guest::GuestFlags;
use crate::out;
use prazo::sched::{self, InversionRequest};
use prazo_core::time::Duration;
use std::path::PathBuf;

/// Three tasks and a lock, with and without priority inheritance.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched inversion                                        here, under SCHED_FIFO on one processor
  prazo sched inversion --platform lab:rt-full --gantt charts  in counted time, with a chart of each
  prazo sched inversion --middle 40ms,400ms --json

prazo's kernel runs the same where its image is: `cargo xtask kernel build --shape single-edf` builds it, PRAZO_KERNEL names one.

Exit status: 0 on every system that ran, inheritance bounds the wait and takes the paper's four switches more, 1 not so on one,
4 Linux could not run it.")]
pub(super) struct Args {
    /// What the task between the two executes
    #[arg(long, value_name = "TIMES", value_delimiter = ',', default_values = ["40ms", "80ms", "160ms"])]
    middle: Vec<Duration>,
    /// A folder for charts: what was observed, what prazo's kernel did, and what was simulated
    #[arg(long, value_name = "FOLDER")]
    gantt: Option<PathBuf>,
    #[command(flatten)]
    guest: GuestFlags,
    /// The run file [default: prazo-results/inversion-DATE.prazo]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Runs every setting, and holds what was seen against the paper.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let request = InversionRequest {
            middle: self.middle,
            gantt: self.gantt,
            guest: self.guest.options(),
            file: self.out,
            command: crate::cmd::command_line(),
        };
        let answer = sched::inversion(&request, &mut Console::default())?;
        match self.json {
            true => out::json(&answer)?,
            false => out::text(&answer.text())?,
        }
        Ok(if answer.holds() { Exit::Pass } else { Exit::Fail })
    }
}
