//! `prazo sched run`: the tasks of a scenario as threads of Linux, job by job, beside what is proven and what is simulated.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::sched::SchedulerFlags;
use crate::flags::variation::VariationFlags;
use crate::out;
use prazo::guest::GuestOptions;
use prazo::sched::{self, CpuOrder, RunOptions, RunRequest, ScheduleFiles, Stage};
use prazo_core::time::Duration;
use std::path::PathBuf;

/// Run a task set as Linux threads, and compare with bounds and simulation
///
/// Jobs execute processor time (CLOCK_THREAD_CPUTIME_ID) as their scenario states, wake-up and time stamps included. The rest of
/// a job that is too short (--reserve) is reported by the caveat `work-left-out`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched run examples/crane.toml --shape global-edf -D 10s
  prazo sched run examples/crane.toml --shape rm -m 1 --gantt seen.html
  prazo sched run examples/crane.toml --platform lab:standard-full

Exit status: 0 no deadline missed, 1 at least one, 3 interrupted, 4 the system
refused the set; of a batch: 0 each record was answered, 2 a record was refused.")]
pub(super) struct Args {
    /// Task set: TOML, CSV, or a file of rt-app, SchedCAT, SimSo, SAG, POET or rt-audit
    #[arg(required_unless_present = "batch", value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    scheduler: SchedulerFlags<false>,
    /// Processors to use, for example 0,2,1,3 [default: all]
    ///
    /// Clusters take processors in the order of the list. The default is every processor that this process may use.
    #[arg(long, short, help_heading = "Scheduler", value_name = "LIST", conflicts_with_all = ["platform", "kernel"])]
    cpus: Option<CpuOrder>,
    /// Duration for which jobs are released
    #[arg(long, help_heading = "Jobs", short = 'D', value_name = "TIME", default_value = "10s")]
    duration: Duration,
    #[command(flatten)]
    variation: VariationFlags,
    /// Length of the steps in which jobs execute; shorter preemptions are not detected [default: 5us, in a guest 500us]
    #[arg(long, help_heading = "Jobs", hide_short_help = true, value_name = "TIME")]
    step: Option<Duration>,
    /// Execution time reserved in each job for wake-up and the last step [default: measured with empty jobs; 5ms in a guest]
    #[arg(long, help_heading = "Jobs", value_name = "TIME", hide_short_help = true)]
    reserve: Option<Duration>,
    #[command(flatten)]
    schedule: ScheduleFiles,
    #[command(flatten)]
    guest: GuestOptions,
    /// Virtual machine to boot [default: the platform's for one processor, linux-4 for 2 to 4, linux-8 for more]
    #[arg(
        long,
        hide_short_help = true,
        help_heading = "Virtual machine",
        value_name = "MACHINE",
        requires = "platform"
    )]
    machine: Option<String>,
    /// Run file to write
    ///
    /// The default is prazo-results/tasks-DATE.prazo.
    #[arg(long, short, help_heading = "Output", value_name = "FILE")]
    output: Option<PathBuf>,
    /// Run the task sets of a JSON Lines file; - reads standard input
    ///
    /// The task sets run one after the other, and JSON Lines are printed.
    #[arg(long, help_heading = "Output", value_name = "FILE", conflicts_with_all = ["file", "gantt", "trace", "csv", "shape", "processors", "overheads", "json"])]
    batch: Option<PathBuf>,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Args {
    /// Runs and prints.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let (options, mut console) = (self.options()?, Console::default());
        if let Some(batch) = &self.batch {
            let (lines, count) = sched::run_batch(&mut super::batch::records(batch)?, &options, &mut console)?;
            lines.iter().try_for_each(out::json_line)?;
            count.complete()?;
            return Ok(Exit::Pass);
        }
        let file = self.file.ok_or_else(|| Failure::usage("name a task set, or give --batch FILE"))?;
        let request = RunRequest { tasks: file.into(), options, schedule: self.schedule };
        let answer = sched::run(&request, &mut console)?;
        if self.json {
            out::json(&answer.document)?;
        } else {
            out::words(&answer)?;
        }
        Ok(answer.outcome().into())
    }

    fn options(&self) -> Result<RunOptions, Failure> {
        let guest = self.guest.clone();
        let stage = match guest.is_this_machine() {
            true => Stage::Here { cpus: self.cpus.clone().map(|order| order.0) },
            false => Stage::Guest { options: guest, machine: self.machine.clone() },
        };
        Ok(RunOptions {
            scheduler: self.scheduler.options()?,
            variation: self.variation.variation(),
            duration: self.duration,
            step: self.step,
            reserve: self.reserve,
            stage,
            file: self.output.clone(),
            command: command_line(),
        })
    }
}
