//! `prazo sched simulate`: what happens when these tasks run, job by job.

pub(super) mod batch;
mod document;
pub(super) mod files;
pub(super) mod flags;
mod place;
pub(super) mod run;

pub use batch::SimulatedLine;
pub use document::Simulated;
pub use files::Files;

use crate::exit::{Exit, Failure};
use crate::out;
use flags::Flags;
use prazo_scenario::read;
use std::path::PathBuf;

/// What happens when these tasks run?
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched simulate scenarios/dhall-effect.toml --shape global     until the schedule repeats, or a while
  prazo sched simulate tasks.toml --gantt schedule.html               a chart of the schedule around the first miss
  prazo sched simulate tasks.toml -m 4 --shape 2,2 -D 10s --json      two clusters, ten simulated seconds
  prazo sched simulate tasks.toml --arrivals sporadic=0.5 --seed 7    other arrivals; the same seed, the same bytes
  prazo sched simulate --batch sets.jsonl                             records with horizon_us in, JSON Lines out

Exit status: 0 no deadline missed, 1 at least one; of a batch 0 each record was simulated, 2 at least one was refused.")]
pub struct Args {
    /// A task set: TOML, CSV, or rt-app's JSON
    #[arg(required_unless_present = "batch", value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    flags: Flags,
    #[command(flatten)]
    files: Files,
    /// Simulate many sets: JSON Lines in, JSON Lines out; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    batch: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Simulates and prints.
    pub fn run(self) -> Result<Exit, Failure> {
        self.flags.check()?;
        let file = match (&self.batch, &self.file) {
            (Some(batch), _) => return batch::run(batch, &self.flags),
            (None, Some(file)) => file,
            (None, None) => return Err(Failure::usage("name a task set, or --batch FILE")),
        };
        let ran = run::run(read::file(file).map_err(Failure::usage)?, &self.flags)?;
        self.files.write(&ran)?;
        let document = Simulated::new(file.display().to_string(), &ran);
        if self.json {
            out::json(&document)?;
        } else {
            out::text_line(&document::text(&document, &ran.shape()))?;
        }
        Ok(if document.misses == 0 { Exit::Pass } else { Exit::Fail })
    }
}
