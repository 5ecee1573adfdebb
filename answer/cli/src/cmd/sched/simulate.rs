//! `prazo sched simulate`: what happens when these tasks run, job by job.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::one_of;
use crate::flags::sched::SchedulerFlags;
use crate::flags::variation::VariationFlags;
use crate::out;
use prazo::sched::{self, ScheduleFiles, SimulateRequest, SimulationOptions};
use prazo_core::overrun;
use prazo_core::time::Duration;
use prazo_sim::Variation;
use prazo_sim::supply::SupplyTimes;
use prazo_sim::suspension::Suspensions;
use std::path::PathBuf;

/// Simulate a task set: response times, misses, a chart of the schedule
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched simulate scenarios/dhall-effect.toml --shape global
  prazo sched simulate examples/crane.toml --shape rm --gantt schedule.svg
  prazo sched simulate examples/crane.toml --shape global --report crane.html
  prazo sched simulate examples/crane.toml --arrivals sporadic=0.5 --seed 7
  prazo sched simulate --batch examples/sets.jsonl

Exit status: 0 no deadline missed, 1 at least one; of a batch: 0 each record was
simulated, 2 a record was refused.")]
pub(super) struct Args {
    /// Task set: TOML, CSV, or a file of rt-app, SchedCAT, SimSo, SAG, POET or rt-audit
    #[arg(required_unless_present = "batch", value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    scheduler: SchedulerFlags<true>,
    /// Quantum of round robin
    #[arg(long, hide_short_help = true, help_heading = "Scheduler", value_name = "TIME", default_value = "1ms")]
    quantum: Duration,
    /// Duration to simulate, such as 10s
    ///
    /// By default, the simulation ends when the schedule repeats, and at the latest after 10 million events.
    #[arg(long, help_heading = "Jobs", short = 'D', value_name = "TIME")]
    duration: Option<Duration>,
    #[command(flatten)]
    variation: VariationFlags,
    /// Handling of a job that misses its deadline: the job continues, the job ends, or the next job is skipped
    #[arg(long, hide_short_help = true, help_heading = "Jobs", value_name = "HANDLING", default_value = "continue", value_parser = one_of::<overrun::OverrunPolicy>(overrun::OverrunPolicy::NAMES))]
    late: overrun::OverrunPolicy,
    /// Points at which jobs with `suspends` suspend themselves: random, at their start, or in their middle
    ///
    /// random: each job suspends itself up to three times. Half of the jobs suspend themselves for the whole bound in
    /// total, the others for less. start and middle: each job suspends itself once, for the whole bound.
    #[arg(long, hide_short_help = true, help_heading = "Jobs", value_name = "PLACES", default_value = "random", value_parser = one_of::<Suspensions>(Suspensions::NAMES))]
    suspensions: Suspensions,
    /// Times at which the scenario's [supply] provides its budget: as late as possible, or in random pieces
    #[arg(long, hide_short_help = true, help_heading = "Jobs", value_name = "TIMES", default_value = "worst", value_parser = one_of::<SupplyTimes>(SupplyTimes::NAMES))]
    supply: SupplyTimes,
    #[command(flatten)]
    schedule: ScheduleFiles,
    /// Also write a report: .html with a chart of the schedule, or .md
    #[arg(long, group = "chart", help_heading = "Output", value_name = "FILE")]
    report: Option<PathBuf>,
    /// Simulate the task sets of a JSON Lines file; - reads standard input
    ///
    /// Each record states its own processors and overheads. JSON Lines are printed.
    #[arg(long, help_heading = "Output", value_name = "FILE", conflicts_with_all = ["file", "report", "shape", "processors", "priorities", "overheads", "gantt", "trace", "csv"])]
    batch: Option<PathBuf>,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Args {
    /// Simulates and prints.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let options = self.options()?;
        if let Some(batch) = &self.batch {
            return super::batch::run(batch, |records, output| sched::simulate_batch(records, output, &options));
        }
        let file = self.file.ok_or_else(|| Failure::usage("name a task set, or give --batch FILE"))?;
        let (schedule, command) = (self.schedule, command_line());
        let request = SimulateRequest { tasks: file.into(), options, schedule, report: self.report, command };
        let answer = sched::simulate(&request, &mut Console::default())?;
        if self.json {
            out::json(&answer.document)?;
        } else {
            out::words(&answer)?;
        }
        Ok(answer.outcome().into())
    }

    fn options(&self) -> Result<SimulationOptions, Failure> {
        Ok(SimulationOptions {
            scheduler: self.scheduler.options()?,
            quantum: self.quantum,
            duration: self.duration,
            variation: Variation {
                overrun: self.late,
                suspensions: self.suspensions,
                supply: self.supply,
                ..self.variation.variation()
            },
        })
    }
}
