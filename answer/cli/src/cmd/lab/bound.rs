//! `prazo lab bound`: a bound on the latency of runs, beside what they observed.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::guest::GuestOptions;
use prazo::lab::bound::{BoundRequest, bound};
use prazo::lab::explain::LabRun;
use std::path::PathBuf;

/// What to bound.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure timer --platform lab:rt-full -D 1s --load compile -o run.prazo
  prazo lab bound run.prazo
  prazo lab bound seed-1.prazo seed-2.prazo hunt/worst.prazo --json

Each run's guest is booted again with a plugin that records when interrupts and
preemption are disabled and enabled. The bound holds for every combination of the
sections that were recorded; it proves nothing about other sections.")]
pub(crate) struct Args {
    /// Runs that were measured in the lab, on one kernel
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// Skip the additional boot that finds the function names of the longest sections
    #[arg(long)]
    no_names: bool,
    /// Platform of the runs, written lab:FILE.toml; needed only if a TOML file defines it
    #[arg(long, value_name = "PLATFORM")]
    platform: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let platform = GuestOptions { platform: self.platform.clone(), ..GuestOptions::default() }.resolve()?;
        let runs = self.runs.iter().map(|file| LabRun { file: file.clone(), platform: platform.clone() }).collect();
        let bounded = bound(&BoundRequest { runs, names: !self.no_names }, &mut Console::default())?;
        out::answer(self.json, &bounded)?;
        Ok(bounded.outcome().into())
    }
}
