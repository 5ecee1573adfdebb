//! `prazo sched simulate`: what happens when these tasks run, job by job.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::one_of;
use crate::flags::schedule::{ScheduleFlags, VariationFlags};
use crate::out;
use prazo::sched::{self, OverheadsChoice, SchedulerOptions, ShapeChoice, SimulateRequest, SimulationOptions};
use prazo_core::overrun;
use prazo_core::time::Duration;
use prazo_scenario::Criterion;
use prazo_sim::Variation;
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
pub(super) struct Args {
    /// A task set: TOML, CSV, or rt-app's JSON
    #[arg(required_unless_present = "batch", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Processors [default: the scenario's, else the fewest that the utilization needs]
    #[arg(long, short = 'm', value_name = "COUNT")]
    processors: Option<u32>,
    /// Who shares a ready queue: global, partitioned, sizes such as 2,2 or 4x2, or cache, smt from this machine
    #[arg(long, short, visible_alias = "clusters", value_name = "SHAPE")]
    shape: Option<ShapeChoice>,
    /// Who ranks jobs: earliest deadline, fixed priorities as stated or by shorter periods or deadlines, first come, or in turn
    /// [default: the scenario's, else edf]
    #[arg(long, short, value_parser = one_of::<Criterion>(Criterion::NAMES))]
    policy: Option<Criterion>,
    /// How long a job runs in turn under round robin
    #[arg(long, value_name = "TIME", default_value = "1ms")]
    quantum: Duration,
    /// Table of the platform's overheads (TOML), or `none` to leave the scenario's out
    #[arg(long, value_name = "FILE")]
    overheads: Option<OverheadsChoice>,
    /// How long to simulate, as in 10s [default: until the schedule repeats, at most 10 million events]
    #[arg(long, short = 'D', value_name = "TIME")]
    horizon: Option<Duration>,
    #[command(flatten)]
    variation: VariationFlags,
    /// What becomes of a job whose deadline passes: it goes on and later ones wait, it ends there, or the next one is left out
    #[arg(long, value_name = "HOW", default_value = "continue", value_parser = one_of::<overrun::Policy>(overrun::Policy::NAMES))]
    late: overrun::Policy,
    #[command(flatten)]
    schedule: ScheduleFlags,
    /// Simulate many sets: JSON Lines in, JSON Lines out; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    batch: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Simulates and prints.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let options = self.options();
        if let Some(batch) = &self.batch {
            return super::batch::run(batch, |records, output| sched::simulate_batch(records, output, &options));
        }
        let file = self.file.ok_or_else(|| Failure::usage("name a task set, or --batch FILE"))?;
        let request = SimulateRequest { tasks: file.into(), options, schedule: self.schedule.files() };
        let answer = sched::simulate(&request, &mut Console::default())?;
        match self.json {
            true => out::json(&answer.document)?,
            false => out::text(&answer.to_string())?,
        }
        Ok(answer.outcome().into())
    }

    fn options(&self) -> SimulationOptions {
        SimulationOptions {
            scheduler: SchedulerOptions {
                processors: self.processors,
                clusters: self.shape.clone(),
                policy: self.policy,
                overheads: self.overheads.clone(),
                ..SchedulerOptions::default()
            },
            quantum: self.quantum,
            horizon: self.horizon,
            variation: Variation { overrun: self.late, ..self.variation.variation() },
        }
    }
}
