//! `cargo xtask kernel agree`: same scenario, same trace, in the simulator and in the kernel.
//!
//! For each queue both must have the same sequence of (event, task, job). Instants and processors may differ, since a real
//! switch takes time. So what is meant to be distinct must lie apart: the comparison of a queue ends where its simulated
//! schedule has two instants less than 2 ms from each other, or a completion at the instant of something else. A file's set
//! is therefore run in slower motion and with costs cut a little, unless it is wanted as it is. One boot has many sets.

mod apart;
mod batch;
mod budgets;
mod compare;
mod draw;
mod simulated;

use super::build::KernelShape;
use super::configuration::Configuration;
use super::session::Plan;
use super::table;
use super::tasks::{Reading, Tasks};
use apart::Apart;
use batch::Batch;
use prazo_core::time::Duration;
use prazo_lab::own_kernel::{Console, Event};
use prazo_scenario::{Scenario, read};
use std::path::{Path, PathBuf};

/// An instruction is 2^shift ns: the kernel is slow, still far below what lies between two instants, and the host is done
/// sooner. Processors take turns, so the more there are, the later each of them sees what another did.
fn shift(configuration: &Configuration) -> u8 {
    match configuration.processors() {
        1 => 6,
        2..=4 => 5,
        _ => 3,
    }
}

/// What to compare.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask kernel agree scenarios/*.toml --shape partitioned-rm
  cargo xtask kernel agree scenarios/dhall-effect.toml --shape global-edf --late abort
  cargo xtask kernel agree --random 10 --seed 7 --shape global-edf")]
pub(super) struct Args {
    /// Task sets' files
    #[arg(required_unless_present = "random")]
    scenarios: Vec<PathBuf>,
    /// So many random task sets too; under EDF some of their tasks have servers
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    random: u64,
    /// Of the random task sets, and of the cuts
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    shape: KernelShape,
    #[command(flatten)]
    reading: Reading,
    /// Run a file's set as it stands, and compare as far as its instants lie apart
    #[arg(long)]
    as_is: bool,
    /// How long a set runs that is taken as it stands
    #[arg(long, value_name = "TIME", default_value = "500ms", requires = "as_is")]
    duration: Duration,
    /// A lab machine's name or file [default: counted-1 with the shape's processors, an instruction being 8 to 64 ns]
    #[arg(long, value_name = "MACHINE")]
    machine: Option<String>,
    /// Wall time after which a boot is given up
    #[arg(long, value_name = "TIME", default_value = "5m")]
    limit: Duration,
}

impl Args {
    /// Runs both and prints how many events agree; an error names the first that do not.
    pub(super) fn run(self) -> Result<(), String> {
        let configuration = self.shape.configuration()?;
        let mut batches = vec![];
        for file in &self.scenarios {
            // A file that cannot be read is a wrong argument; a set that the kernel cannot take is an answer.
            let scenario = read::file(file).unwrap_or_else(|error| wrong_argument(&error.to_string()));
            match self.of_scenario(&scenario, &configuration) {
                Ok(apart) => add(&mut batches, &name(file), &apart, &configuration)?,
                Err(why) => println!("{} on {}: not compared: {why}", name(file), self.shape.shape),
            }
        }
        for seed in (self.seed..).take(self.random as usize) {
            let set = draw::set(seed, self.reading.late, &configuration)?;
            add(&mut batches, &format!("seed {seed}"), &set, &configuration)?;
        }
        if batches.is_empty() {
            return Err("there was nothing to compare".into());
        }
        batches.iter().try_for_each(|batch| self.compare(batch, &configuration))
    }

    fn of_scenario(&self, scenario: &Scenario, configuration: &Configuration) -> Result<Apart, String> {
        let tasks = Tasks::of(scenario, &self.reading, configuration)?;
        if self.as_is {
            return Ok(Apart { tasks, duration: self.duration });
        }
        apart::of(&tasks, configuration, self.seed)
    }

    fn compare(&self, batch: &Batch, configuration: &Configuration) -> Result<(), String> {
        let plan = Plan {
            machine: self.machine.as_deref(),
            shift: shift(configuration),
            words: format!("scenario duration_ms={}", batch.end.as_ns().div_ceil(1_000_000)),
            table: Some(table::bytes(&batch.records(), configuration)?),
            limit: self.limit,
        };
        let session = plan.boot(&self.shape)?;
        session.passed()?;
        let ran = whole(Console::read(&session.text())?)?;
        for window in &batch.windows {
            let name = format!("{} on {}", window.name, self.shape.shape);
            let agreements = window.compare(&ran, configuration.clusters.len() as u64);
            let agreements =
                agreements.map_err(|what| format!("{name}: {what}the command was: {}", session.ended.command))?;
            for (queue, agreement) in agreements.iter().enumerate() {
                println!("{name}: queue {queue}: {agreement}");
            }
        }
        Ok(())
    }
}

/// The events of a run that lost none.
fn whole(console: Console) -> Result<Vec<Event>, String> {
    let lost = console.jobs.as_ref().and_then(|jobs| jobs.get("events_lost")?.as_u64());
    if lost == Some(0) { Ok(console.events) } else { Err(format!("the kernel lost events: {lost:?}")) }
}

/// The last boot takes the set, or a new one does.
fn add(batches: &mut Vec<Batch>, name: &str, set: &Apart, configuration: &Configuration) -> Result<(), String> {
    let events = simulated::events(&set.tasks, configuration, set.duration)?;
    let fits = |batch: &mut Batch| batch.add(name, &set.tasks, &events, set.duration);
    if batches.last_mut().is_some_and(fits) {
        return Ok(());
    }
    let mut batch = Batch::default();
    let fits = batch.add(name, &set.tasks, &events, set.duration);
    batches.push(batch);
    if fits { Ok(()) } else { Err(format!("{name} has more tasks than the kernel has room for")) }
}

/// Ends as every wrong argument does, with status 2; nothing was started yet.
fn wrong_argument(what: &str) -> ! {
    clap::Error::raw(clap::error::ErrorKind::ValueValidation, format!("{what}\n")).exit()
}

fn name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
