//! `prazo sched inversion`: Marsal 2013's priority inversion on Linux, on prazo's kernel and in the simulator, with and without inheritance.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::guest::GuestOptions;
use prazo::sched::{self, InversionRequest};
use prazo_core::time::Duration;
use std::path::PathBuf;

/// Measure priority inversion, with and without priority inheritance
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched inversion                         SCHED_FIFO on one processor
  prazo sched inversion --platform lab:rt-full --gantt charts
  prazo sched inversion --middle 40ms,400ms --json

prazo's kernel runs the same tasks if its image exists: `cargo xtask kernel build
--shape single-edf` builds it, or PRAZO_KERNEL names it. Exit status: 0 if
the claims of Marsal 2013 about priority inheritance hold on every system that
ran, 1 if a claim does not hold, 4 if Linux could not run the tasks.")]
pub(super) struct Args {
    /// Execution times of the task with the middle priority
    #[arg(long, value_name = "TIMES", value_delimiter = ',', default_values = ["40ms", "80ms", "160ms"])]
    middle: Vec<Duration>,
    /// Folder for charts of the observed and simulated schedules
    #[arg(long, value_name = "FOLDER")]
    gantt: Option<PathBuf>,
    #[command(flatten)]
    guest: GuestOptions,
    /// Run file to write [default: prazo-results/inversion-DATE.prazo]
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Args {
    /// Runs every setting, and holds what was seen against the paper.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let request = InversionRequest {
            middle: self.middle,
            gantt: self.gantt,
            guest: self.guest,
            file: self.output,
            command: command_line(),
        };
        let answer = sched::inversion(&request, &mut Console::default())?;
        out::answer(self.json, &answer)?;
        Ok(answer.outcome().into())
    }
}
