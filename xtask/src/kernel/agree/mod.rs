//! `cargo xtask kernel agree`: same scenario, same trace, in the simulator and in the kernel.
//!
//! For each queue both must have the same sequence of (event, task, job). Instants and processors may differ, since a real
//! switch takes time. So what is meant to be distinct must lie apart: the comparison of a queue ends where its simulated
//! schedule has two instants less than 2 ms from each other, or a completion at the instant of something else.

mod compare;
mod draw;
mod simulated;

use super::build::Shape;
use super::configuration::Configuration;
use super::console::Console;
use super::session::Session;
use super::tasks::Tasks;
use compare::Agreement;
use prazo_core::time::Duration;
use std::path::{Path, PathBuf};

/// What to compare.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask kernel agree scenarios/dhall-effect.toml --shape partitioned-rm
  cargo xtask kernel agree --random 10 --seed 7 --shape global-edf")]
pub struct Args {
    /// A task set's file
    #[arg(required_unless_present = "random")]
    scenario: Option<PathBuf>,
    /// So many random task sets instead, each with its instants well apart for the whole run
    #[arg(long, value_name = "NUMBER", conflicts_with = "scenario")]
    random: Option<u64>,
    /// Of the random task sets
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    shape: Shape,
    /// The length of a tick in a task set without a unit
    #[arg(long, value_name = "TIME", default_value = "10ms")]
    tick: Duration,
    /// How long a run lasts
    #[arg(long, value_name = "TIME", default_value = "500ms")]
    duration: Duration,
    /// A lab machine's name or file [default: counted-1 with the shape's processors]
    #[arg(long, value_name = "MACHINE")]
    machine: Option<String>,
    /// Wall time after which a run is given up
    #[arg(long, value_name = "TIME", default_value = "2m")]
    limit: Duration,
}

impl Args {
    /// Runs both and prints how many events agree; an error names the first that do not.
    pub fn run(self) -> Result<(), String> {
        let configuration = self.shape.configuration()?;
        if let Some(file) = &self.scenario {
            return self.compare(&name(file), &Tasks::of_file(file, self.tick, &configuration)?, &configuration);
        }
        for seed in (self.seed..).take(self.random.unwrap_or(0) as usize) {
            let tasks = draw::tasks(seed, &configuration, self.duration)?;
            self.compare(&format!("seed {seed}"), &tasks, &configuration)?;
        }
        Ok(())
    }

    fn compare(&self, name: &str, tasks: &Tasks, configuration: &Configuration) -> Result<(), String> {
        let simulated = simulated::events(tasks, configuration, self.duration)?;
        let words = format!("scenario duration_ms={}{}", self.duration.as_ns() / 1_000_000, tasks.words());
        let session = Session::make(&self.shape, self.machine.as_deref(), words, self.limit)?;
        session.passed()?;
        let ran = Console::read(&session.text())?.events;
        for queue in 0..configuration.clusters.len() as u64 {
            let agreement = Agreement::of_queue(queue, &simulated, &ran, self.duration);
            let agreement =
                agreement.map_err(|what| format!("{name} on {}: {what}{}", self.shape.shape, tasks.words()))?;
            println!("{name} on {}: queue {queue}: {agreement}", self.shape.shape);
        }
        Ok(())
    }
}

fn name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
