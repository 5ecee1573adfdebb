//! `prazo sched run`: the tasks of a scenario as threads of Linux, job by job, beside what is proven and what is simulated.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::cpus::CpuOrder;
use crate::flags::guest::GuestFlags;
use crate::flags::schedule::{ScheduleFlags, VariationFlags};
use crate::out;
use prazo::sched::{self, OverheadsChoice, RunOptions, RunRequest, SchedulerChoice, SchedulerOptions, Stage};
use prazo_core::time::Duration;
use std::path::PathBuf;

/// The tasks of a scenario as threads of Linux.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched run tasks.toml --shape global-edf -D 10s          under SCHED_DEADLINE on all processors
  prazo sched run tasks.toml --shape rm -m 1 --gantt seen.html  one processor, fixed priorities, the schedule as it was
  prazo sched run workload.json --json                          rt-app's input; jobs, misses, overruns, migrations
  prazo sched run tasks.toml -m 4 --platform lab:standard-full  in a virtual machine that repeats itself

Jobs execute processor time by CLOCK_THREAD_CPUTIME_ID, as much as their scenario says, what waking and stamping cost them included;
what is left of a short job (--spare) stands under the caveat `work-left-out`.

Exit status: 0 no deadline missed, 1 at least one, 3 interrupted before one was, 4 the system would not run the set;
of a batch 0 each record was answered, 2 at least one was refused.")]
pub(super) struct Args {
    /// A task set: TOML, CSV, or rt-app's JSON
    #[arg(required_unless_present = "batch", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Processors [default: the scenario's, else the fewest that the utilization needs]
    #[arg(long, short = 'm', value_name = "COUNT")]
    processors: Option<u32>,
    /// global-edf, partitioned-edf, clustered-edf:2,2, rm (partitioned), global-rm; -dm and -fp for other priorities [default: the scenario's]
    #[arg(long, short, value_name = "SHAPE")]
    shape: Option<SchedulerChoice>,
    /// Processors to use, in the order in which clusters take them [default: those that this process may use]
    #[arg(long, value_name = "LIST", conflicts_with_all = ["platform", "kernel"])]
    cpus: Option<CpuOrder>,
    /// How long jobs are released
    #[arg(long, short = 'D', value_name = "TIME", default_value = "10s")]
    duration: Duration,
    #[command(flatten)]
    variation: VariationFlags,
    /// Table of the platform's overheads (TOML), charged by analysis and simulator, or `none`
    #[arg(long, value_name = "FILE")]
    overheads: Option<OverheadsChoice>,
    /// How finely work goes on, and preemptions within a job are seen [default: 5us, in a guest 500us]
    #[arg(long, value_name = "TIME")]
    step: Option<Duration>,
    /// What each job leaves of its execution for waking up and its last step [default: what empty jobs take; in a
    /// guest, whose processors take turns, 5ms]
    #[arg(long, value_name = "TIME")]
    spare: Option<Duration>,
    #[command(flatten)]
    schedule: ScheduleFlags,
    #[command(flatten)]
    guest: GuestFlags,
    /// The virtual machine [default: linux-4, or linux-8 for more, with as many processors as the set is for]
    #[arg(long, value_name = "MACHINE", requires = "platform")]
    machine: Option<String>,
    /// The run file [default: prazo-results/tasks-DATE.prazo]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Run many sets, one after the other: records as `prazo sched simulate --batch` takes them, JSON Lines out; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "gantt", "trace", "csv", "shape", "processors", "overheads", "json"])]
    batch: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Runs and prints.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let (options, mut console) = (self.options(), Console::default());
        if let Some(batch) = &self.batch {
            let (lines, count) = sched::run_batch(&mut super::records(batch)?, &options, &mut console)?;
            lines.iter().try_for_each(out::json_line)?;
            return super::ending(count);
        }
        let file = self.file.ok_or_else(|| Failure::usage("name a task set, or --batch FILE"))?;
        let request = RunRequest { tasks: file.into(), options, schedule: self.schedule.files() };
        let answer = sched::run(&request, &mut console)?;
        match self.json {
            true => out::json(&answer.document)?,
            false => out::text(&answer.to_string())?,
        }
        Ok(answer.outcome().into())
    }

    fn options(&self) -> RunOptions {
        let SchedulerChoice { shape, criterion } = self.shape.clone().unwrap_or_default();
        let guest = self.guest.options();
        let stage = match guest.is_this_machine() {
            true => Stage::Here { cpus: self.cpus.clone().map(|order| order.0) },
            false => Stage::Guest { options: guest, machine: self.machine.clone() },
        };
        RunOptions {
            scheduler: SchedulerOptions {
                processors: self.processors,
                clusters: shape,
                policy: criterion,
                overheads: self.overheads.clone(),
                ..SchedulerOptions::default()
            },
            variation: self.variation.variation(),
            duration: self.duration,
            step: self.step,
            spare: self.spare,
            stage,
            file: self.out.clone(),
            command: crate::cmd::command_line(),
        }
    }
}
